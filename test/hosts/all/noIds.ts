import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Messages without an ID, which do not change',
	respond: (account) => respondWith(last(account), ({ text, at }) => ({ text, timestamp: at })),
};
