import type { Host } from '../host';
import { format, last } from '../lists';

export const host: Host = {
	about: 'The list two levels down',
	respond: (account) => ({
		body: { success: true, data: { items: last(account).map(format), total: 1 } },
	}),
};
