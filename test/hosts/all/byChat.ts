import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Sorted by chat, then by time',
	existing: 40,
	perHour: 10,
	burst: 20,
	respond: (account) => respondWith(last(account).sort((a, b) => a.chat - b.chat || b.at - a.at)),
	limit: {
		about: 'Messages of several chats come out chat by chat.',
		allows: ['outOfOrder', 'falseGaps'],
	},
};
