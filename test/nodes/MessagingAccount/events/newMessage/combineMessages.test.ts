import type { IDataObject } from 'n8n-workflow';

import {
	combineMessages,
	readCombineOptions,
	type HeldMessage,
} from '../../../../../nodes/MessagingAccount/events/newMessage/combineMessages';

const OPTIONS = { field: 'from', quietMs: 60_000, maxMs: 300_000 };
/** As in the module. */
const MAX_HELD = 1000;

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 1) + seconds * 1000).toISOString();
const message = <T>(from: T, text: string) => ({ from, text });

type Poll = [seconds: number, found: unknown[]];

/** Returns the items of each poll. */
function play(polls: Poll[], options = OPTIONS): IDataObject[][] {
	let held: HeldMessage[] = [];
	return polls.map(([seconds, found]) => {
		const result = combineMessages(held, found, at(seconds), options);
		held = result.held;
		return result.items;
	});
}

describe('the messages of one sender', () => {
	/** Polls: the second, and the texts that it finds, a letter for each. */
	const parse = (polls: string): Poll[] =>
		polls.split(' ').map((poll) => {
			const [seconds, letters] = poll.split(':');
			return [Number(seconds), [...letters].map((text) => message('49', text))];
		});

	test.each([
		['once the sender has been quiet', '0:a 60:b 120:', [0, 0, 2]],
		['also if polls are not quite on time', '0:ab 55:', [0, 2]],
		['not before', '0:ab 54: 108:', [0, 0, 2]],
		['not if a poll is at the same time', '0:ab 0: 60:', [0, 0, 2]],
		['not while more are found', '0:a 120:b 180:', [0, 0, 2]],
		['all of them when the first one has waited long enough', '0:a 240:b 295:c', [0, 0, 3]],
		['not while the first one may wait', '0:a 240:b 294:c 354:', [0, 0, 0, 3]],
		['after a pause of polls', '0:ab 9999:', [0, 2]],
		['not if a poll that began before ends after it', '60:ab 50: 120:', [0, 0, 2]],
		['if the clock was set back', '1000:ab 0:', [0, 2]],
	])('come out %s', (_when, polls, counts) => {
		expect(play(parse(polls)).map(([item]) => item?.count ?? 0)).toEqual(counts);
	});

	test('become one item, the oldest first, also at the first poll if there is nothing to wait for', () => {
		const item = { by: '49', count: 2, messages: [message('49', 'a'), message('49', 'b')] };
		expect(play(parse('0:a 60:b 120:'))[2]).toEqual([item]);
		expect(play(parse('0:ab'), { ...OPTIONS, maxMs: 0 })[0]).toEqual([item]);
		expect(play(parse('0:ab 60:'), { ...OPTIONS, quietMs: 0 })).toEqual([[], [item]]);
	});
});

test('without the option, messages are emitted immediately, even with a field that has no name', () =>
	expect(play([[0, [{ '': '49' }]]], { ...OPTIONS, field: '' })).toEqual([[{ '': '49' }]]));

const NO_SENDERS = [undefined, null, '', {}, [], 'a'.repeat(1001)];
test.each(NO_SENDERS)('a message whose field is %j comes out by itself, at once', (from) =>
	expect(play([[0, [message(from, 'a'), message('49', 'b')]]])).toEqual([[{ from, text: 'a' }]]),
);

test('a number and its text are the same value', () => {
	const [item] = play([
		[0, [message(49, 'a'), message('49', 'b')]],
		[60, []],
	])[1];
	expect(item).toMatchObject({ by: 49, count: 2 });
});

test('a full store lets the oldest messages out, with those of the same sender', () => {
	const rows = Array.from({ length: MAX_HELD - 1 }, (_, i) => message(`${i % 500}`, `${i}`));
	const [first, second] = play([
		[0, rows],
		[10, [message('x', ''), message('y', '')]],
	]);
	expect(first).toEqual([]);
	expect(second).toEqual([{ by: '0', count: 2, messages: [rows[0], rows[500]] }]);
});

test.each([
	['two', 2, 400_000, 0],
	['three', 3, 400_000, 1],
	['one', 1, 1_200_000, 1],
])('%s long messages are held up to a million characters', (_many, count, length, out) => {
	const long = Array.from({ length: count }, (_, i) => message(`${i}`, 'x'.repeat(length)));
	expect(play([[0, long]])[0]).toHaveLength(out);
});

test('a full store keeps those whose sender writes, if others come out anyway', () => {
	const busy = Array.from({ length: MAX_HELD - 1 }, (_, i) => message('busy', `${i}`));
	const [first, second] = play([
		[0, [...busy, message('quiet', '')]],
		[60, [message('busy', 'more')]],
	]);
	expect(first).toEqual([]);
	expect(second).toEqual([{ by: 'quiet', count: 1, messages: [message('quiet', '')] }]);
});

describe('the options', () => {
	const read = (options: IDataObject) =>
		readCombineOptions((name, fallback) => options[name] ?? fallback);

	test('are in seconds, with defaults', () => {
		expect(read({ combineBy: ' from ' })).toEqual(OPTIONS);
		const options = read({ combineBy: 'from', waitUntilQuiet: 5, waitAtMost: '10' });
		expect(options).toEqual({ field: 'from', quietMs: 5000, maxMs: 10_000 });
	});

	test.each(['waitUntilQuiet', 'waitAtMost'])('%s must be a number', (name) => {
		expect(() => read({ combineBy: 'from', [name]: 'soon' })).toThrow("'Wait ");
		expect(() => read({ [name]: 'soon' })).not.toThrow();
	});
});
