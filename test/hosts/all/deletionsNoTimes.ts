import type { Host } from '../host';
import { last, respondWith, withoutTime } from '../lists';
import { host as withTimes } from './deletions';

export const host: Host = {
	...withTimes,
	about: 'The same without times',
	respond: (account) => respondWith(last(account), withoutTime),
	limit: {
		about:
			'Without times, a message that moves into the list behind known ones looks like one that was missed: the trigger reports a possible gap.',
		allows: ['falseGaps', 'old'],
	},
};
