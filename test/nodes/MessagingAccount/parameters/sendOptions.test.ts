import {
	readSendOnceId,
	readThrottleOptions,
} from '../../../../nodes/MessagingAccount/parameters/sendOptions';
import { describeInputError } from '../../../support/inputError';
import { createReader } from '../../../support/readParameter';

/** Reads the options of a run with one of them set. */
const readWith = (option: string, value: unknown) =>
	readThrottleOptions(
		createReader((name, _itemIndex, fallback) => (name === `options.${option}` ? value : fallback)),
	);

test.each([
	[1, 1],
	[50, 50],
	['7', 7],
])('Concurrent Sends may be %j', (value, expected) => {
	expect(readWith('concurrency', value).concurrency).toBe(expected);
});

test.each([0, 51, -1, 1.5, NaN, 'many', '', [], null, true])(
	'Concurrent Sends may not be %j',
	(value) => {
		expect(describeInputError(() => readWith('concurrency', value))).toMatch(
			/^'Concurrent Sends' .* from 1 to 50: Enter a number in this range/,
		);
	},
);

test.each([
	[0, 0],
	[0.5, 0.5],
	['250', 250],
	[3_600_000, 3_600_000],
])('a delay may be %j', (value, expected) => {
	expect(readWith('delayBetweenSends', value).delay).toBe(expected);
});

test.each([-1, NaN, Infinity, 3_600_001, 'soon', '', ' ', [], null])(
	'a delay may not be %j',
	(value) => {
		expect(describeInputError(() => readWith('randomExtraDelay', value))).toMatch(
			/^'Random Extra Delay \(Ms\)' .* 3600000: Enter a number in this range/,
		);
	},
);

describe.each(['', undefined])('Send Once per ID (text around an expression: %j)', (textAround) => {
	const read = (value: unknown) =>
		readSendOnceId(
			createReader(() => value, { textAround }),
			0,
		);

	test.each([
		['order-1', 'order-1'],
		[7, 7],
		[0, 0],
		[2 ** 53 - 1, 2 ** 53 - 1],
	])('reads %j as %j', (value, expected) => {
		expect(read(value)).toBe(expected);
	});

	test.each([[['a']], [{ a: 1 }], [true], [NaN], [2 ** 53]])('may not be %j', (value) => {
		expect(describeInputError(() => read(value))).toMatch(
			/^'Send Once per ID' .*: Select the field/,
		);
	});

	test.each(['', ' \n\u00a0', null, undefined])(
		'is off with %j only if no expression was entered',
		(value) => {
			if (textAround === undefined) return expect(read(value)).toBeUndefined();
			return expect(describeInputError(() => read(value))).toBe(
				"The expression in 'Send Once per ID' gives nothing for this item: Select a field that holds an ID in every item, e.g. an order number, or remove the option.",
			);
		},
	);
});

test('Send Once per ID says which expression n8n cannot evaluate', () => {
	const read = createReader(() => {
		throw new Error('Referenced node does not exist');
	});
	expect(describeInputError(() => readSendOnceId(read, 0))).toMatch(
		/^n8n cannot evaluate the expression in 'Send Once per ID': n8n says: “Referenced node does not exist”\. Select/,
	);
});

test('all throttle options are read for the first item', () => {
	const options: Record<string, unknown> = {
		'options.concurrency': 3,
		'options.delayBetweenSends': 250,
		'options.randomExtraDelay': 100,
	};
	const read = (name: string, itemIndex: number) => (itemIndex === 0 ? options[name] : undefined);
	expect(readThrottleOptions(createReader(read))).toEqual({
		concurrency: 3,
		delay: 250,
		randomExtraDelay: 100,
	});
});
