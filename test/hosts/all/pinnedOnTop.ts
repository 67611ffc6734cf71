import type { Host } from '../host';
import { page, respondWith } from '../lists';

export const host: Host = {
	about: 'A pinned message on top, whatever comes',
	options: { pageParameter: 'page' },
	burst: 100,
	respond(account, index) {
		const pinned = account.messages[3];
		return respondWith([...(index === 0 ? [pinned] : []), ...page(account, index, 30)]);
	},
};
