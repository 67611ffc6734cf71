import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

export const host: Host = {
	about: 'The same without times',
	existing: 300,
	live(account) {
		const deleted = last(account)[20 + account.pick(70)];
		if (account.chance(20)) account.remove((one) => one === deleted);
	},
	respond: (account) => respondWith(last(account), ({ n, text }) => ({ id: uuid(n), text })),
	limit: {
		about:
			'Without times, a message that moves into the list behind known ones looks like one that was missed: the trigger reports a possible gap.',
		allows: ['falseGaps', 'old'],
	},
};
