import { diffMessages } from '../../../../../nodes/MessagingAccount/events/newMessage/comparison';
import { findOrder } from '../../../../../nodes/MessagingAccount/events/newMessage/orderAcrossPolls';
import type { PollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

/** A state whose order is certain: the newest first. */
const STATE: PollState = {
	account: '',
	known: [],
	idField: 'id',
	idEvidence: 10,
	order: 6,
	asked: '',
	polledAt: '',
};

/** A time in ms since 1970: the others do not count as one. */
const toTime = (n: number) => 1_700_000_000_000 + n;

const keysOf = (messages: Array<{ key: string }>) => messages.map(({ key }) => key).join(' ');

const timesOf = (times: Partial<NonNullable<PollState['times']>>) => ({
	field: 'date',
	oldest: toTime(0),
	newest: toTime(9),
	...times,
});

/** Messages as a list: a key for each, perhaps with its time, e.g. `b2 a1`. */
const parse = (text: string) =>
	text.split(' ').map((one) => {
		const [, key, time] = /^([a-z]+)(\d*)$/.exec(one)!;
		return { key, message: { key, ...(time && { date: toTime(Number(time)) }) } };
	});

/**
 * Compares pages with what is known.
 *
 * @param pages separated by slashes, the newest first
 * @param known keys, the oldest first
 */
const compare = (pages: string, known: string, state: Partial<PollState> = {}) =>
	diffMessages(pages.split('/').map(parse), {
		...STATE,
		known: known.split(' ').filter(Boolean),
		...state,
	});

test('the first poll lists everything, the oldest first, each message once', () => {
	const diff = diffMessages([parse('b2 a1 b2 a1')], undefined);
	const { listed, newMessages, hasGap, newestKnown, next } = diff;
	expect(keysOf(listed)).toBe('a b');
	expect(keysOf(newMessages)).toBe('a b');
	expect(hasGap).toBe(false);
	expect(next.known).toEqual(['a', 'b']);
	expect(newestKnown).toBe('');
});

describe('new is', () => {
	test.each([
		['what is not known', 'c b a', 'a b', 'c'],
		['what came between known ones', 'c x b a', 'a b c', 'x'],
		['not what stands behind known ones', 'c b a y x', 'a b', 'c'],
		['not what stands behind the only known one', 'b a x', 'a', 'b'],
		['what stands behind a single known one of several: it may be pinned', 'p c b', 'p a', 'b c'],
		['not what stands behind known ones, if it has no time', 'c3 b2 a1 x', 'a b', 'c'],
		['not what stands behind known ones, if these have no time', 'c3 b2 a x1', 'a b', 'c'],
		['not what is older than known ones', 'c3 b2 a1 x0', 'a b', 'c'],
		['what is as old as known ones', 'b2 a1 x1', 'a b', 'x'],
		['what is newer than a pinned one, wherever it stands', 'p1 c3 b2', 'p', 'b c'],
		['what stands between a pinned one and a known one', 'p z y x c', 'p a b c', 'x y z'],
		['everything if nothing is known', 'c b a', '', 'a b c'],
		['everything if nothing of what is known is listed', 'c3 b2', 'a', 'b c'],
	])('%s', (_what, listed, known, expected) => {
		expect(keysOf(compare(listed, known).newMessages)).toBe(expected);
	});

	test('what stands behind known ones while the order is not certain', () => {
		expect(keysOf(compare('c b a x', 'a b', { order: 2 }).newMessages)).toBe('x c');
		expect(keysOf(compare('c b a x', 'a b', { order: 3 }).newMessages)).toBe('c');
	});

	test('not what is as old as the first poll, or older', () => {
		const times = timesOf({ oldest: toTime(5) });
		expect(keysOf(compare('c7 b6 x4', 'a', { times }).newMessages)).toBe('b c');
		expect(keysOf(compare('c9 b5 x5', 'b', { times }).newMessages)).toBe('c');
		expect(keysOf(compare('c9 x5 b5', 'b', { times }).newMessages)).toBe('x c');
		const other = { ...times, field: 'sent_at' };
		expect(keysOf(compare('c7 b6 x4', 'a', { times: other }).newMessages)).toBe('x b c');
		const onlyOne = timesOf({ oldest: toTime(5), newest: toTime(5) });
		expect(keysOf(compare('c5 b5 x5', 'b', { times: onlyOne }).newMessages)).toBe('x c');
	});

	test('not what is older than the first poll, wherever it stands, once times have proved themselves', () => {
		const compareWith = (proof: number, oldest = toTime(3)) =>
			compare('x1 b7 a5', 'a', { times: timesOf({ oldest, proof }) });
		expect(keysOf(compareWith(10).newMessages)).toBe('b');
		const next = { known: ['x', 'a', 'b'] };
		expect(compareWith(10)).toMatchObject({ outdated: 1, next });
		expect(keysOf(compareWith(9).newMessages)).toBe('b x');
		expect(keysOf(compareWith(10, toTime(1)).newMessages)).toBe('b');
		expect(keysOf(compareWith(10, toTime(0)).newMessages)).toBe('b x');
	});

	test('as it is at its newer position, if it is listed twice', () =>
		expect(compare('b3 a2 b1', 'a').newMessages).toMatchObject(parse('b3')));

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
		['not if they follow on older ones', 'c9 p8 b7 x6', 'p a', false],
		['if nothing of what is known is listed', 'd c', 'a b', true],
		['if only one is, which was not the newest', 'd a', 'a b', true],
		['if only a pinned one is, in front of the new ones', 'p d c', 'p a b', true],
		['not if fewer of them are listed than known ones', 'e b a', 'a b c d', false],
		['if only pinned ones are, behind the new ones', 'e5 d4 q1 p0', 'p q a b c', true],
		['if messages without times stand behind known ones', 'b a x', 'a b', true],
	])('%s', (_when, listed, known, expected) => {
		expect(compare(listed, known).hasGap).toBe(expected);
		// What stands behind known ones cannot be on further pages.
		if (!listed.endsWith('x')) expect(compare(listed, known).needsMore).toBe(expected);
	});

	test('not if the only known one may be the newest, because the order is not known', () => {
		const diff = compare('c a', 'a b', { order: 0 });
		expect(diff).toMatchObject({ hasGap: false, needsMore: false });
	});

	test('after an empty list with as many messages as a page usually has', () => {
		const pageOf = (count: number) =>
			Array.from({ length: count }, (_, i) => ({ key: `m${i}`, message: i }));
		const compared = [0, 1, 10, 24, 25, 50, 99, 100].map((count) => {
			return { count, ...diffMessages([pageOf(count)], STATE) };
		});
		const withGap = compared.filter(({ hasGap }) => hasGap);
		expect(withGap.map(({ count }) => count)).toEqual([10, 25, 50, 100]);
		expect(compared.filter(({ needsMore }) => !needsMore)).toMatchObject([{ count: 0 }]);
	});

	test('once: not again while further pages are missing', () => {
		const state = { recheckAfter: 'a' };
		expect(compare('d c', 'a c d', state)).toMatchObject({ hasGap: false, needsMore: true });
		expect(compare('e d c/b', 'a c d', state)).toMatchObject({ hasGap: false, needsMore: true });
		expect(compare('e d c/b a', 'a c d', state)).toMatchObject({ hasGap: false, needsMore: false });
		expect(compare('f e', 'a c d', state)).toMatchObject({ hasGap: true, needsMore: true });
	});

	test('until a known message is found that was not a single older one: it may be pinned', () => {
		const state = { recheckAfter: 'b' };
		expect(compare('e d c/x a', 'a b c d', state).needsMore).toBe(true);
		expect(compare('e d c/x b', 'a b c d', state).needsMore).toBe(false);
		expect(compare('e d c/x a', 'a b c d', { ...state, order: 0 }).needsMore).toBe(false);
	});

	test('until the end of the list, if nothing was known before it', () =>
		expect(compare('d c/b', 'c d', { recheckAfter: '' }).needsMore).toBe(true));
});

