import { diffMessages } from '../../../../../nodes/MessagingAccount/events/newMessage/diffMessages';
import type { PollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

/** A state whose order is certain: the newest first. */
const STATE: PollState = {
	account: '',
	known: [],
	idField: 'id',
	idEvidence: 10,
	longestList: 0,
	newestFirst: true,
	orderEvidence: 6,
};

const keysOf = (messages: Array<{ key: string }>) => messages.map(({ key }) => key).join(' ');

/** Messages as a list: a key for each, perhaps with its time, e.g. `b2 a1`. */
const parse = (text: string) =>
	text
		.split(' ')
		.filter(Boolean)
		.map((word) => {
			const [, key, time] = /^([a-z]+)(\d*)$/.exec(word)!;
			return { key, message: { key, ...(time && { date: Number(time) }) } };
		});

/**
 * Compares pages with what is known.
 *
 * @param pages separated by slashes, the newest first
 * @param known keys, the oldest first
 */
function compare(pages: string, known: string, state: Partial<PollState> = {}) {
	return diffMessages(pages.split('/').map(parse), {
		...STATE,
		known: known.split(' ').filter(Boolean),
		...state,
	});
}

test('the first poll lists everything, the oldest first, each message once', () => {
	const { listed, newMessages, known, newestKnown } = diffMessages(
		[parse('b2 a1 b2 a1')],
		undefined,
	);
	expect(keysOf(listed)).toBe('a b');
	expect(keysOf(newMessages)).toBe('a b');
	expect(known).toEqual(['a', 'b']);
	expect(newestKnown).toBe('');
});

describe('new is', () => {
	test.each([
		['what is not known', 'c b a', 'a b', 'c'],
		['what came between known ones', 'c x b a', 'a b c', 'x'],
		['nothing', 'b a', 'a b', ''],
		['not what stands behind known ones', 'c b a y x', 'a b', 'c'],
		['not what stands behind the only known one', 'b a x', 'a', 'b'],
		['what stands behind a single known one of several: it may be pinned', 'p c b', 'p a', 'b c'],
		['not what is older than known ones', 'c3 b2 a1 x0', 'a b', 'c'],
		['not what is as old as known ones', 'b2 a1 x1', 'a b', ''],
		['what is newer than a pinned one, wherever it stands', 'p1 c3 b2', 'p', 'b c'],
		['everything if nothing is known', 'c b a', '', 'a b c'],
		['everything if nothing of what is known is listed', 'c3 b2', 'a', 'b c'],
	])('%s', (_what, listed, known, expected) => {
		expect(keysOf(compare(listed, known).newMessages)).toBe(expected);
	});

	test('what stands behind known ones while the order is not certain', () => {
		expect(keysOf(compare('c b a x', 'a b', { orderEvidence: 2 }).newMessages)).toBe('x c');
		expect(keysOf(compare('c b a x', 'a b', { orderEvidence: 3 }).newMessages)).toBe('c');
	});

	test('not what is older than the first poll, if nothing of what is known is listed', () => {
		const oldest = { field: 'date', time: 5 };
		expect(keysOf(compare('c6 b5 x4', 'a', { oldest }).newMessages)).toBe('b c');
		const other = { field: 'sent_at', time: 5 };
		expect(keysOf(compare('c6 b5 x4', 'a', { oldest: other }).newMessages)).toBe('x b c');
	});

	test('what an earlier poll missed, although it is older than what is known', () => {
		const state = { recheckAfter: 'a' };
		expect(keysOf(compare('d4 c3/b2', 'a c d', state).newMessages)).toBe('b');
		expect(keysOf(compare('d4 c3/b2 a1 x0', 'a c d', state).newMessages)).toBe('b');
	});
});

describe('a gap is possible', () => {
	test.each([
		['not if the new messages follow on the newest known one', 'c b', 'a b', false],
		['not if they follow on two known ones', 'd b a', 'a b c', false],
		['not without new messages', 'a', 'a b c', false],
		['not if they follow on older ones', 'c9 p8 b7 x6', 'p a', false],
		['if nothing of what is known is listed', 'd c', 'a b', true],
		['if only one is, which was not the newest', 'd a', 'a b', true],
		['if only a pinned one is, in front of the new ones', 'p d c', 'p a b', true],
		['if messages without times stand behind known ones', 'b a x', 'a b', true],
	])('%s', (_when, listed, known, expected) => {
		expect(compare(listed, known).hasGap).toBe(expected);
		// What stands behind known ones cannot be on further pages.
		if (!listed.endsWith('x')) expect(compare(listed, known).needsMore).toBe(expected);
	});

	test('not if the only known one may be the newest, because the order is not known', () => {
		expect(compare('c a', 'a b', { newestFirst: undefined }).hasGap).toBe(false);
	});

	test.each([
		[1, false],
		[10, true],
		[24, false],
		[25, true],
		[50, true],
		[99, false],
		[100, true],
	])('after an empty list with %d messages: %s', (count, expected) => {
		const names = Array.from(
			{ length: count },
			(_, i) => `m${'abcdefghij'[Math.floor(i / 10)]}${'abcdefghij'[i % 10]}`,
		);
		const diff = compare(names.join(' '), '');
		expect(diff.hasGap).toBe(expected);
		expect(diff.needsMore).toBe(true);
	});

	test('once: not again while further pages are missing', () => {
		const state = { recheckAfter: 'a' };
		expect(compare('d c', 'a c d', state)).toMatchObject({ hasGap: false, needsMore: true });
		expect(compare('e d c/b', 'a c d', state)).toMatchObject({ hasGap: false, needsMore: true });
		expect(compare('e d c/b a', 'a c d', state)).toMatchObject({ hasGap: false, needsMore: false });
		expect(compare('f e', 'a c d', state)).toMatchObject({ hasGap: true, needsMore: true });
	});

	test('until the end of the list, if nothing was known before it', () => {
		expect(compare('d c/b', 'c d', { recheckAfter: '' }).needsMore).toBe(true);
	});
});

describe('what is known', () => {
	test('keeps its order, with new keys behind and old ones in front', () => {
		expect(compare('p c b a x', 'p a b').known).toEqual(['x', 'p', 'a', 'b', 'c']);
		expect(compare('p c b a x', 'p a b').newestKnown).toBe('b');
	});

	test('is put into the order of the list when that is found out', () => {
		const { known, newestKnown } = compare('d c b', 'b c a', { newestFirst: undefined });
		expect(known).toEqual(['a', 'b', 'c', 'd']);
		expect(newestKnown).toBe('c');
	});

	test('is limited to 1,000, or as many as the longest list had', () => {
		const many = Array.from({ length: 1000 }, (_, i) => `k${i}`);
		const known = (longestList: number) =>
			diffMessages([parse('b a')], { ...STATE, known: ['old', 'a', ...many], longestList }).known;
		expect(known(0)).toEqual(['a', ...many.slice(2), 'b']);
		expect(known(1003)).toEqual(['old', 'a', ...many, 'b']);
		expect(compare('b a', 'a', { longestList: 7 }).longestList).toBe(7);
		expect(compare('b a', 'a', { longestList: 1 }).longestList).toBe(2);
	});
});

describe('times', () => {
	test('of the oldest and the newest message are returned', () => {
		expect(compare('c3 b2 a1', 'a')).toMatchObject({
			oldest: { field: 'date', time: 1 },
			newest: { field: 'date', time: 3 },
		});
	});

	test('keep the newest one of earlier polls', () => {
		const newest = { field: 'date', time: 9 };
		expect(compare('b2 a1', 'a', { newest }).newest).toEqual(newest);
		expect(compare('b a', 'a', { newest }).newest).toBeUndefined();
	});

	test('later than all before show that an ID was used again', () => {
		const newest = { field: 'date', time: 2 };
		expect(compare('b3 a2', 'a b', { newest }).reused).toBe(1);
		expect(compare('b2 a1', 'a b', { newest }).reused).toBe(0);
		expect(compare('c3 a1', 'a b', { newest }).reused).toBe(0);
		expect(compare('b3 a2', 'a b').reused).toBe(0);
	});
});
