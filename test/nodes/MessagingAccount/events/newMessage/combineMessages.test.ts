import type { IDataObject } from 'n8n-workflow';

import {
	combineMessages,
	readCombineOptions,
	takeTestItem,
	type HeldMessage,
} from '../../../../../nodes/MessagingAccount/events/newMessage/combineMessages';
import { caseCount } from '../../../../support/cases';
import fc from '../../../../support/fastCheck';

const OPTIONS = { field: 'from', quietMs: 60_000, maxMs: 300_000 };
/** As in the module. */
const TOLERANCE_MS = 5000;
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
	const [a, b, c] = ['a', 'b', 'c'].map((text) => message('49', text));

	test.each<[string, Poll[], number[]]>([
		[
			'once the sender has been quiet',
			[
				[0, [a]],
				[60, [b]],
				[120, []],
			],
			[0, 0, 2],
		],
		[
			'also if polls are not quite on time',
			[
				[0, [a, b]],
				[57, []],
			],
			[0, 2],
		],
		[
			'not before',
			[
				[0, [a, b]],
				[50, []],
				[110, []],
			],
			[0, 0, 2],
		],
		[
			'not while more are found',
			[
				[0, [a]],
				[120, [b]],
				[180, []],
			],
			[0, 0, 2],
		],
		[
			'all of them when the first one has waited long enough',
			[
				[0, [a]],
				[240, [b]],
				[300, [c]],
			],
			[0, 0, 3],
		],
		[
			'after a pause of polls',
			[
				[0, [a, b]],
				[9999, []],
			],
			[0, 2],
		],
		[
			'if the clock was set back',
			[
				[1000, [a, b]],
				[0, []],
			],
			[0, 2],
		],
	])('come out %s', (_when, polls, counts) => {
		const items = play(polls);
		expect(items.map(([item]) => item?.count ?? 0)).toEqual(counts);
	});

	test('become one item, the oldest first', () => {
		expect(
			play([
				[0, [a]],
				[60, [b]],
				[120, []],
			])[2],
		).toEqual([{ by: '49', count: 2, messages: [a, b] }]);
	});

	test('come out at the first poll if there is nothing to wait for', () => {
		expect(play([[0, [a, b]]], { ...OPTIONS, maxMs: 0 })[0]).toEqual([
			{ by: '49', count: 2, messages: [a, b] },
		]);
	});
});

test.each([undefined, null, '', {}, []])(
	'a message whose field is %j comes out by itself, at once',
	(from) => {
		expect(play([[0, [message(from, 'a'), message('49', 'b')]]])).toEqual([[{ from, text: 'a' }]]);
	},
);

test('a number and its text are the same value', () => {
	const [item] = play([
		[0, [message(49, 'a'), message('49', 'b')]],
		[60, []],
	])[1];
	expect(item).toMatchObject({ by: 49, count: 2 });
});

test('what is held comes out by itself when the option is turned off', () => {
	const { held } = combineMessages([], [message('49', 'a')], at(0), OPTIONS);
	const off = { field: '', quietMs: 0, maxMs: 0 };
	expect(combineMessages(held, ['new'], at(60), off)).toEqual({
		items: [{ from: '49', text: 'a' }, { value: 'new' }],
		held: [],
	});
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

test('a full store keeps those whose sender writes, if others come out anyway', () => {
	const busy = Array.from({ length: MAX_HELD - 1 }, (_, i) => message('busy', `${i}`));
	const [, second] = play([
		[0, [...busy, message('quiet', '')]],
		[60, [message('busy', 'more')]],
	]);
	expect(second).toEqual([{ by: 'quiet', count: 1, messages: [message('quiet', '')] }]);
});

test('nothing is lost or repeated, nothing is held for too long, and nothing comes out too soon', () => {
	const FROM = fc.constantFrom('1', '2', '3', undefined);
	const POLL = fc.record({
		pause: fc.integer({ min: -10, max: 200 }),
		found: fc.array(FROM, { maxLength: 4 }),
	});
	const WAITS = fc.record({ quietMs: fc.nat(150_000), maxMs: fc.nat(600_000) });
	fc.assert(
		fc.property(fc.array(POLL, { maxLength: 20 }), WAITS, (polls, waits) => {
			const options = { field: 'from', ...waits };
			const found: string[] = [];
			const out: IDataObject[] = [];
			let held: HeldMessage[] = [];
			let seconds = 0;
			for (const poll of polls) {
				seconds += poll.pause;
				const messages = poll.found.map((from) => message(from, `${found.push('') - 1}`));
				messages.forEach(({ from, text }) => (found[Number(text)] = from ?? ''));
				const before = [
					...held,
					...messages.map((one) => ({ message: one, foundAt: at(seconds) })),
				];
				const result = combineMessages(held, messages, at(seconds), options);
				held = result.held;
				for (const item of result.items) {
					out.push(...((item.messages as IDataObject[] | undefined) ?? [item]));
				}
				for (const from of ['1', '2', '3']) {
					const isOf = (one: HeldMessage) => (one.message as IDataObject).from === from;
					const group = before.filter(isOf);
					if (group.length === 0) continue;
					const ages = group.map(({ foundAt }) => Date.parse(at(seconds)) - Date.parse(foundAt));
					const isDue = (age: number, ms: number) => age < 0 || age >= ms - TOLERANCE_MS;
					const isQuiet = !poll.found.includes(from as '1') && isDue(ages.at(-1)!, options.quietMs);
					const isReleased = isQuiet || isDue(ages[0], options.maxMs);
					expect(held.filter(isOf)).toEqual(isReleased ? [] : group);
				}
			}
			out.push(...held.map((one) => one.message as IDataObject));
			expect(out).toHaveLength(found.length);
			for (const from of ['1', '2', '3', '']) {
				const texts = out
					.filter((one) => (one.from ?? '') === from)
					.map(({ text }) => Number(text));
				expect(texts).toEqual(found.flatMap((one, i) => (one === from ? [i] : [])));
			}
		}),
		{ numRuns: caseCount(2000) },
	);
});

test.each<[string, unknown[], IDataObject]>([
	[
		'all of the sender',
		[message('1', 'a'), message('2', 'b'), message('1', 'c')],
		{ by: '1', count: 2 },
	],
	['one without a sender', [message('1', 'a'), message('', 'b')], { text: 'b' }],
])('in a test, the latest message comes out with %s', (_what, messages, expected) => {
	expect(takeTestItem(messages, OPTIONS)).toMatchObject(expected);
});

describe('the options', () => {
	const read = (options: IDataObject) =>
		readCombineOptions((name, fallback) => options[name] ?? fallback);

	test('are in seconds, with defaults', () => {
		expect(read({ combineBy: ' from ' })).toEqual(OPTIONS);
		expect(read({ combineBy: 'from', waitUntilQuiet: 5, waitAtMost: '10' })).toEqual({
			field: 'from',
			quietMs: 5000,
			maxMs: 10_000,
		});
	});

	test.each(['waitUntilQuiet', 'waitAtMost'])('%s must be a number', (name) => {
		expect(() => read({ combineBy: 'from', [name]: 'soon' })).toThrow("'Wait ");
		expect(() => read({ [name]: 'soon' })).not.toThrow();
	});
});
