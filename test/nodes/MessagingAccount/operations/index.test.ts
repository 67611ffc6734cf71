import { readTimeout } from '../../../../nodes/MessagingAccount/operations/timeout';
import { refusalOf } from '../../../support/refusal';

const LONGEST = 2 ** 31 - 1;

test.each([
	[1, 1],
	[1.5, 1.5],
	['250', 250],
	[LONGEST, LONGEST],
])('Timeout may be %j', (value, expected) => {
	expect(readTimeout(() => value, 0)).toBe(expected);
});

test('Timeout is a minute unless it is set', () => {
	expect(readTimeout((_name, _itemIndex, fallback) => fallback, 0)).toBe(60_000);
});

test.each([0, 0.5, -1, LONGEST + 1, 'soon', '', null])('Timeout may not be %j', (value) => {
	expect(refusalOf(() => readTimeout(() => value, 0))).toMatch(
		/^'Timeout' is not .* from 1 to 2147483647: Enter one, e\.g\. 60000/,
	);
});
