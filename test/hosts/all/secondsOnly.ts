import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

export const host: Host = {
	about: 'Times in seconds, equal for many messages',
	respond: (account) =>
		respondWith(last(account), ({ n, text, at }) => ({
			id: uuid(n),
			text,
			timestamp: Math.floor(at / 1000),
		})),
};
