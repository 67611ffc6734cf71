import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

export const host: Host = {
	about: 'Neither times nor IDs tell the order, newest at the end',
	respond: (account) =>
		respondWith(last(account).reverse(), ({ n, text }) => ({ id: uuid(n), text })),
};
