import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Sorted by last change',
	live(account) {
		const changed = account.listed[5 + account.pick(80)];
		if (changed && account.chance(30)) {
			changed.status++;
			account.listed = [changed, ...account.listed.filter((one) => one !== changed)];
		}
	},
	respond: (account) => respondWith(last(account)),
	limit: {
		about:
			'A message that is changed while it is too old for the list comes out when it is back in it.',
		allows: ['falseGaps', 'old', 'outOfOrder'],
	},
};
