import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'One message is listed twice, once',
	burst: 180,
	respond(account) {
		const messages = last(account);
		return respondWith(account.minute % 700 < 3 ? [messages[0], ...messages] : messages);
	},
};
