import type { Host } from '../host';
import { page, respondWith } from '../lists';

export const host: Host = {
	about: 'Responds with 416 behind the last page',
	options: { pageParameter: 'page' },
	existing: 5,
	burst: 100,
	live: (account) => account.remove(({ at }) => at < account.now - 3_600_000),
	respond: (account, index) =>
		index > 0 && page(account, index, 20).length === 0
			? { status: 416 }
			: respondWith(page(account, index, 20)),
};
