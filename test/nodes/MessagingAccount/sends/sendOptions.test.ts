import { Part } from '../../../../nodes/MessagingAccount/parameters/expressions';
import {
	readDryRun,
	readSendOnceId,
	readRunOptions,
} from '../../../../nodes/MessagingAccount/sends/sendOptions';
import { describeInputError } from '../../../support/inputError';

/** Reads the options of a run with one of them set. */
const readWith = (option: string, value: unknown) =>
	readRunOptions((name, fallback) => (name === option ? value : fallback));

test.each([1, 50, '7'])('Concurrent Sends may be %j', (value) => {
	expect(readWith('concurrency', value).concurrency).toBe(Number(value));
});

test.each([0, 51, -1, 1.5, NaN, 'many', '', ' ', [], null, true])('nor %j', (value) => {
	expect(describeInputError(() => readWith('concurrency', value))).toMatch(
		/^'Concurrent Sends' is not a whole number from 1 to 50: Enter a number in this range/,
	);
});

test.each([0, 0.5, '250', 3_600_000])('a delay may be %j', (value) => {
	expect(readWith('delayBetweenSends', value).delay).toBe(Number(value));
	expect(readWith('randomExtraDelay', value).randomExtraDelay).toBe(Number(value));
});

test.each([-1, 3_600_001, Infinity, '', ' ', true])('a delay may not be %j', (value) => {
	for (const option of ['delayBetweenSends', 'randomExtraDelay'])
		expect(describeInputError(() => readWith(option, value))).toMatch(
			/^'(Delay Between Sends|Random Extra Delay) \(Milliseconds\)' is not a number from 0 to 3600000: Enter a number in this range/,
		);
});

test.each([
	['true', 'true', "'Dry Run' is neither true nor false: Turn it on or off"],
	[undefined, undefined, "'Dry Run' is neither true nor false: Turn it on or off"],
	[false, true, "'Dry Run' is false for this item, but true for the first one: Enter"],
])('Dry Run may not be %j where the first item has %j', (value, first, text) => {
	expect(describeInputError(() => readDryRun(value, first))).toContain(text);
	expect([readDryRun(true, true), readDryRun(false, false)]).toEqual([true, false]);
});

describe('Send Once per ID', () => {
	const read = (value: unknown, ...values: unknown[]) => {
		const parts = values.map((one, i) => new Part(`{{ $json.field${i} }}`, one, () => undefined));
		return readSendOnceId({ value, entered: '', parts }, '12025550143');
	};
	const FILL_IN = 'The cell may be empty: fill it in. If it is not, correct the expression.';
	const SWITCH = 'To have n8n evaluate it, switch the field from Fixed to Expression.';

	test.each(['order-1', '1042 ', 7, 0, 2 ** 53 - 1])('may be %j', (value) => {
		expect(read(value)).toBe(value);
		expect(read(value, value)).toBe(value);
	});

	test.each([[['a']], [{ a: 1 }], [true], [NaN], [2 ** 53]])('may not be %j', (value) => {
		const refusal = describeInputError(() => read(value));
		expect(refusal).toMatch(/^'Send Once per ID' .*: Select the field/);
	});

	test.each(['', ' \n\u00a0', null, undefined])('is off with %j if it is fixed', (value) => {
		expect(read(value)).toBeUndefined();
		expect(describeInputError(() => read(value, value))).toBe(
			`'{{ $json.field0 }}' in 'Send Once per ID' is empty for this item: ${FILL_IN}`,
		);
	});

	test.each([
		['+1 (202) 555-0143', ['+1 (202) 555-0143'], '12025550143'],
		['spring-0012025550143', ['0012025550143'], 'spring-12025550143'],
		['spring-+1 202 555 0143/7', ['+1 202 555 0143', 7], 'spring-12025550143/7'],
		['12025550143@c.us', ['12025550143@c.us'], '12025550143'],
		['+1 202 555 0199', ['+1 202 555 0199'], '+1 202 555 0199'],
		['order-0012', ['0012'], 'order-0012'],
	])('%j of %j is %j: the number of the item counts in any spelling', (value, parts, id) => {
		expect(read(value, ...parts)).toBe(id);
	});

	test('names the part of the expression that gives nothing', () => {
		expect(read('spring-1042', 'spring', 1042)).toBe('spring-1042');
		expect(read('false-0', false, 0)).toBe('false-0');
		expect(describeInputError(() => read('spring-', 'spring', undefined))).toBe(
			`'{{ $json.field1 }}' in 'Send Once per ID' is empty for this item: ${FILL_IN}`,
		);
	});

	test.each([
		['spring-undefined', '{{ $json.field0 }}', `gives 'undefined' for this item: ${FILL_IN}`],
		['spring-NaN', '{{ $json.field0 }}', `gives 'NaN' for this item: ${FILL_IN}`],
		['[object Object]', '{{ $json.field0 }}', `gives '[object Object]' for this item: ${FILL_IN}`],
		['{{ $json.order }}', '{{ $json.order }}', `contains {{: ${SWITCH}`],
	])('may not be %j', (value, named, refusal) => {
		const expected = `'${named}' in 'Send Once per ID' ${refusal}`;
		expect(describeInputError(() => read(value, value))).toBe(expected);
	});
});

test('all options of a run are read', () => {
	const own = { concurrency: 3, randomExtraDelay: 100, maxSends: 7 };
	const others = { delayBetweenSends: 250, pacePerAccount: true, waitForService: 0.5 };
	const options: Record<string, unknown> = { ...own, ...others, includeInputFields: true };
	expect(readRunOptions((name) => options[name])).toEqual({
		...own,
		delay: 250,
		isPerAccount: true,
		includesInput: true,
		waitForService: 30_000,
	});
});
