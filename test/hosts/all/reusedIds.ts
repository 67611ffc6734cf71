import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'IDs start again at 1 after 500 messages',
	respond: (account) =>
		respondWith(last(account), ({ n, text, at }) => ({ id: (n % 500) + 1, text, timestamp: at })),
	limit: {
		about:
			'A message with the ID of a known one counts as that one. If its time is later, a warning says so, once.',
		allows: ['untold', 'twice', 'outOfOrder'],
	},
};
