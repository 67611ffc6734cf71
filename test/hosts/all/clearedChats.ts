import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'A whole chat is cleared, and older messages move into the list',
	existing: 400,
	live(account) {
		const seen = account.now - 600_000;
		if (!account.chance(300)) return;
		const chat = 1000 + account.pick(8);
		account.remove((one) => one.chat === chat && one.at < seen);
	},
	respond: (account) => respondWith(last(account)),
};
