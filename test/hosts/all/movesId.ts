import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

export const host: Host = {
	about: 'Moves the ID to another field after some hours',
	respond: (account) =>
		respondWith(last(account), (one) =>
			account.minute < 600
				? { id: uuid(one.n), text: one.text, timestamp: one.at }
				: { uuid: uuid(one.n), text: one.text, timestamp: one.at },
		),
};
