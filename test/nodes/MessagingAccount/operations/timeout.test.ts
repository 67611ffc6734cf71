import { readTimeout } from '../../../../nodes/MessagingAccount/operations/timeout';
import { describeInputError } from '../../../support/inputError';
import { createReader } from '../../../support/readParameter';

const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const read = (value: unknown) => {
	const reader = createReader((_name, _itemIndex, fallback) =>
		value === undefined ? fallback : value,
	);
	return readTimeout(reader, 0);
};

// Undefined is not set.
test.each([
	[1, 1],
	[1.5, 1.5],
	['250', 250],
	[MAX_TIMEOUT_MS, MAX_TIMEOUT_MS],
	[undefined, 60_000],
])('Timeout of %j is %d ms', (value, expected) => {
	expect(read(value)).toBe(expected);
});

test.each([0, 0.5, -1, MAX_TIMEOUT_MS + 1, 'soon', '', null])('Timeout may not be %j', (value) => {
	expect(describeInputError(() => read(value))).toMatch(
		/^'Timeout' is not .* from 1 to 2147483647: Enter a number in this range, e\.g\. 60000/,
	);
});
