import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Messages change: status, and time of reading',
	live(account) {
		for (const message of last(account, 20)) if (account.chance(10)) message.status++;
	},
	respond: (account) => respondWith(last(account)),
};
