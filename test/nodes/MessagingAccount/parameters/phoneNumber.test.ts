import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import examples from 'libphonenumber-js/mobile/examples';

import { readPhoneNumber } from '../../../../nodes/MessagingAccount/parameters/phoneNumber';
import { caseCount } from '../../../support/cases';
import fc from '../../../support/fastCheck';
import { describeInputError } from '../../../support/inputError';

const describeRefusal = (entered: unknown) => describeInputError(() => readPhoneNumber(entered));

/** Returns the digits to send; undefined if the number is refused. */
const read = (entered: unknown): string | undefined => {
	try {
		return readPhoneNumber(entered);
	} catch {
		expect(describeRefusal(entered)).toMatch(
			/^('Number'|'.{1,61}'( in 'Number')?|In .{1,61}, the \d+) (is|has|ends|looks|contains) .*: (Enter|Pass|Select|Take|Format|To) .{1,180}$/s,
		);
		return undefined;
	}
};

describe('Number is understood', () => {
	test.each([
		['4915123456789', '4915123456789'],
		[4915123456789, '4915123456789'],
		[' 49\u00a0151\u202f2345\u20116 \n', '4915123456'],
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
		['12345678901234567890', '12345678901234567890'],
		['99912345678', '99912345678'],
		['4401632960961', '4401632960961'],
		['20241123', '20241123'],
		[Number.MAX_SAFE_INTEGER, '9007199254740991'],
		['\u200e12345678901234567890 ', '12345678901234567890'],
		["'12345", '12345'],
		['12345@c.us', '12345'],
		['12025550143:12@s.whatsapp.net', '12025550143'],
		['12025550143:3@c.us', '12025550143'],
		['১২০২৫৫৫০১৪৩', '12025550143'],
		['१२०२५५५०१४३', '12025550143'],
		['١٢٠٢٥٥٥٠١٤٣', '12025550143'],
		['๑๒๐๒๕๕๕๐๑๔๓', '12025550143'],
		['𝟷𝟸𝟶𝟸𝟻𝟻𝟻𝟶𝟷𝟺𝟹', '12025550143'],
	])('digits alone are sent as entered: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		["'+12025550143", '12025550143'],
		['"+1 202 555 0143"', '12025550143'],
		['tel:+1-202-555-0143', '12025550143'],
		['TEL: +1 202 555 0143', '12025550143'],
		['whatsapp:+12025550143', '12025550143'],
		['12025550143@c.us', '12025550143'],
		['12025550143@s.whatsapp.net', '12025550143'],
		['+49\t171\t1234567', '491711234567'],
		['+49 171/1234567', '491711234567'],
		['+49_171_1234567', '491711234567'],
		['+49~171~1234567', '491711234567'],
		['＋４９（１７１）１２３４５６７', '491711234567'],
		['４９１７１１２３４５６７', '491711234567'],
		['+٤٩ ١٧١ ١٢٣٤٥٦٧', '491711234567'],
		['+۴۹ ۱۷۱ ۱۲۳۴۵۶۷', '491711234567'],
	])('from a spreadsheet, a link or a messenger: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		['1 202 555 0143', '12025550143'],
		['1-202-555-0143', '12025550143'],
		['49 171 1234567', '491711234567'],
		['65 8123 4567', '6581234567'],
		['44 (0)20 7946 0018', '442079460018'],
	])('with a country code that stands apart: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		['1.202.555.0143', '12025550143'],
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
		['+34 (0)612 345 678', '34612345678'],
		['+36 (0)62 123 456', '3662123456'],
	])('with a 0 behind the country code: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		['+49 (0171) 1234567', '491711234567'],
		['0049171 1234567', '491711234567'],
		['+49 171/123/4567', '491711234567'],
		['+44 (020) 7946 0018', '442079460018'],
		['+90 (0532) 123 45 67', '905321234567'],
		['+38 (067) 123-45-67', '380671234567'],
		['+370 (8) 612 34567', '37061234567'],
		['+375 (8 029) 123 45 67', '375291234567'],
		['+36 (06 30) 123 4567', '36301234567'],
		['+49 30 (12345)', '493012345'],
		['+7 (8) 800 555 35 35', '78005553535'],
	])('with a national number in parentheses: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each([
		['+7 800 555 35 35', '78005553535'],
		['+370 800 12345', '37080012345'],
		['+47 02800', '4702800'],
		['+225 07 12 34 56 78', '2250712345678'],
		['+54 9 11 1234-5678', '5491112345678'],
		['+52 1 55 1234 5678', '5215512345678'],
		['+800 1234 5678', '80012345678'],
	])('with a number that begins like a prefix: %j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});
});

