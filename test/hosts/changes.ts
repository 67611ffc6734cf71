import type { Host } from './host';
import { last, page, respondWith, withoutTime } from './lists';

const edits: Host = {
	about: 'Messages change: status, and time of reading',
	live(account) {
		for (const message of last(account, 20)) if (account.chance(10)) message.status++;
	},
	respond: (account) => respondWith(last(account)),
};

const byChange: Host = {
	about: 'Sorted by last change',
	live(account) {
		const changed = account.listed[5 + account.pick(80)];
		if (changed && account.chance(30)) {
			changed.status++;
			account.moveToFront(changed);
		}
	},
	respond: (account) => respondWith(last(account)),
	limit: {
		about: 'A message that is changed before a poll comes out last.',
		allows: { outOfOrder: 0.008 },
	},
};

const readLater: Host = {
	about: 'Sorted by last change, and each of many messages is read some hours later',
	perHour: 380,
	live(account) {
		account.remove(({ at }) => at < account.now - 28_800_000);
		const read = account.listed.filter(
			({ n, at, status }) => status === 0 && at < account.now - (120 + ((n * 7919) % 180)) * 60_000,
		);
		for (const message of read) message.status++;
		account.moveToFront(...read);
	},
	respond: (account) => respondWith(last(account)),
	limit: {
		about:
			'What changes pushes out what is new: nothing tells of a message that was never listed. One that was missed comes out when it is read.',
		allows: { untold: 0.12, outOfOrder: 0.04, falseGaps: 0.008 },
	},
};

const bumped: Host = {
	about: 'Now and then an old message is bumped to the top',
	live(account) {
		const bumped = account.listed[10 + account.pick(15)];
		if (account.chance(60)) account.moveToFront(bumped);
	},
	respond: (account) => respondWith(last(account)),
	limit: {
		about: 'A message that is bumped before a poll comes out last.',
		allows: { outOfOrder: 0.01 },
	},
};

const late: Host = {
	about: 'Some messages come late, with their old time',
	live(account) {
		for (const message of account.listed.slice(0, 3)) {
			if (account.chance(20) && message.at > account.now - 60_000) message.at -= 3_000_000;
		}
	},
	respond: (account) => respondWith(last(account)),
};

const deletions: Host = {
	about: 'Single messages are deleted, and older ones move into the list',
	existing: 300,
	live(account) {
		const deleted = last(account)[20 + account.pick(70)];
		if (account.chance(20)) account.remove((one) => one === deleted);
	},
	respond: (account) => respondWith(last(account)),
};

const deletionsNoTimes: Host = {
	...deletions,
	about: 'The same without times',
	respond: (account) => respondWith(last(account), withoutTime),
};

const clearedAccount: Host = {
	about: 'Everything is deleted now and then',
	live(account) {
		const seen = account.now - 600_000;
		if (account.chance(400)) account.remove((one) => one.at < seen);
	},
	respond: (account) => respondWith(last(account)),
};

const clearedChats: Host = {
	about: 'A whole chat is cleared, and older messages move into the list',
	existing: 400,
	live(account) {
		const seen = account.now - 600_000;
		if (!account.chance(300)) return;
		const chat = 1000 + account.pick(8);
		account.remove((one) => one.chat === chat && one.at < seen);
	},
	respond: (account) => respondWith(last(account)),
};

const clearedChatsNoTimes: Host = {
	...clearedChats,
	about: 'A whole chat is cleared, and there are no times',
	respond: (account) => respondWith(last(account), withoutTime),
};

const pinnedOnTop: Host = {
	about: 'A pinned message on top, whatever comes',
	options: { pageParameter: 'page' },
	burst: 100,
	respond(account, index) {
		const pinned = account.messages[3];
		return respondWith([...(index === 0 ? [pinned] : []), ...page(account, index, 30)]);
	},
};

const pinnedOnTopOnePage: Host = {
	about: 'The same with a single page',
	burst: 120,
	respond: (account) => respondWith([account.messages[3], ...last(account, 99)]),
};

const pinnedNoTimes: Host = {
	about: 'A pinned message on top, and no times',
	burst: 120,
	respond: (account) => respondWith([account.messages[3], ...last(account, 49)], withoutTime),
	limit: {
		about:
			'Without times, the first messages may come out in the order of the list, and a gap may be reported once too often.',
		allows: { outOfOrder: 90, falseGaps: 0.002 },
	},
};

const pinnedPagesNoTimes: Host = {
	about: 'A pinned message on top of the first page, and no times',
	options: { pageParameter: 'page' },
	burst: 120,
	respond: (account, index) =>
		respondWith(
			[...(index === 0 ? [account.messages[3]] : []), ...page(account, index, 30)],
			withoutTime,
		),
	limit: {
		about: 'Without times, the first messages may come out in the order of the list.',
		allows: { outOfOrder: 60 },
	},
};

export const changes: Record<string, Host> = {
	edits,
	byChange,
	readLater,
	bumped,
	late,
	deletions,
	deletionsNoTimes,
	clearedAccount,
	clearedChats,
	clearedChatsNoTimes,
	pinnedOnTop,
	pinnedOnTopOnePage,
	pinnedNoTimes,
	pinnedPagesNoTimes,
};
