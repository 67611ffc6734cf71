import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Single messages are deleted, and older ones move into the list',
	existing: 300,
	live(account) {
		const deleted = last(account)[20 + account.pick(70)];
		if (account.chance(20)) account.remove((one) => one === deleted);
	},
	respond: (account) => respondWith(last(account)),
};