describe('what is known', () => {
	test('keeps its order, with new keys behind and old ones in front', () => {
		expect(compare('p c b a x', 'p a b').next.known).toEqual(['x', 'p', 'a', 'b', 'c']);
		expect(compare('p c b a x', 'p a b').newestKnown).toBe('b');
		expect(compare('c3 b2 a1 x0', 'a b').next.known).toEqual(['x', 'a', 'b', 'c']);
	});

	test('has what an earlier poll missed in its place', () => {
		const { next } = compare('e d c/b', 'a c d', { recheckAfter: 'a' });
		expect(next.known).toEqual(['a', 'b', 'c', 'd', 'e']);
	});

	test('is put into the order of the list when that is found out', () => {
		const { next, newestKnown } = compare('d c b', 'b c a', { order: 0 });
		expect(next.known).toEqual(['a', 'b', 'c', 'd']);
		expect(newestKnown).toBe('c');
	});
});

describe('times', () => {
	test('of the oldest message of the first poll and of the newest message are kept', () => {
		const { times } = diffMessages([parse('c3 b2 a1')], undefined).next;
		expect(times).toMatchObject({ field: 'date', oldest: toTime(1), newest: toTime(3) });
		expect(diffMessages([parse('c3 b a1')], undefined).next.times).toEqual(times);
		expect(compare('d4 b2', 'c b', { times }).next.times).toMatchObject({
			oldest: toTime(1),
			newest: toTime(4),
		});
		expect(compare('b2 a0', 'c b', { times }).next.times).toMatchObject({
			oldest: toTime(1),
			newest: toTime(3),
		});
		expect(compare('b a', 'a', { times }).next.times).toEqual(times);
		expect(compare('d2 c9 b1', 'b', { times }).next.times?.newest).toBe(toTime(9));
		expect(compare('b2 a1', '').next.times?.oldest).toBeUndefined();
		// In no certain order, a message of any place may be the oldest.
		expect(diffMessages([parse('c3 d4 b2 a1')], undefined).next.times?.oldest).toBe(toTime(1));
		// In a certain one, a quarter may be pinned.
		const twelve = 'l12 k11 j10 i9 h8 g7 f6 e5 d4 c3 b2 a1';
		expect(diffMessages([parse(twelve)], undefined).next.times?.oldest).toBe(toTime(4));
	});

	test('of the first poll count even if they are equal, unless there is only one', () => {
		expect(diffMessages([parse('b5 a5')], undefined).next.times?.oldest).toBe(toTime(5));
		expect(diffMessages([parse('a5')], undefined).next.times).toBeUndefined();
		expect(compare('b5 a5', 'a').next.times).toBeUndefined();
	});

	test('later than all before show that an ID was used again', () => {
		const times = timesOf({ newest: toTime(2) });
		expect(compare('b3 a2', 'a b', { times }).reused).toBe(1);
		expect(compare('b2 a1', 'a b', { times }).reused).toBe(0);
		expect(compare('c3 a1', 'a b', { times }).reused).toBe(0);
		expect(compare('b3 a2', 'a b').reused).toBe(0);
	});
});

