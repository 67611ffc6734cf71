import type { Host } from '../host';
import { page, respondWith, withoutTime } from '../lists';

export const host: Host = {
	about: 'A pinned message on top of the first page, and no times',
	options: { pageParameter: 'page' },
	burst: 120,
	respond: (account, index) =>
		respondWith(
			[...(index === 0 ? [account.messages[3]] : []), ...page(account, index, 30)],
			withoutTime,
		),
	limit: {
		about: 'Without times, the first messages may come out in the order of the list.',
		allows: ['outOfOrder'],
	},
};
