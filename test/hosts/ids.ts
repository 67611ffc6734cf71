import type { Message } from './account';
import type { Host } from './host';
import { last, page, respondWith, uuid } from './lists';

function formatSome({ n, at, text }: Message) {
	const sent_at = new Date(at).toISOString();
	return n % 97 === 0
		? { message: { id: uuid(n) }, text, sent_at }
		: { id: uuid(n), text, sent_at };
}

const idElsewhereOnce: Host = {
	about: 'Now and then a single message with its ID elsewhere, alone on a page',
	options: { pageParameter: 'page' },
	burst: 100,
	respond: (account, index) => respondWith(page(account, index, 40), formatSome),
};

function formatWithIdOfChat({ n, chat, at, text }: Message) {
	return { id: `chat-${chat}`, message: { id: uuid(n), text, timestamp: at } };
}

const idOfChatFirst: Host = {
	about:
		'`id` is that of the chat, `message.id` that of the message, and the account is empty at first',
	existing: 0,
	perHour: 8,
	respond: (account) => respondWith(last(account), formatWithIdOfChat),
};

function formatNested({ n, chat, inChat, at, text }: Message) {
	return {
		id: uuid(n),
		chat: { id: chat },
		from: { id: chat * 7 - inChat },
		date: Math.floor(at / 1000),
		text,
	};
}

const idsInChatAndSender: Host = {
	about: 'Numeric IDs of chat and sender one level down, in short lists',
	existing: 1,
	perHour: 4,
	burst: 5,
	respond: (account) => respondWith(last(account, 10), formatNested),
};

function formatInChat({ inChat, chat, at, text }: Message) {
	return {
		message_id: inChat,
		date: Math.floor(at / 1000),
		chat: { id: chat, type: 'private' },
		text,
	};
}

const idsPerChat: Host = {
	about: 'IDs count per chat, as with bots',
	existing: 3,
	respond: (account) => respondWith(last(account), formatInChat),
};

function formatInConversation({ inChat, chat, text }: Message) {
	return { id: inChat, conversation_id: chat, text };
}

const idsPerChatAsField: Host = {
	about: 'IDs count per chat, which is a field of its own, and there is no time',
	existing: 0,
	perHour: 6,
	respond: (account) => respondWith(last(account), formatInConversation),
	limit: {
		about: 'Without times, the first messages may come out in the order of the list.',
		allows: { outOfOrder: 60 },
	},
};

function formatOfSender({ inChat, chat, at, text }: Message) {
	return { id: inChat, from: { id: chat, name: `Sender ${chat}` }, timestamp: at, text };
}

const idsPerSender: Host = {
	about: 'IDs count per sender, and a message has no chat',
	existing: 10,
	respond: (account) => respondWith(last(account), formatOfSender),
};

const longIds: Host = {
	about: 'Numeric IDs too long for a number',
	respond: (account) => ({
		body: `[${last(account)
			.map(
				({ n, text, at }) => `{"id":${10n ** 18n + BigInt(n)},"text":"${text}","timestamp":${at}}`,
			)
			.join(',')}]`,
	}),
};

const movesId: Host = {
	about: 'Moves the ID to another field after some hours',
	respond: (account) =>
		respondWith(last(account), (one) =>
			account.minute < 200
				? { id: uuid(one.n), text: one.text, timestamp: one.at }
				: { uuid: uuid(one.n), text: one.text, timestamp: one.at },
		),
};

const noIds: Host = {
	about: 'Messages without an ID, which do not change',
	respond: (account) => respondWith(last(account), ({ text, at }) => ({ text, timestamp: at })),
};

const plainTexts: Host = {
	about: 'Messages are plain texts',
	respond: (account) => respondWith(last(account), ({ text }) => text),
};

/** Of the other IDs, 30 are those of existing messages. */
const countReused = (newMessages: number) => newMessages - 470;

const reusedIds: Host = {
	about: 'IDs start again at 1 after 500 messages',
	existing: 30,
	respond: (account) =>
		respondWith(last(account), ({ n, text, at }) => ({ id: (n % 500) + 1, text, timestamp: at })),
	limit: {
		about:
			'A message with the ID of a known one counts as that one. If its time is later, a warning says so, once.',
		allows: { untold: countReused, passedOver: countReused },
	},
};

const temporaryIds: Host = {
	about: 'Other IDs at each request',
	perHour: 5,
	interval: 15,
	respond: (account) =>
		respondWith(last(account, 20), ({ n, text, at }) => ({
			id: uuid(n * 7919 + account.minute),
			text,
			timestamp: at,
		})),
	limit: {
		about: 'Every message is new at every poll, and each poll reports a possible gap.',
		allows: { twice: Infinity, old: 230 },
	},
};

export const ids: Record<string, Host> = {
	idElsewhereOnce,
	idOfChatFirst,
	idsInChatAndSender,
	idsPerChat,
	idsPerChatAsField,
	idsPerSender,
	longIds,
	movesId,
	noIds,
	plainTexts,
	reusedIds,
	temporaryIds,
};