const letters = (text: string) => [...text].map((key) => ({ key, message: key }));

describe('the order of a list', () => {
	/** @param pages a letter for each message; capital ones are known, in the order of the alphabet */
	const find = (
		pages: string,
		order = 0,
		{
			byTime,
			...state
		}: Partial<PollState> & { byTime?: [order: number, netVotes?: number, count?: number] } = {},
	) => {
		const [orderByTime = 0, netVotes = 1, count = 10] = byTime ?? [];
		return findOrder(
			pages.split('/').map(letters),
			{ order: orderByTime, netVotes, count },
			{ ...STATE, known: [...'ABCDEFGH'], order, ...state },
		);
	};

	test('is certain by many times, whatever else is known', () => {
		expect(find('xBA', 6, { byTime: [-1, 7] })).toEqual({ order: -6, isCertain: true });
		expect(find('xBA', 6, { byTime: [-1, 6] })).toEqual({ order: 6, isCertain: true });
		expect(find('xBA', 6, { byTime: [-1, 8, 9] })).toEqual({ order: 6, isCertain: true });
		expect(find('xBA', 6, { byTime: [0, 50] })).toEqual({ order: 6, isCertain: true });
	});

	test('is that of few times while nothing else tells', () => {
		expect(find('yx', 0, { byTime: [1] })).toEqual({ order: 1, isCertain: false });
		expect(find('ABx', 0, { byTime: [1] }).order).toBe(-1);
		expect(find('AB', -1, { byTime: [1] }).order).toBe(-1);
	});

	test.each([
		['nothing tells', 'yx', 0, 0, false],
		['nothing tells', 'AB', 0, 0, false],
		['a poll agrees', 'xBA', 0, 1, false],
		['a poll agrees', 'xBA', 3, 4, true],
		['a poll agrees', 'ABx', -6, -6, true],
		['a poll contradicts', 'BAx', 3, 2, true],
		['a poll contradicts', 'BAx', 1, -1, false],
		['a poll tells nothing', 'BA', 4, 4, true],
		['a poll tells as much for it as against it', 'xBAx', 4, 4, true],
		['a known message stands far from a pinned one', 'AxxxC', 6, 6, true],
		['a single known message contradicts: it may be pinned', 'Axx', 1, 1, false],
		['a single known message tells, and nothing else has', 'Axx', 0, -1, false],
		['known messages are listed the other way round', 'AB', 6, -1, false],
		['known messages are listed the other way round', 'BA', -6, 1, false],
		['pages overlap', 'AC/BD', -6, -6, true],
		['one of several pages is listed the other way round', 'DA/BC', 6, 6, true],
		['a further page tells', 'yx/wBA', 0, 1, false],
		['a further page agrees', 'yx/wBA', 2, 3, false],
	])('if %s: %s, from %d to %d', (_if, pages, stored, order, isCertain) => {
		expect(find(pages, stored)).toEqual({ order, isCertain });
	});

	test('is told by the only known message if no other one was known', () =>
		expect(find('Axx', 1, { known: ['A'] }).order).toBe(-1));

	test('is told only by the first page after pages that could not be read', () => {
		const state = { recheckAfter: 'A' };
		expect(find('DC/BxA', 2, state).order).toBe(2);
		expect(find('DC/Bx', 2, state).order).toBe(2);
		expect(find('xDC/Bx', 2, state).order).toBe(3);
		expect(find('DC/Bx', 0, state).order).toBe(-1);
	});
});
