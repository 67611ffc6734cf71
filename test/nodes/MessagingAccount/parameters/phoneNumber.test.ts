import fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';

import { readPhoneNumber } from '../../../../nodes/MessagingAccount/parameters/phoneNumber';
import { caseCount } from '../../../support/cases';
import { describeInputError } from '../../../support/inputError';

const describeRefusal = (entered: unknown) => describeInputError(() => readPhoneNumber(entered));

describe('Number is understood', () => {
	test.each([
		['4915123456789', '4915123456789'],
		[4915123456789, '4915123456789'],
		[' 49\u00a0151\u202f234\u20115 \n', '491512345'],
		['+1 (202) 555-0143', '12025550143'],
		['\u202a+1 (202)\u200e 555\u20130143\u202c', '12025550143'],
		['\ufeff+1\u2212202\u2212555\u22120143', '12025550143'],
		['(+49) 151 2345678', '491512345678'],
		['+(49) 151 2345678', '491512345678'],
		['+ 49 151 2345678', '491512345678'],
		['0049 151 2345678', '491512345678'],
		['(00)49 151 2345678', '491512345678'],
	])('%j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		['12345', '12345'],
		['+12345', '12345'],
		['+123 456 789 012 345', '123456789012345'],
		['12345678901234567890', '12345678901234567890'],
		[Number.MAX_SAFE_INTEGER, '9007199254740991'],
		['\u200e12345678901234567890 ', '12345678901234567890'],
		['123456 12345678', '12345612345678'],
	])('from the shortest to the longest: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		['555.010.0000', '5550100000'],
		['+33.6.12.34.56.78', '33612345678'],
		['+1 (202) 555.0143', '12025550143'],
		['+1.2025550143', '12025550143'],
		['001.2025550143', '12025550143'],
		['+1 202 555 0143.', '12025550143'],
	])('with dots between groups: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		['+44 (0)20 7946 0018', '442079460018'],
		['+44(0)20 7946 0018', '442079460018'],
		['+49(0)15123 4567890', '49151234567890'],
		['(+44) ( 0 ) 20 7946 0018', '442079460018'],
		['0044-(0)20-7946-0018', '442079460018'],
		['+7 (0)912 345 67 89', '79123456789'],
		['+358 (0)41 2345678', '358412345678'],
		['+39 (06) 698 1234', '39066981234'],
		['+39 06 698 1234', '39066981234'],
	])('with a 0 behind the country code: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});
});

