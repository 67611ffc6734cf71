import type { Account, Message } from './account';
import { createService, last, pageOf, uuid, withTime, type Row } from './simulatedService';

/** Neither times nor IDs tell the order. */
const withoutTime = ({ n, text }: Message) => ({ id: uuid(n), text });

/** Those that came until then, the newest first. */
const until = ({ listed }: Account, time: number) => listed.filter(({ at }) => at <= time);

const toSeconds = (at: number) => Math.floor(at / 1000);

/** Rounded to five minutes, in seconds. */
const toFiveMinutes = (at: number) => Math.floor(at / 300_000) * 300;

/** Now and then, everything that a poll may have seen is deleted, or what of that is in a chat. */
const clear = (account: Account, chat?: number) =>
	account.remove((one) => one.at < account.now - 600_000 && one.chat === (chat ?? one.chat));

/** In the soak, polls follow each other within milliseconds. */
const COMBINE = { combineBy: 'chat.id', waitUntilQuiet: 0, waitAtMost: 86_400 };

/** Of the other IDs, 30 are those of existing messages. */
const countReused = (newMessages: number) => newMessages - 470;

const deletesSome: Row = {
	existing: 300,
	live(account) {
		const deleted = last(account)[20 + account.pick(70)];
		if (account.chance(20)) account.remove((one) => one === deleted);
	},
};

const clearsChats: Row = {
	existing: 400,
	live(account) {
		if (account.chance(300)) clear(account, 1000 + account.pick(8));
	},
};

