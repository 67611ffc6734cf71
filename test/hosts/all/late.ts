import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Some messages come late, with their old time',
	live(account) {
		for (const message of account.listed.slice(0, 3)) {
			if (account.chance(20) && message.at > account.now - 60_000) message.at -= 3_000_000;
		}
	},
	respond: (account) => respondWith(last(account)),
};
