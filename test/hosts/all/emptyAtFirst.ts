import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'An empty account at first, with large bursts',
	existing: 0,
	perHour: 1,
	burst: 150,
	respond: (account) => respondWith(last(account)),
};
