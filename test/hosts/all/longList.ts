import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'A list of 2,000, which is sometimes empty or short',
	existing: 2500,
	perHour: 10,
	interval: 30,
	respond(account) {
		const length = account.chance(20) ? account.pick(2) * 10 : 2000;
		return respondWith(last(account, length));
	},
	limit: {
		about:
			'Messages that were not listed while the list was short come out late; a gap was reported.',
		allows: ['outOfOrder'],
	},
};
