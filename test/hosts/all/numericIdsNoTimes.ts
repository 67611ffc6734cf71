import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'IDs count up, and there is no time',
	respond: (account) => respondWith(last(account), ({ n, text }) => ({ id: n + 1, text })),
};
