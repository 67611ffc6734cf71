import type { Message } from '../account';
import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

function formatInChat({ n, chat, at, text }: Message) {
	return { id: `chat-${chat}`, message: { id: uuid(n), text, timestamp: at } };
}

export const host: Host = {
	about:
		'`id` is that of the chat, `message.id` that of the message, and the account is empty at first',
	existing: 0,
	perHour: 8,
	respond: (account) => respondWith(last(account), formatInChat),
};
