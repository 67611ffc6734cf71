import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

export const host: Host = {
	about: 'Other IDs at each request',
	perHour: 5,
	interval: 15,
	respond: (account) =>
		respondWith(last(account, 20), ({ n, text, at }) => ({
			id: uuid(n * 7919 + account.minute),
			text,
			timestamp: at,
		})),
	limit: {
		about: 'Every message is new at every poll, and each poll reports a possible gap.',
		allows: ['twice', 'old', 'outOfOrder', 'falseGaps'],
	},
};
