import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Everything is deleted now and then',
	live(account) {
		const seen = account.now - 600_000;
		if (account.chance(400)) account.remove((one) => one.at < seen);
	},
	respond: (account) => respondWith(last(account)),
};
