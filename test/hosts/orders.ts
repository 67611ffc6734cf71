import type { Host } from './host';
import { last, LIST_LENGTH, respondWith, uuid, withoutTime } from './lists';

const plain: Host = {
	about: 'The last 100 messages, newest first, with a text as ID and a time',
	respond: (account) => respondWith(last(account)),
};

const oldestFirst: Host = {
	about: 'The newest at the end',
	respond: (account) => respondWith(last(account).reverse()),
};

const changesOrder: Host = {
	about: 'Turns its list round after some hours',
	respond: (account) => respondWith(account.minute < 200 ? last(account) : last(account).reverse()),
};

const noTimes: Host = {
	about: 'Neither times nor IDs tell the order, newest first',
	respond: (account) => respondWith(last(account), withoutTime),
};

const noTimesOldestFirst: Host = {
	about: 'Neither times nor IDs tell the order, newest at the end',
	respond: (account) => respondWith(last(account).reverse(), withoutTime),
};

const numericIdsNoTimes: Host = {
	about: 'IDs count up, and there is no time',
	respond: (account) => respondWith(last(account), ({ n, text }) => ({ id: n + 1, text })),
};

const secondsOnly: Host = {
	about: 'Times in seconds, equal for many messages',
	respond: (account) =>
		respondWith(last(account), ({ n, text, at }) => ({
			id: uuid(n),
			text,
			timestamp: Math.floor(at / 1000),
		})),
};

const tiesInAnyOrder: Host = {
	about: 'Times equal for some minutes, and equal ones in another order in each answer',
	perHour: 400,
	burst: 110,
	interval: 3,
	respond(account) {
		const recent = last(account, 300).map((message) => ({
			message,
			seconds: Math.floor(message.at / 300_000) * 300,
			rank: account.random(),
		}));
		recent.sort((a, b) => b.seconds - a.seconds || a.rank - b.rank);
		return {
			body: recent.slice(0, LIST_LENGTH).map(({ message: { n, text }, seconds }) => ({
				id: uuid(n),
				text,
				timestamp: seconds,
			})),
		};
	},
	limit: {
		about:
			'Messages of the same time come out in the order of the answer, and some that it does not list are missing.',
		allows: { outOfOrder: 0.85, untold: 0.0012, falseGaps: 0.002 },
	},
};

const mailDates: Host = {
	about: 'Times as in e-mails',
	respond: (account) =>
		respondWith(last(account), ({ n, text, at }) => ({
			id: uuid(n),
			text,
			date: new Date(at).toUTCString(),
		})),
};

const byChat: Host = {
	about: 'Sorted by chat, then by time',
	existing: 40,
	perHour: 10,
	burst: 20,
	respond: (account) => respondWith(last(account).sort((a, b) => a.chat - b.chat || b.at - a.at)),
	limit: {
		about: 'Messages of several chats come out chat by chat.',
		allows: { outOfOrder: 0.42 },
	},
};

const emptyAtFirst: Host = {
	about: 'An empty account at first, with large bursts',
	existing: 0,
	perHour: 1,
	burst: 150,
	respond: (account) => respondWith(last(account)),
};

const emptyAtNight: Host = {
	about: 'An empty list for some hours',
	respond: (account) =>
		respondWith(account.minute % 720 > 100 && account.minute % 720 < 250 ? [] : last(account)),
};

const fullOf50: Host = {
	about: 'Lists the last 50, with large bursts',
	burst: 150,
	respond: (account) => respondWith(last(account, 50)),
};

const longList: Host = {
	about: 'A list of 2,000, which is sometimes empty or short',
	existing: 2500,
	perHour: 10,
	interval: 30,
	respond(account) {
		const length = account.chance(20) ? account.pick(2) * 10 : 2000;
		return respondWith(last(account, length));
	},
};

const tenThousand: Host = {
	about: 'A list of 10,000',
	existing: 12_000,
	perHour: 10,
	interval: 120,
	respond: (account) => respondWith(last(account, 10_000)),
};

const lastDay: Host = {
	about: 'All messages of the last 24 hours',
	perHour: 8,
	interval: 5,
	respond: (account) =>
		respondWith(account.listed.filter(({ at }) => at > account.now - 86_400_000)),
};

export const orders: Record<string, Host> = {
	plain,
	oldestFirst,
	changesOrder,
	noTimes,
	noTimesOldestFirst,
	numericIdsNoTimes,
	secondsOnly,
	tiesInAnyOrder,
	mailDates,
	byChat,
	emptyAtFirst,
	emptyAtNight,
	fullOf50,
	longList,
	tenThousand,
	lastDay,
};
