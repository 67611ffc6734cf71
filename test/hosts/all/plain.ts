import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'The last 100 messages, newest first, with a text as ID and a time',
	respond: (account) => respondWith(last(account)),
};
