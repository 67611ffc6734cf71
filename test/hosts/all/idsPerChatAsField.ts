import type { Message } from '../account';
import type { Host } from '../host';
import { last, respondWith } from '../lists';

function formatInChat({ inChat, chat, text }: Message) {
	return { id: inChat, conversation_id: chat, text };
}

export const host: Host = {
	about: 'IDs count per chat, which is a field of its own, and there is no time',
	existing: 0,
	perHour: 6,
	respond: (account) => respondWith(last(account), formatInChat),
	limit: {
		about: 'Without times, the first messages may come out in the order of the list.',
		allows: ['outOfOrder'],
	},
};