describe('Number is refused, with what is wrong and what to enter', () => {
	test.each(['', '  ', '+', '( )', '-', '\u200b', null, undefined])('%j is empty', (entered) => {
		expect(describeRefusal(entered)).toBe("'Number' is empty: Enter the recipient's number.");
	});

	test.each([[[]], [['4915123456789']], [{ number: '4915123456789' }], [new Date(0)]])(
		'%j is a list or an object',
		(entered) => {
			expect(describeRefusal(entered)).toBe(
				"'Number' is a list or an object: Select the field that holds one number.",
			);
		},
	);

	test.each([
		'49a15123',
		'tel:+12025550143',
		'+1 202 555 0143 ext. 5',
		'Nr. 5',
		'1e21',
		'1.555010000E+10',
		'٤٩١٥١٢٣',
		'４９１５１２３',
		'4915123456\n4915123457',
		'4915123456\u20284915123457',
		'4915123456\t4915123457',
		'4915123456,4915123457',
		'4915123456; 4915123457',
		'4915123456/4915123457',
		'4915123456 or 4915123457',
		'-4915123456',
		'\u22124915123456',
		'.4915123456',
		-4915123456,
		Number.NaN,
		Infinity,
		true,
	])('%j is not a phone number', (entered) => {
		expect(describeRefusal(entered)).toMatch(
			/^'.+' is not a phone number: Enter one number .* e\.g\. \+1 202 555 0143\.$/s,
		);
	});

	test('the message has the number as it was entered', () => {
		expect(describeRefusal(' 12o2 555 0103 ')).toMatch(/^'12o2 555 0103' is not a phone number: /);
	});

	test.each([
		'15550100000.0',
		'15550100000.00',
		'15550100000.000',
		'15550100000.0000',
		'+15550100000.0',
		'+15550100000.0000',
		'0015550100000.0',
		'1 555 010 0000.0',
		'1 555 010 0000.000',
		'1 555 010 0000. 0',
		'+4915.12345678',
		'1.555.010.0000.0',
		'1,555,010,000.0',
		'15550100000,5',
		'1.2025550143',
		'+49 (151) 234-567.89',
		49151.5,
		15550100.25,
	])('%j has a decimal part', (entered) => {
		expect(describeRefusal(entered)).toBe(
			`'${entered}' in 'Number' has a decimal part: Pass it as text without one, e.g. 12025550143.`,
		);
	});

	test.each([2 ** 53, 1e21, -1e21])('%j is not exact', (entered) => {
		expect(describeRefusal(entered)).toBe(
			`'${entered}' in 'Number' is a number that JavaScript cannot represent exactly: Pass it as text.`,
		);
	});

	test.each(['49+15123456', '++4915123456', '4915123456 +4915123457', '+4915123456 +1', '49151+'])(
		'%j has a + that is not in front',
		(entered) => {
			expect(describeRefusal(entered)).toMatch(
				/^'.+' in 'Number' has a \+ that is not in front: Enter one number/,
			);
		},
	);

	test.each([
		'020 7946 0018',
		'(020) 7946 0018',
		'(0)20 7946 0018',
		'(0-612) 34567',
		'02079460018',
		'012345678901234567',
		'+0049 151 2345678',
		'+0151 2345678',
		'00049 151 2345678',
		'+(0)20 7946 0018',
		0,
	])('%j has no country code', (entered) => {
		expect(describeRefusal(entered)).toMatch(
			/^'.+' in 'Number' has no country code: No country code begins with 0\. Enter .* \+44 20 7946 0018/,
		);
	});

	test.each([
		'44 (0)20 7946 0018',
		'+44 (020) 7946 0018',
		'+44 20 (0) 7946 0018',
		'+4420 (0)7946 0018',
		'+44 (0) (0)20 7946 0018',
		'+749 (0)123 4567',
		'+39 (0)6 698 1234',
	])('the 0 in parentheses of %j is not certain', (entered) => {
		expect(describeRefusal(entered)).toBe(
			`'${entered}' in 'Number' has a 0 in parentheses that may not be part of it: Enter the number as it is dialed from abroad, e.g. +44 20 7946 0018.`,
		);
	});

	test.each([
		['1234', 'has fewer than 5 digits'],
		['00', 'has fewer than 5 digits'],
		['+44 (0)20', 'has fewer than 5 digits'],
		[1234, 'has fewer than 5 digits'],
		['+1234567890123456', 'has more than 15 digits'],
		['001234567890123456', 'has more than 15 digits'],
		['1234 5678 9012 3456', 'has more than 15 digits'],
		['15550100000 15550100001', 'has more than 15 digits'],
		['1555010000 1555010001', 'has more than 15 digits'],
		['0049151234567 0049151234568', 'has more than 15 digits'],
		['123456789012345678901', 'has more than 20 digits'],
		['5550100 5550101', 'looks like two numbers'],
	])('%j %s', (entered, reason) => {
		expect(describeRefusal(entered)).toContain(
			`'${entered}' in 'Number' ${reason}: Enter one number with its country code`,
		);
	});
});

