import type { Message } from '../account';
import type { Host } from '../host';
import { last, respondWith, uuid } from '../lists';

function formatNested({ n, chat, inChat, at, text }: Message) {
	return {
		id: uuid(n),
		chat: { id: chat },
		from: { id: chat * 7 - inChat },
		date: Math.floor(at / 1000),
		text,
	};
}

export const host: Host = {
	about: 'Numeric IDs of chat and sender one level down, in short lists',
	existing: 1,
	perHour: 4,
	burst: 5,
	respond: (account) => respondWith(last(account, 10), formatNested),
};
