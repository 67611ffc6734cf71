import type { Host } from '../host';
import { format, last } from '../lists';

export const host: Host = {
	about: 'A second list of users, also when there is no message',
	existing: 0,
	perHour: 3,
	respond: (account) => ({
		body: { users: [{ id: 1 }, { id: 2 }], messages: last(account).map(format) },
	}),
};