describe('Number is refused, with what is wrong and what to enter', () => {
	test.each(['', '  ', '+', '( )', '-', '\u200b', null, undefined])('%j is empty', (entered) => {
		expect(describeRefusal(entered)).toBe("'Number' is empty: Enter the recipient's number.");
	});

	test.each([
		['182734918273491@lid', 'an ID that hides a phone number'],
		['120363025246125486@g.us', 'the ID of a group'],
		['12025550143-1600000000@G.US', 'the ID of a group'],
		['120363025246125486@newsletter', 'the ID of a channel'],
		['status@broadcast', 'the ID of a broadcast list'],
	])('%s is %s', (entered, what) => {
		expect(describeRefusal(entered)).toMatch(
			`'${entered}' in 'Number' is ${what}: Take the field with the phone number of the sender, e.g. senderPn`,
		);
	});

	test.each([
		['12.025.550.143', 'is written like an amount'],
		['12,025,550,143', 'is written like an amount'],
		['12.025.550.143,00', 'is written like an amount'],
		['12,025,550,143.00', 'is written like an amount'],
		['1,555,010,000.0', 'is written like an amount'],
		["12'025'550'143", 'is written like an amount'],
		['12’025’550’143', 'is written like an amount'],
		['۱۲٬۰۲۵٬۵۵۰٬۱۴۳', 'is written like an amount'],
		['1e21', 'is rounded to a power of ten: Format the cells of the column as text'],
		['1.555010000E+10', 'is rounded to a power of ten'],
		['4,91512E+12', 'is rounded to a power of ten'],
		['120363@hosted.lid', 'is an ID that hides a phone number'],
		['867051314767696@bot', 'is the ID of a bot'],
		['+54 (011) 15-1234-5678', 'Enter +54 9 11 12345678.'],
		['12,025.550,143', 'is not a phone number'],
		[
			'+54 11 15 1234-5678',
			'has a 15 that is only dialed within the country: Enter +54 9 11 12345678.',
		],
		[
			'+54 9 351 15 123-4567',
			'has a 15 that is only dialed within the country: Enter +54 9 351 1234567.',
		],
		[
			'{{ $json.number }}',
			'contains {{: To have n8n evaluate it, switch the field from Fixed to Expression.',
		],
	])('%s %s', (entered, reason) => {
		expect(describeRefusal(entered)).toContain(reason);
	});

	test.each([[[]], [['4915123456789']], [{ number: '4915123456789' }]])(
		'%j is a list or an object',
		(entered) => {
			expect(describeRefusal(entered)).toBe(
				"'Number' is a list or an object: Select the field that holds one number.",
			);
		},
	);

	test.each([
		'49a15123',
		'fax:+12025550143',
		'tel:+12025550143;ext=5',
		'+1 202 555 0143 ext. 5',
		'Nr. 5',
		'+1 202 555 0143²',
		'4915123456\n4915123457',
		'4915123456\u20284915123457',
		'4915123456,4915123457',
		'4915123456; 4915123457',
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
		'１５５５０１０００００．０',
		'1 555 010 0000.0',
		'1 555 010 0000.000',
		'1 555 010 0000. 0',
		'+4915.12345678',
		'1.555.010.0000.0',
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
		'00',
		'+999 123 456 789',
		'00999123456789',
		'(202) 555-0143',
		'(49) 151 2345678',
		'49151 2345678',
		'612 34 56 78',
		'691 234 5678',
		'555-0143 555-0144',
		'555.010.0000',
		'192.168.10.12',
		'+8 (495) 123-45-67',
		'+3 (80) 67 123 45 67',
	])('%j has no country code', (entered) => {
		expect(describeRefusal(entered)).toBe(
			`'${entered}' in 'Number' has no country code: Enter the number as it is dialed from abroad, with + in front, e.g. +44 20 7946 0018 instead of 020 7946 0018.`,
		);
	});

	test.each([
		['+44 07911 123456', '0', '+44 7911 123456'],
		['+49 0171 1234567', '0', '+49 171 1234567'],
		['0049 0171 1234567', '0', '+49 171 1234567'],
		['49 0171 1234567', '0', '+49 171 1234567'],
		['+4901711234567', '0', '+49 1711234567'],
		['004901711234567', '0', '+49 1711234567'],
		['+82-010-1234-5678', '0', '+82 10 1234 5678'],
		['+44 0(20) 7946 0018', '0', '+44 20 7946 0018'],
		['(+44 0) 20 7946 0018', '0', '+44 20 7946 0018'],
		['+81 090 1234 5678', '0', '+81 90 1234 5678'],
		['+370 8 612 34567', '8', '+370 612 34567'],
		['+370 0 612 34567', '0', '+370 612 34567'],
		['+375 8 029 123 45 67', '80', '+375 29 123 45 67'],
		['+375 029 123 45 67', '0', '+375 29 123 45 67'],
		['+7 8 912 345 67 89', '8', '+7 912 345 67 89'],
		['+36 06 30 123 4567', '06', '+36 30 123 4567'],
		['+1 1 202 555 0143', '1', '+1 202 555 0143'],
	])('in %j, the %s is only dialed within the country', (entered, prefix, correct) => {
		expect(describeRefusal(entered)).toBe(
			`In ${entered}, the ${prefix} is only dialed within the country: Enter ${correct}.`,
		);
		expect(readPhoneNumber(correct)).toBe(correct.replace(/\D/g, ''));
	});

	test.each([
		['+34 0612 345 678', '+34 612 345 678'],
		['+7 0912 345 67 89', '+7 912 345 67 89'],
	])('in %j, the 0 is not part of the number', (entered, correct) => {
		expect(describeRefusal(entered)).toBe(
			`In ${entered}, the 0 is not part of the number: Enter ${correct}.`,
		);
	});

	test.each([
		'+39 (0)6 698 1234',
		'+225 (0)7 12 34 56 78',
		'+49 30 (0) 1234567',
		'+749 (0)123 4567',
		'+49 (0)30 (0) 1234567',
	])('the 0 in parentheses of %j is not certain', (entered) => {
		expect(describeRefusal(entered)).toBe(
			`'${entered}' in 'Number' has a 0 in parentheses that may not be part of it: Enter the number as it is dialed from abroad, with + in front, e.g. +44 20 7946 0018 instead of 020 7946 0018.`,
		);
	});

	test.each([
		['+12345', 'has 4 instead of 10 digits behind +1'],
		['+1', 'has 0 instead of 10 digits behind +1'],
		['+1 555 0143', 'has 7 instead of 10 digits behind +1'],
		['+1 202 555 0143 44', 'has 12 instead of 10 digits behind +1'],
		['+1 202 555 0143 - 0144', 'has 14 instead of 10 digits behind +1'],
		['1 202 555 0143 44', 'has 12 instead of 10 digits behind +1'],
		['+1 555-0143 555-0144', 'has 14 instead of 10 digits behind +1'],
		['0012345678901234567', 'has 16 instead of 10 digits behind +1'],
		['+7 912 345 67', 'has 8 instead of 10 or 14 digits behind +7'],
		['+49 151', 'has 3 instead of 4, 5, 6, 7, 8, 9, 10, 11, 12 or 13 digits behind +49'],
		['+32 12 34 56', 'has 6 instead of 8 or 9 digits behind +32'],
		['+44 7911 1234', 'has 8 instead of 7, 9 or 10 digits behind +44'],
		['+44 20 (0) 7946 0018', 'has 11 instead of 7, 9 or 10 digits behind +44'],
		['+44 (0)20', 'has 3 instead of 7, 9 or 10 digits behind +44'],
		['+44 (0)(0)20 7946 0018', 'has 12 instead of 7, 9 or 10 digits behind +44'],
		['+34 012345678', 'has a 0 behind +34, with which no number of this length begins'],
		['+52 155 1234 567', 'has a 1 behind +52, with which no number of this length begins'],
	])('%j %s', (entered, reason) => {
		expect(describeRefusal(entered)).toBe(
			`'${entered}' in 'Number' ${reason}: Enter one number, as it is dialed from abroad and without an extension.`,
		);
	});

	test.each([
		['1234', 'has fewer than 5 digits'],
		[1234, 'has fewer than 5 digits'],
		['123456789012345678901', 'has more than 20 digits'],
		['2024-11-23', 'looks like a date'],
		['23.11.2024', 'looks like a date'],
		['31/12/2024', 'looks like a date'],
		['31. 12. 2024', 'looks like a date'],
		['+1 202 555 0143 (123)', 'ends with an extension'],
		['+49 171 1234567/8', 'ends with an extension'],
		['+49 30 12345-10/11', 'ends with an extension'],
		['+82 2-123-4567~8', 'ends with an extension'],
		['+91 22 2345 6789 / 790', 'ends with an extension'],
		['+49 30 1234567 (12)', 'ends with an extension'],
		['1555010000 1555010001', 'looks like two numbers'],
		['0049151234567 0049151234568', 'looks like two numbers'],
		['5550100 5550101', 'looks like two numbers'],
		['4915123456/4915123457', 'looks like two numbers'],
		['4915123456\t4915123457', 'looks like two numbers'],
	])('%j %s', (entered, reason) => {
		expect(describeRefusal(entered)).toContain(
			`'${String(entered).replace('\t', ' ')}' in 'Number' ${reason}: Enter one number with its country code`,
		);
	});

	test('a long text is refused before anything else, with its start', () => {
		const long = `+2${'('.repeat(1_000_000)}`;
		expect(describeRefusal(long)).toContain(`'${long.slice(0, 60)}…' is not a phone number`);
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
			separated('/'),
			separated('\t'),
			separated('\u00a0'),
			separated('\u2011'),
			separated('\u200b'),
			`(+${number.countryCallingCode})${behindCode}`,
			`\u202a${international}\u202c`,
			`'${international}`,
			`tel:${international}`,
			`${international}@c.us`,
			number.number.replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)]),
		];
		for (const format of formats) {
			expect([format, readPhoneNumber(format)]).toEqual([format, digits]);
			const with00 = format.replace('+', '00');
			expect([with00, readPhoneNumber(with00)]).toEqual([with00, digits]);
		}
		for (const alone of [digits, Number(digits)]) expect(readPhoneNumber(alone)).toBe(digits);
		// Seven digits are a number within a country, and 1 a code that no other number begins with.
		if (number.nationalNumber.length > 7) {
			expect(readPhoneNumber(international.slice(1))).toBe(digits);
		}
	});

	test.each(COUNTRIES)('$country with (0) is exactly that number, or refused', ({ number }) => {
		const { countryCallingCode: code, nationalNumber } = number;
		const entered = `+${code} (0)${nationalNumber}`;
		// Where numbers with and without a 0 exist, with one digit more: Ascension and Italy.
		if (['247', '39'].includes(code)) {
			expect(describeRefusal(entered)).toContain('0 in parentheses');
		} else {
			expect(readPhoneNumber(entered)).toBe(`${code}${nationalNumber}`);
		}
	});

	test.each(COUNTRIES)(
		'$country as dialed within it is refused, unless it is digits alone',
		(example) => {
			const national = example.number.formatNational();
			if (/^[1-9]\d*$/.test(national)) {
				// The shortest are refused.
				expect(read(national) ?? national).toBe(national);
			} else {
				for (const entered of [national, national.replace(/^\D*(?=0)|(?<=^0.*)\D/g, '')]) {
					expect([entered, describeRefusal(entered)]).toEqual([
						entered,
						expect.stringContaining(`'${entered}' in 'Number' has no country code`),
					]);
				}
			}
		},
	);
});

