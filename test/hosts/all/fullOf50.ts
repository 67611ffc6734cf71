import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Lists the last 50, with large bursts',
	burst: 150,
	respond: (account) => respondWith(last(account, 50)),
};
