import type { Host } from '../host';
import { respondWith } from '../lists';

export const host: Host = {
	about: 'Some requests go to a replica that is minutes behind',
	respond(account) {
		const isBehind = account.random() < 0.3;
		const upTo = account.now - (isBehind ? 600_000 : 0);
		return respondWith(account.listed.filter(({ at }) => at <= upTo + 59_999).slice(0, 50));
	},
	limit: {
		about: 'Messages that were missed and come up again later are reported once more.',
		allows: ['falseGaps', 'outOfOrder'],
	},
};
