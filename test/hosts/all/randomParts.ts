import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'A random part of the list',
	existing: 80,
	perHour: 10,
	burst: 10,
	respond: (account) => respondWith(last(account, 80).filter(() => account.random() < 0.7)),
	limit: {
		about:
			'Messages come out when they are first listed, perhaps after later ones, and even if they are older than the first poll.',
		allows: ['outOfOrder', 'falseGaps', 'old'],
	},
};
