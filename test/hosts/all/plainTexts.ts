import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Messages are plain texts',
	respond: (account) => respondWith(last(account), ({ text }) => text),
};