describe('an example number of', () => {
	const COUNTRIES = getCountries().flatMap((country) => {
		const number = getExampleNumber(country, examples);
		return number ? [{ country, number }] : [];
	});

	test('more than 200 countries is known', () => {
		expect(COUNTRIES.length).toBeGreaterThan(200);
	});

	test.each(COUNTRIES)('$country is understood in every international format', ({ number }) => {
		const digits = number.number.slice(1);
		const international = number.formatInternational();
		const separated = (separator: string) => international.replace(/[ -]/g, separator);
		const behindCode = international.slice(1 + number.countryCallingCode.length);
		const formats = [
			number.number,
			international,
			separated('-'),
			separated('.'),
			separated('\u00a0'),
			separated('\u2011'),
			separated('\u200b'),
			`(+${number.countryCallingCode})${behindCode}`,
			`\u202a${international}\u202c`,
		];
		for (const format of formats) {
			expect([format, readPhoneNumber(format)]).toEqual([format, digits]);
			const with00 = format.replace('+', '00');
			expect([with00, readPhoneNumber(with00)]).toEqual([with00, digits]);
		}
		for (const alone of [digits, Number(digits), international.slice(1)]) {
			expect(readPhoneNumber(alone)).toBe(digits);
		}
	});

	test.each(COUNTRIES)('$country with (0) is exactly that number, or refused', ({ number }) => {
		const { countryCallingCode: code, nationalNumber } = number;
		const entered = `+${code} (0)${nationalNumber}`;
		// A number that begins with 0 itself: whether (0) is one more cannot be told.
		if (nationalNumber.startsWith('0')) {
			expect(describeRefusal(entered)).toContain('0 in parentheses');
			expect(readPhoneNumber(`+${code} (${nationalNumber})`)).toBe(`${code}${nationalNumber}`);
		} else if (!['39', '226', '227', '378', '992'].includes(code)) {
			expect(readPhoneNumber(entered)).toBe(`${code}${nationalNumber}`);
		}
	});

	const NATIONAL = COUNTRIES.map(({ country, number }) => ({
		country,
		national: number.formatNational(),
	})).filter(({ national }) => /^\D*0/.test(national));

	test.each(NATIONAL)('$country is refused as dialed within the country: $national', (example) => {
		const { national } = example;
		for (const entered of [national, national.replace(/\D/g, '')]) {
			expect(describeRefusal(entered)).toContain(`'${entered}' in 'Number' has no country code`);
		}
	});
});

describe('whatever is entered', () => {
	/** Mostly characters of phone numbers, so that many are understood. */
	const PART = fc.oneof(
		{ weight: 8, arbitrary: fc.nat(99_999).map(String) },
		{ weight: 4, arbitrary: fc.constantFrom(' ', '-', '.', '(', ')', '\u00a0', '\u2011') },
		{ weight: 2, arbitrary: fc.constantFrom('+', '00', '(0)', ',', '\u200e') },
		{ weight: 1, arbitrary: fc.constantFrom('x', '\n', '/', '٤') },
	);
	const TEXT = fc
		.tuple(fc.constantFrom('', '+', '00'), fc.array(PART, { maxLength: 8 }))
		.map(([start, parts]) => start + parts.join(''));

	/** Returns the digits to send; undefined if the number is refused. */
	const read = (entered: unknown): string | undefined => {
		try {
			return readPhoneNumber(entered);
		} catch {
			expect(describeRefusal(entered)).toMatch(
				/^('Number'|'.{1,61}'( in 'Number')?) (is|has|looks) .*: (Enter|Pass|Select|No) /s,
			);
			return undefined;
		}
	};

	test('the digits are those entered, in order, except 00 in front and one (0)', () => {
		let understood = 0;
		fc.assert(
			fc.property(TEXT, (entered) => {
				const digits = read(entered);
				if (digits === undefined) return;
				understood++;
				const visible = entered.replace(/\p{Cf}/gu, '').trim();
				const isInternational = /^[( \u00a0]*(\+|00)/.test(visible);
				const rest = visible.replace(/^[( \u00a0]*(\+|00)/, '');
				const onlyDigits = (text: string) => text.replace(/\D/g, '');
				const possible = [onlyDigits(rest)];
				if (isInternational)
					possible.push(onlyDigits(rest.replace(/\([ \u00a0]*0[ \u00a0]*\)/, '')));
				expect(possible).toContain(digits);
				expect(digits).toMatch(/^[1-9]\d{4,19}$/);
				if (digits.length > 15) expect(visible).toBe(digits);
			}),
			{ numRuns: caseCount(20_000) },
		);
		expect(understood).toBeGreaterThan(caseCount(1000));
	});

	// Anyone can post one to a webhook. A pattern that is slow for it would not end.
	test.each(['1', '1.', '.', '(', '( ', ' ', '+', '1+', '0', '-'])(
		'a megabyte of %j is refused',
		(part) => {
			const long = part.repeat(2 ** 20 / part.length);
			for (const entered of [long, `1${long}`, `+1${long}`, `+1${long}1`]) {
				expect(read(entered)).toBeUndefined();
			}
		},
	);

	test('it is read as digits or refused, whatever its type', () => {
		fc.assert(
			fc.property(fc.anything(), (entered) => {
				expect(read(entered) ?? '12345').toMatch(/^[1-9]\d{4,19}$/);
			}),
		);
	});
});
