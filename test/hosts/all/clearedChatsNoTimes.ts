import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

export const host: Host = {
	about: 'A whole chat is cleared, and there are no times',
	existing: 400,
	live(account) {
		const seen = account.now - 600_000;
		if (!account.chance(300)) return;
		const chat = 1000 + account.pick(8);
		account.remove((one) => one.chat === chat && one.at < seen);
	},
	respond: (account) => respondWith(last(account), ({ n, text }) => ({ id: uuid(n), text })),
	limit: {
		about:
			'Without times, messages that move into the list behind known ones look like some that were missed: the trigger reports a possible gap, and emits them while the order of the list is not certain.',
		allows: ['falseGaps', 'old'],
	},
};
