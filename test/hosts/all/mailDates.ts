import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

export const host: Host = {
	about: 'Times as in e-mails',
	respond: (account) =>
		respondWith(last(account), ({ n, text, at }) => ({
			id: uuid(n),
			text,
			date: new Date(at).toUTCString(),
		})),
};
