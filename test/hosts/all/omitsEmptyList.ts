import type { Host } from '../host';
import { format, last } from '../lists';

export const host: Host = {
	about: 'No list of messages while there is none, only one of contacts',
	existing: 0,
	perHour: 2,
	respond: (account) => ({
		body: {
			contacts: [{ id: 1 }],
			...(account.listed.length > 0 && { messages: last(account).map(format) }),
		},
	}),
};
