import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'A list of 10,000',
	existing: 12_000,
	perHour: 10,
	interval: 120,
	respond: (account) => respondWith(last(account, 10_000)),
};