describe('any number of libphonenumber', () => {
	/** The numbering plans, with the patterns of all types of numbers: fixed lines, mobile phones, toll-free and so on. */
	const PLANS = [metadata.countries, metadata.nonGeographic]
		.flatMap(Object.values)
		.map((plan: [string, unknown, string, ...unknown[]]) => ({
			code: plan[0],
			trunk: (plan[5] || '') as string,
			patterns: ((plan[11] ?? [[plan[2]]]) as Array<[string] | 0>)
				.map((type) => (type ? type[0] : ''))
				.filter(Boolean),
		}));

	const NUMBER = fc.constantFrom(...PLANS).chain(({ code, trunk, patterns }) =>
		fc.record({
			code: fc.constant(code),
			trunk: fc.constant(trunk),
			national: fc
				.constantFrom(...patterns)
				.chain((pattern) => fc.stringMatching(new RegExp(`^(?:${pattern})$`))),
		}),
	);
	type NationalNumber = typeof NUMBER extends fc.Arbitrary<infer T> ? T : never;

	const isDialedFromAbroad = ({ code, trunk, national }: NationalNumber) =>
		!(trunk === '0' && national.startsWith('0')) &&
		!(code === '1' && national.length === 7) &&
		code.length + national.length <= 15;

	test('is understood behind its country code, unless it is not dialed from abroad', () => {
		fc.assert(
			fc.property(NUMBER, (number) => {
				const { code, national } = number;
				const digits = isDialedFromAbroad(number) ? code + national : undefined;
				for (const entered of [
					`+${code}${national}`,
					`00${code}-${national}`,
					`+${code} (${national})`,
				]) {
					expect([entered, read(entered)]).toEqual([entered, digits]);
				}
			}),
			{ numRuns: caseCount(5_000) },
		);
	});

	test('is understood or corrected with what is dialed in front of it within the country', () => {
		fc.assert(
			fc.property(NUMBER, (number) => {
				const { code, trunk, national } = number;
				fc.pre(trunk !== '' && isDialedFromAbroad(number));
				const digits = read(`+${code} (${trunk})${national}`);
				// Belarus has numbers that begin with its 8.
				if (code === '375' && digits === `${code}${trunk}${national}`) return;
				expect(digits).toBe(code + national);
				const entered = `+${code} ${trunk}${national}`;
				expect(describeRefusal(entered)).toBe(
					`In ${entered}, the ${trunk} is only dialed within the country: Enter +${code} ${national}.`,
				);
			}),
			{ numRuns: caseCount(5_000) },
		);
	});
});

