import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

export const host: Host = {
	about: 'Neither times nor IDs tell the order, newest first',
	respond: (account) => respondWith(last(account), ({ n, text }) => ({ id: uuid(n), text })),
};
