import fc from 'fast-check';

import { readPhoneNumber } from '../../../../nodes/MessagingAccount/parameters/phoneNumber';
import { describeInputError } from '../../../support/inputError';

describe('Number', () => {
	test.each([
		['4915123456789', '4915123456789'],
		[4915123456789, '4915123456789'],
		[0, '0'],
		['+49 (151) 234-567.89', '4915123456789'],
		[' 49\u00a0151\u202f23 \n', '4915123'],
	])('%j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		'49a151',
		'49151,49152',
		'49151\n49152',
		'49151\t49152',
		'٤٩١٥١',
		'49151/49152',
		-49151,
		49.151,
		1e21,
		Number.NaN,
		true,
		null,
		undefined,
		['49151'],
		{ number: '49151' },
	])('%j is refused', (entered) => {
		expect(describeInputError(() => readPhoneNumber(entered))).toMatch(
			/^'Number' is not a phone number: Enter one number .* e\.g\. \+1 202/,
		);
	});

	test.each(['', '  ', '+', '( )'])('%j is empty', (entered) => {
		expect(describeInputError(() => readPhoneNumber(entered))).toBe(
			"'Number' is empty: Enter the recipient's number.",
		);
	});

	test('keeps the digits and drops the allowed separators', () => {
		const separator = fc.constantFrom('', '+', ' ', '(', ')', '-', '.');
		const digit = fc.integer({ min: 0, max: 9 }).map(String);
		fc.assert(
			fc.property(fc.array(fc.tuple(separator, digit, separator), { minLength: 1 }), (parts) => {
				const entered = parts.map((part) => part.join('')).join('');
				expect(readPhoneNumber(entered)).toBe(parts.map(([, d]) => d).join(''));
			}),
		);
	});

	test('returns digits or refuses, whatever is entered', () => {
		fc.assert(
			fc.property(fc.anything(), (entered) => {
				try {
					expect(readPhoneNumber(entered)).toMatch(/^[0-9]+$/);
				} catch (error) {
					expect((error as Error).message).toMatch(/^'Number' is (empty|not a phone number)$/);
				}
			}),
		);
	});
});
