import {
	readConcurrency,
	readDelay,
	readSendOnceId,
} from '../../../../nodes/MessagingAccount/sends/options';

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
		expect(() => readConcurrency(value)).toThrow("'Concurrent Sends'");
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

test.each([-1, NaN, Infinity, 3_600_001, 'soon', '', [], null])(
	'Delay Between Sends may not be %j',
	(value) => {
		expect(() => readDelay(value)).toThrow("'Delay Between Sends'");
	},
);

test.each([
	['order-1', 'order-1'],
	[7, 7],
	[0, 0],
	['', undefined],
	['  ', undefined],
	[null, undefined],
	[undefined, undefined],
])('Send Once per ID takes %j as %j', (value, expected) => {
	expect(readSendOnceId(value)).toBe(expected);
});

test.each([[['a']], [{ a: 1 }], [true], [NaN]])('Send Once per ID may not be %j', (value) => {
	expect(() => readSendOnceId(value)).toThrow("'Send Once per ID'");
});
