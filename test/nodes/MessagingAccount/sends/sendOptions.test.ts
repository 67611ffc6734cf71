import {
	readConcurrency,
	readDelay,
	readSendOnceId,
	readThrottleOptions,
} from '../../../../nodes/MessagingAccount/sends/sendOptions';
import { describeInputError } from '../../../support/inputError';

test.each([
	[1, 1],
	[50, 50],
	['7', 7],
])('Concurrent Sends may be %j', (value, expected) => {
	expect(readConcurrency(value)).toBe(expected);
});

test.each([0, 51, -1, 1.5, NaN, 'many', '', [], null, true])(
	'Concurrent Sends may not be %j',
	(value) => {
		expect(describeInputError(() => readConcurrency(value))).toMatch(
			/^'Concurrent Sends' .* from 1 to 50: Enter a number in this range/,
		);
	},
);

test.each([
	[0, 0],
	[0.5, 0.5],
	['250', 250],
	[3_600_000, 3_600_000],
])('Delay Between Sends may be %j', (value, expected) => {
	expect(readDelay(value)).toBe(expected);
});

test.each([-1, NaN, Infinity, 3_600_001, 'soon', '', ' ', [], null])(
	'Delay Between Sends may not be %j',
	(value) => {
		expect(describeInputError(() => readDelay(value))).toMatch(
			/^'Delay Between Sends' .* 3600000: Enter a number in this range/,
		);
	},
);

test.each([
	['order-1', 'order-1'],
	[7, 7],
	[0, 0],
	[2 ** 53 - 1, 2 ** 53 - 1],
	['', undefined],
	['  ', undefined],
	[null, undefined],
	[undefined, undefined],
])('Send Once per ID reads %j as %j', (value, expected) => {
	expect(readSendOnceId(value)).toBe(expected);
});

test.each([[['a']], [{ a: 1 }], [true], [NaN], [2 ** 53]])(
	'Send Once per ID may not be %j',
	(value) => {
		expect(describeInputError(() => readSendOnceId(value))).toMatch(
			/^'Send Once per ID' .*: Select the field/,
		);
	},
);

test('both throttle options are read for the first item', () => {
	const options: Record<string, unknown> = {
		'options.concurrency': 3,
		'options.delayBetweenSends': 250,
	};
	const read = (name: string, itemIndex: number) => (itemIndex === 0 ? options[name] : undefined);
	expect(readThrottleOptions(read)).toEqual({ concurrency: 3, delay: 250 });
});
