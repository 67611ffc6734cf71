import type { Host } from '../host';
import { format, last } from '../lists';

export const host: Host = {
	about: 'The list in a field, each message in another one',
	respond: (account) => ({
		body: { data: last(account).map((one) => ({ message: format(one) })) },
	}),
};
