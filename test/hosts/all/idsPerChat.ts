import type { Message } from '../account';
import type { Host } from '../host';
import { last, respondWith } from '../lists';

function formatInChat({ inChat, chat, at, text }: Message) {
	return {
		message_id: inChat,
		date: Math.floor(at / 1000),
		chat: { id: chat, type: 'private' },
		text,
	};
}

export const host: Host = {
	about: 'IDs count per chat, as with bots',
	existing: 3,
	respond: (account) => respondWith(last(account), formatInChat),
};
