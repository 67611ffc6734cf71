import type { Host } from '../host';
import { last, respondWith, withoutTime } from '../lists';

export const host: Host = {
	about: 'A pinned message on top, and no times',
	burst: 120,
	respond: (account) => respondWith([account.messages[3], ...last(account, 49)], withoutTime),
	limit: {
		about: 'Without times, the first messages may come out in the order of the list.',
		allows: ['outOfOrder'],
	},
};
