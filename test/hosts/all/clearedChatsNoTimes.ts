import type { Host } from '../host';
import { last, respondWith, withoutTime } from '../lists';
import { host as withTimes } from './clearedChats';

export const host: Host = {
	...withTimes,
	about: 'A whole chat is cleared, and there are no times',
	respond: (account) => respondWith(last(account), withoutTime),
	limit: {
		about:
			'Without times, messages that move into the list behind known ones look like some that were missed: the trigger reports a possible gap, and emits them while the order of the list is not certain.',
		allows: ['falseGaps', 'old'],
	},
};
