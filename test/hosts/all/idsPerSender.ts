import type { Message } from '../account';
import type { Host } from '../host';
import { last, respondWith } from '../lists';

function formatOfSender({ inChat, chat, at, text }: Message) {
	return { id: inChat, from: { id: chat, name: `Sender ${chat}` }, timestamp: at, text };
}

export const host: Host = {
	about: 'IDs count per sender, and a message has no chat',
	existing: 10,
	respond: (account) => respondWith(last(account), formatOfSender),
};