/** What stands above a service says what is special about it, and what it makes of its messages. */
const ROWS: Record<string, Row> = {
	// The order of the list

	// The last 100 messages, newest first, with a text as ID and a time.
	plain: {},
	oldestFirst: { reversed: true },
	// Turns its list round after 100 minutes.
	changesOrder: {
		list: (account) => (account.minute < 100 ? last(account) : last(account).reverse()),
	},
	noTimes: { format: withoutTime },
	// IDs count up.
	numericIdsNoTimes: { format: ({ n, text }) => ({ id: n + 1, text }) },
	// Times equal for some minutes, and equal ones in another order in each answer. Messages of the same time come out in the order of
	// the answer, and some that it does not list are missing.
	tiesInAnyOrder: {
		perHour: 400,
		burst: 110,
		interval: 3,
		list(account) {
			const all = last(account, 300).map((message) => ({ message, rank: account.random() }));
			const timeOf = ({ message }: (typeof all)[0]) => toFiveMinutes(message.at);
			all.sort((a, b) => timeOf(b) - timeOf(a) || a.rank - b.rank);
			return all.slice(0, 100).map(({ message }) => message);
		},
		format: ({ n, text, at }) => ({ id: uuid(n), text, timestamp: toFiveMinutes(at) }),
		allows: { outOfOrder: 0.85, untold: 0.0012, falseGaps: 0.002 },
	},
	// Times as in e-mails.
	mailDates: {
		format: ({ n, text, at }) => ({ id: uuid(n), text, date: new Date(at).toUTCString() }),
	},
	// Sorted by chat, then by time. Messages of several chats come out chat by chat.
	byChat: {
		existing: 40,
		perHour: 10,
		burst: 20,
		list: (account) => last(account).sort((a, b) => a.chat - b.chat || b.at - a.at),
		allows: { outOfOrder: 0.42 },
	},
	// An empty list for two hours.
	emptyAtNight: {
		list: ({ listed, minute }) =>
			minute % 720 > 40 && minute % 720 < 160 ? [] : listed.slice(0, 100),
	},
	fullOf50: { burst: 150, keeps: 50 },
	// A list of 2,000, which is sometimes empty or short.
	longList: {
		existing: 2500,
		perHour: 10,
		interval: 30,
		list: (account) => last(account, account.chance(20) ? account.pick(2) * 10 : 2000),
	},
	tenThousand: { existing: 12_000, perHour: 10, interval: 120, keeps: 10_000 },
	lastDay: {
		perHour: 8,
		interval: 5,
		list: ({ listed, now }) => listed.filter(({ at }) => at > now - 86_400_000),
	},

	// The IDs

	// Now and then a single message with its ID elsewhere, alone on a page.
	idElsewhereOnce: {
		burst: 100,
		pageSize: 40,
		format({ n, at, text }) {
			const id = { id: uuid(n) };
			return { ...(n % 97 ? id : { message: id }), text, sent_at: new Date(at).toISOString() };
		},
	},
	// `id` is that of the chat, `message.id` that of the message, and the account is empty at first.
	idOfChatFirst: {
		existing: 0,
		perHour: 8,
		format: ({ n, chat, at, text }) => ({
			id: `chat-${chat}`,
			message: { id: uuid(n), text, timestamp: at },
		}),
	},
	// As with bots.
	idsPerChat: {
		existing: 3,
		format: ({ inChat, chat, at, text }) => ({
			message_id: inChat,
			date: toSeconds(at),
			chat: { id: chat, type: 'private' },
			text,
		}),
	},
	// The chat is a field of its own, and there is no time: the first messages may come out in the order of the list.
	idsPerChatAsField: {
		existing: 0,
		perHour: 6,
		format: ({ inChat, chat, text }) => ({ id: inChat, conversation_id: chat, text }),
		allows: { outOfOrder: 60 },
	},
	// A message has no chat.
	idsPerSender: {
		existing: 10,
		format: ({ inChat, chat, at, text }) => ({
			id: inChat,
			from: { id: chat, name: `Sender ${chat}` },
			timestamp: at,
			text,
		}),
	},
	// Too long for a number.
	longIds: {
		format: ({ n, text, at }) =>
			`{"id":${10n ** 18n + BigInt(n)},"text":"${text}","timestamp":${at}}`,
		wrap: (messages) => `[${messages.join(',')}]`,
	},
	// Moves the ID to another field after 100 minutes.
	movesId: {
		format: ({ n, text, at }, { minute }) => ({
			[minute < 100 ? 'id' : 'uuid']: uuid(n),
			text,
			timestamp: at,
		}),
	},
	noIds: { format: ({ text, at }) => ({ text, timestamp: at }) },
	plainTexts: { format: ({ text }) => text },
	// IDs start again at 1 after 500 messages. A message with the ID of a known one counts as that one. If its time is later, a warning
	// says so, once.
	reusedIds: {
		format: ({ n, text, at }) => ({ id: (n % 500) + 1, text, timestamp: at }),
		allows: { untold: countReused, passedOver: countReused },
	},
	// Other IDs at each request: every message is new at every poll, and each poll reports a possible gap.
	temporaryIds: {
		perHour: 5,
		interval: 15,
		keeps: 20,
		format: ({ n, text, at }, { minute }) => ({ id: uuid(n * 7919 + minute), text, timestamp: at }),
		allows: { twice: Infinity, old: 230, falseGaps: 10 },
	},

	// The shape of the response

	// No list of messages while there is none, only one of contacts.
	omitsEmptyList: {
		existing: 0,
		perHour: 2,
		wrap: (messages) => ({ contacts: [{ id: 1 }], ...(messages.length > 0 && { messages }) }),
	},
	// A second list of users, also when there is no message.
	twoLists: {
		existing: 0,
		perHour: 3,
		wrap: (messages) => ({ users: [{ id: 1 }, { id: 2 }], messages }),
	},
	// The list in a field, each message in another one.
	wrapped: { wrap: (messages) => ({ data: messages.map((message) => ({ message })) }) },
	// A list of 20, in which messages come up again some places later.
	doubledInListOf20: {
		perHour: 40,
		burst: 20,
		list(account) {
			const messages = last(account, 20);
			for (const message of last(account, 20)) {
				const places = 2 + account.pick(5);
				if (account.chance(4)) messages.splice(messages.indexOf(message) + places, 0, message);
			}
			return messages.slice(0, 20);
		},
	},
	// The messages of a chat become one item. What is held of it comes out after newer messages of others: the option says that it waits.
	combinedByChatOnPages: {
		options: { ...COMBINE, pageParameter: 'page' },
		perHour: 60,
		burst: 120,
		pageSize: 20,
		allows: { outOfOrder: 0.75 },
	},

	// What happens to messages

	// Messages change: status, and time of reading.
	edits: {
		live(account) {
			for (const message of last(account, 20)) if (account.chance(10)) message.status++;
		},
	},
	// Sorted by last change. A message that is changed before a poll comes out last.
	byChange: {
		live(account) {
			const changed = account.listed[5 + account.pick(80)];
			if (changed && account.chance(30)) {
				changed.status++;
				account.moveToFront(changed);
			}
		},
		allows: { outOfOrder: 0.008 },
	},
	// The same, and somebody reads messages from before the first poll, which it did not list: their own times prove their age.
	readFromBefore: {
		existing: 300,
		live(account) {
			const read = account.listed[50 + account.pick(200)];
			if (read && account.chance(15)) {
				read.status++;
				account.moveToFront(read);
			}
		},
		allows: { outOfOrder: 0.01 },
	},
	// The same, and each of many messages is read some hours later. What changes pushes out what is new: nothing tells of a message that
	// was never listed. One that was missed comes out when it is read.
	readLater: {
		perHour: 380,
		live(account) {
			const minutesAgo = (minutes: number) => account.now - minutes * 60_000;
			account.remove(({ at }) => at < minutesAgo(480));
			const read = account.listed.filter(
				({ n, at, status }) => status === 0 && at < minutesAgo(120 + ((n * 7919) % 180)),
			);
			for (const message of read) message.status++;
			account.moveToFront(...read);
		},
		allows: { untold: 0.12, outOfOrder: 0.042, falseGaps: 0.008 },
	},
	// Now and then an old message is bumped to the top. One that is bumped before a poll comes out last.
	bumped: {
		live(account) {
			const bumped = account.listed[10 + account.pick(15)];
			if (account.chance(60)) account.moveToFront(bumped);
		},
		allows: { outOfOrder: 0.01 },
	},
	// Some messages come late, with their old time.
	late: {
		live(account) {
			for (const message of account.listed.slice(0, 3)) {
				if (account.chance(20) && message.at > account.now - 60_000) message.at -= 3_000_000;
			}
		},
	},
	// Single messages are deleted, and older ones move into the list.
	deletions: deletesSome,
	deletionsNoTimes: { ...deletesSome, format: withoutTime },
	// Everything is deleted now and then.
	clearedAccount: {
		live(account) {
			if (account.chance(400)) clear(account);
		},
	},
	// A whole chat is cleared, and older messages move into the list.
	clearedChats: clearsChats,
	clearedChatsNoTimes: { ...clearsChats, format: withoutTime },
	pinnedOnTop: { burst: 100, pageSize: 30, pins: true },
	// In front of the oldest one on the list.
	twoPinnedInFront: {
		burst: 120,
		reversed: true,
		list: (account) => [...last(account, 50), ...account.messages.slice(2, 4)],
	},
	pinnedOnTopOnePage: { burst: 120, keeps: 99, pins: true },
	// The first messages may come out in the order of the list, and a gap may be reported once too often.
	pinnedNoTimes: {
		burst: 120,
		keeps: 49,
		pins: true,
		format: withoutTime,
		allows: { outOfOrder: 90, falseGaps: 0.002 },
	},
	// The first messages may come out in the order of the list.
	pinnedPagesNoTimes: {
		burst: 120,
		pageSize: 30,
		pins: true,
		format: withoutTime,
		allows: { outOfOrder: 60 },
	},

	// Pages

	// Without an end.
	pagesOfAll: { burst: 120, pageSize: 20 },
	pagesOldestFirst: { burst: 120, pageSize: 20, reversed: true },
	// 0 stands for 1.
	pagesFromOne: {
		burst: 100,
		pageSize: 25,
		list: ({ listed }, page) => pageOf(listed, Math.max(page - 1, 0), 25),
	},
	pagesOfLast100: { burst: 150, pageSize: 50, keeps: 100 },
	last100NoTimes: { burst: 150, perHour: 300, pageSize: 50, keeps: 100, format: withoutTime },
	// The first page for every page number.
	ignoresPages: { burst: 90, pageSize: 50, list: (account) => last(account, 50) },
	// Further pages fail for 90 minutes of four hours.
	failingFurtherPages: {
		burst: 100,
		pageSize: 20,
		instead: ({ minute }, page) => (page > 0 && minute % 240 < 90 ? { status: 500 } : undefined),
	},
	// Keeps the messages of an hour, and responds with 404 behind the last page.
	status404AfterLastPage: {
		existing: 5,
		burst: 100,
		pageSize: 20,
		live: (account) => account.remove(({ at }) => at < account.now - 3_600_000),
		instead: ({ listed }, page) =>
			page > 0 && listed.length <= page * 20 ? { status: 404 } : undefined,
	},

	// Answers that lack something

	// Further pages come from a replica that is a minute behind: what it lacked comes out late.
	laggingReplica: {
		burst: 100,
		pageSize: 50,
		list: (account, page) =>
			pageOf(until(account, page === 0 ? Infinity : account.now - 60_001), page, 50),
		allows: { outOfOrder: 0.15 },
	},
	// Some requests go to a replica that is minutes behind.
	laggingReplicas: {
		list(account) {
			const isBehind = account.random() < 0.3;
			return until(account, account.now - (isBehind ? 600_000 : 0) + 59_999).slice(0, 50);
		},
	},
	// One of two is up to 90 s behind. What a replica lacked comes out late, or not at all if a list of others comes meanwhile.
	twoReplicas: {
		perHour: 200,
		burst: 180,
		interval: 1,
		list: (account) =>
			until(account, account.now - account.pick(2) * account.random() * 90_000).slice(0, 100),
		allows: { outOfOrder: 0.0025, untold: 0.0002 },
	},
	// A random part of the list is missing in one answer of ten: it comes out when it is first listed, perhaps after later messages.
	missingParts: {
		perHour: 136,
		burst: 180,
		list(account) {
			const isPart = account.chance(10);
			return last(account).filter(() => !isPart || account.random() < 0.5);
		},
		allows: { untold: 0.0005, outOfOrder: 0.15, falseGaps: 0.002 },
	},
	// A random part of the list: the same, also for messages that are older than the first poll.
	randomParts: {
		existing: 80,
		perHour: 10,
		burst: 10,
		list: (account) => last(account, 80).filter(() => account.random() < 0.7),
		allows: { old: 50, outOfOrder: 0.3, falseGaps: 0.015 },
	},
	// Fails in many ways: web pages, half answers, 429.
	fails: {
		instead: (account) =>
			[
				{ body: '<html>Just a moment</html>' },
				{ status: 429, headers: { 'retry-after': '600' } },
				{ body: { error: 'not connected' } },
				{ body: JSON.stringify(last(account).map(withTime)).slice(0, -20) },
			][account.pick(12)],
	},
};

/** All simulated services, by name. */
export const SERVICES = Object.fromEntries(
	Object.entries(ROWS).map(([name, row]) => [name, createService(row)]),
);