describe('whatever is entered', () => {
	/** Mostly characters of phone numbers, so that many are understood. */
	const PART = fc.oneof(
		{ weight: 8, arbitrary: fc.nat(99_999).map(String) },
		{ weight: 4, arbitrary: fc.constantFrom(' ', '-', '.', '(', ')', '\u00a0', '\u2011') },
		{ weight: 2, arbitrary: fc.constantFrom('+', '00', '(0)', ',', '\u200e') },
		{ weight: 1, arbitrary: fc.constantFrom('x', '\n', '/', '\t', '٤') },
	);
	const TEXT = fc
		.tuple(fc.constantFrom('', '+', '00'), fc.array(PART, { maxLength: 8 }))
		.map(([start, parts]) => start + parts.join(''));

	test('the digits are those entered, in order, except 00 in front and what is in front of a national number in parentheses', () => {
		let understood = 0;
		fc.assert(
			fc.property(TEXT, (entered) => {
				const digits = read(entered);
				if (digits === undefined) return;
				understood++;
				const visible = entered.replace(/\p{Cf}/gu, '').trim();
				const rest = visible.replace(/^[( \u00a0]*(\+|00)/, '').replaceAll('٤', '4');
				const onlyDigits = (text: string) => text.replace(/\D/g, '');
				const possible = [
					rest,
					...[1, 2].map((n) => rest.replace(new RegExp(`(\\d\\D*\\()(?:\\D*\\d){${n}}`), '$1')),
				].map(onlyDigits);
				expect(possible).toContain(digits);
				expect(digits).toMatch(/^[1-9]\d{4,19}$/);
				if (digits.length > 15) expect(visible.replaceAll('٤', '4')).toBe(digits);
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
