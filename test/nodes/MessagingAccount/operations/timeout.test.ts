import { readTimeout } from '../../../../nodes/MessagingAccount/operations/timeout';
import { describeInputError } from '../../../support/inputError';
import { createReader } from '../../../support/readParameter';

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

test.each([
	[1, 1],
	[1.5, 1.5],
	['250', 250],
	[MAX_TIMEOUT_MS, MAX_TIMEOUT_MS],
])('Timeout may be %j', (value, expected) => {
	expect(
		readTimeout(
			createReader(() => value),
			0,
		),
	).toBe(expected);
});

test('Timeout is a minute by default', () => {
	expect(
		readTimeout(
			createReader((_name, _itemIndex, fallback) => fallback),
			0,
		),
	).toBe(60_000);
});

test.each([0, 0.5, -1, MAX_TIMEOUT_MS + 1, 'soon', '', null])('Timeout may not be %j', (value) => {
	expect(
		describeInputError(() =>
			readTimeout(
				createReader(() => value),
				0,
			),
		),
	).toMatch(
		/^'Timeout' is not .* from 1 to 2147483647: Enter a number in this range, e\.g\. 60000/,
	);
});
