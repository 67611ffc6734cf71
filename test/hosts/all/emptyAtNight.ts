import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'An empty list at night',
	respond: (account) =>
		respondWith(account.minute % 1440 > 200 && account.minute % 1440 < 500 ? [] : last(account)),
};
