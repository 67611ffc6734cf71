import metadata from 'libphonenumber-js/max/metadata';

import { readPhoneNumber } from '../../../../nodes/MessagingAccount/parameters/phoneNumber';
import { caseCount } from '../../../support/testSize';
import fc, { type Drawn } from '../../../support/fastCheck';
import { describeInputError } from '../../../support/inputError';
import { entriesOf, rowsOf } from '../../../support/tables';

const describeRefusal = (entered: unknown) => describeInputError(() => readPhoneNumber(entered));

/** Returns the digits to send; undefined if the number is refused. */
const read = (entered: unknown): string | undefined => {
	try {
		return readPhoneNumber(entered);
	} catch {
		expect(describeRefusal(entered)).toMatch(
			/^('Number'|'.{1,61}'( in 'Number')?|In .{1,61}, the \d+) (is|has|may|could|cannot|looks) .*: (Enter|If|Select|Take|The|Format|Write) .{1,180}$/s,
		);
		return undefined;
	}
};

/**
 * Reads rows like `what is expected | entry | entry`. An indented line belongs to the row before it, and escapes like \u00a0
 * stand for their characters.
 */
const readTable = (table: string): Array<[entered: string, expected: string]> =>
	rowsOf(table).flatMap((row) => {
		const [expected, ...entries] = entriesOf(row);
		const unescape = (entry: string) =>
			entry.replace(/\\(u....|n|t)/g, (escape) => JSON.parse(`"${escape}"`) as string);
		return entries.map((entry): [string, string] => [unescape(entry), expected]);
	});

/** `the digits to send | entry | entry`. */
const UNDERSTOOD = String.raw`
12345 | 12345 | '12345 | 12345@c.us
12345678901234567890 | 12345678901234567890 | \u200e12345678901234567890\u0020
99912345678 | 99912345678
4401632960961 | 4401632960961
20241123 | 20241123
498912345678 | +49 89 123/45678
436641234567 | +43 664 123 / 4567
12025550143
	+1 (202) 555-0143 | \u202a+1 (202)\u200e 555\u20130143\u202c | \ufeff+1\u2212202\u2212555\u22120143
	"+1 202 555 0143" | TEL: +1 202 555 0143 | whatsapp:+12025550143 | p:+12025550143 | 12025550143@s.whatsapp.net
	12025550143_1@s.whatsapp.net | 12025550143_1:5@s.whatsapp.net
	12025550143.0:12@s.whatsapp.net | 12025550143:3@c.us | ১২০২৫৫৫০১৪৩ | 𝟷𝟸𝟶𝟸𝟻𝟻𝟻𝟶𝟷𝟺𝟹 | https://wa.me/12025550143 | http://wa.me/12025550143 | ="12025550143"
	1.202.555.0143 | +1.2025550143 | 001.2025550143 | +1 202 555 0143. | 12025550143. | “+1 202 555 0143”, | [12025550143]
	1.2025550143E10 | 1,2025550143E+10 | 1.2025550143e+010 | +1 202 555.0143 | +1 202.555.01.43
	+1 202 555 01.43 | 001 202 555 01.43 | +1 (202) 555-01.43 | +1 202 5550.143
4915123456789 | 4915123456789
4915123456 | \u002049\u00a0151\u202f2345\u20116 \n
491512345678 | +(49) 151 2345678 | + 49 151 2345678 | ++49 151 2345678 | tel:++49 151 2345678 | +0049 151 2345678 | + +491512345678 | (00)49 151 2345678 | ( +49) 151 2345678
49171123456 | +49 171 123.456 | 0049 171 123.456 | (+49) 171/123.456 | +49 171.123.456
41446681800 | +41 44 668.18.00
41446681801 | +41 44 668 18.01 | 0041-44-668.18.01
4915123456789 | +49 (151) 234-567.89 | +49 151 2345.6789
49151 | 4.9151E4
491711234567
	+49 171/1234567 | +49 (0)171 / 12 34 567 | +49\t171\t1234567 | +49 171/123/4567 | +49_171_1234567 | +49~171~1234567 | 0049171 1234567
	＋４９（１７１）１２３４５６７ | ４９１７１１２３４５６７
493012345 | +49 30 (12345)
6581234567 | 65 8123 4567
56987654321 | 56 9 8765 4321
442079460018 | 44 (0)20 7946 0018 | (+44) ( 0 ) 20 7946 0018 | 0044-(0)20-7946-0018
39066981234 | +39 (06) 698 1234 | +39 06 698 1234
3662123456 | +36 (0)62 123 456
36301234567 | +36 (06 30) 123 4567
380671234567 | +38 (067) 123-45-67
37061234567 | +370 (8) 612 34567
375291234567 | +375 (8 029) 123 45 67
78005553535 | +7 800 555 35 35
37080012345 | +370 800 12345
4702800 | +47 02800
5215512345678 | +52 1 55 1234 5678
`;

const ONE_NUMBER =
	'Enter one number with its country code: digits, with + ( ) - . / or spaces between them, e.g. +1 202 555 0143.';
const ONE_DIALED = 'Enter one number, as it is dialed from abroad and without an extension.';
const FROM_ABROAD =
	'Enter the number as it is dialed from abroad, with + in front, e.g. +44 20 7946 0018 instead of 020 7946 0018.';
const OTHER_FIELD =
	'Take the field with the phone number of the sender, e.g. senderPn, participantPn, remoteJidAlt, participant or author.';
const DIALED = 'is only dialed within the country: Enter';
const AS_TEXT = 'Format the column as text, and enter the numbers again, as digits alone.';
const WITHOUT_DOTS =
	'Write it without dots and commas, e.g. +1 202 555 0143. In a spreadsheet, format the column as text first.';
const CHECK_END =
	'If the last digits belong to the number, write them without / ~ or ( ). Otherwise, leave them out.';

/**
 * `what the message says | entry | entry`. In it, … stands for the entry; a message without … begins with the quoted entry
 * and the name of the parameter.
 */
const REFUSED = String.raw`
'…' is not a phone number: ${ONE_NUMBER}
	49a15123 | info@lidl.de | \u002012o2 555 0103\u0020 | Nr. 5 | true | NaN | Infinity | 12,025.550,143
	fax:+12025550143 | tel:+12025550143;ext=5 | +1 202 555 0143 ext. 5 | +1 202 555 0143²
	4915123456\n4915123457 | 4915123456\u20284915123457 | 4915123456,4915123457
	4915123456; 4915123457 | 4915123456 or 4915123457
	-4915123456 | \u22124915123456 | .4915123456
is an ID that hides a phone number: ${OTHER_FIELD} | 182734918273491@lid | 120363@hosted.lid
is the ID of a group, a channel or the like: ${OTHER_FIELD} | 120363025246125486@g.us | 12025550143-1600000000@G.US
	120363025246125486@newsletter | status@broadcast | 867051314767696@bot
is written like an amount, with separators between thousands: ${AS_TEXT}
	12.025.550.143 | 12,025,550,143 | 12.025.550.143,00 | 12,025,550,143.00 | 1,555,010,000.0
	12'025'550'143 | 12’025’550’143 | ۱۲٬۰۲۵٬۵۵۰٬۱۴۳ | 1,20,25,55,143
has lost its last digits: ${AS_TEXT}
	1e21 | 1.555010000E+10 | 4,91512E+12 | 4,9151E+12 | 4.9E+12 | 5E11 | 1.20255501435E10
could be a decimal number: ${WITHOUT_DOTS}
	15550100000.0 | 15550100000.0000 | +15550100000.0000 | １５５５０１０００００．０
	1 555 010 0000.000 | 1 555 010 0000. 0 | +4915.12345678 | 1.555.010.0000.0 | 1.555.010.0000 . 0
	+1 555 010 0000.000 | +1.555.010.0000.0
	15550100000,5 | 1.2025550143 | 49151.5 | 49 171 123.456 | +49 171 123456,7 | +49 171 123,45
	+49 1711234567.0 | +49 171 1234567.0 | 0049 171 1234567.00 | +49 171 123.0 | +49 171 123.000
	+49.1711234567.0 | +49.171.4567.0 | (+49)1711234567.5 | +351 21 342.000
has a + that is not in front: ${ONE_NUMBER}
	49+15123456 | +++4915123456 | 4915123456 +4915123457 | +4915123456 +1 | 49151+
has fewer than 5 digits: ${ONE_NUMBER} | 1234
has more than 20 digits: ${ONE_NUMBER} | 123456789012345678901
looks like a date: ${ONE_NUMBER} | 2024-11-23 | 23.11.2024 | 31/12/2024 | 31. 12. 2024
may end with an extension or a second number: ${CHECK_END}
	+49 30 12345/6 | +1 202 555 0143 (123) | +49 171 1234567/8 | +49 30 12345-10/11 | +82 2-123-4567~8
	+49 7031 4567 / 4568 | +49 (7031) 4567/4568 | +43 5572 1234 / 1235 | +49 30 12345~12346 | +49 151 12345678\t2
	+91 22 2345 6789 / 790 | +49 30 1234567 (12)
looks like two numbers: ${ONE_NUMBER}
	1555010000 1555010001 | 0049151234567 0049151234568 | 5550100 5550101
	4915123456/4915123457 | 4915123456\t4915123457
has no country code: ${FROM_ABROAD}
	020 7946 0018 | (020) 7946 0018 | (0)20 7946 0018 | (0-612) 34567 | 02079460018
	012345678901234567 | +00049 151 2345678 | +0151 2345678 | 00049 151 2345678
	+(0)20 7946 0018 | 0 | 00 | +999 123 456 789 | 00999123456789
may have no country code: ${FROM_ABROAD}
	49171/1234567 | 49171-1234567 | (202) 555-0143 | (49) 151 2345678 | 49151 2345678 | 612 34 56 78 | 691 234 5678 | 555-0143 555-0144
	555.010.0000 | 192.168.10.12 | +8 (495) 123-45-67 | +3 ( 80) 67 123 45 67 | +8 495 123 45 67
	51 98765-4321 | 51 9 8765-4321 | 55 1234 5678 | 4917112345...
has a 0 in parentheses that may not be part of it: ${FROM_ABROAD}
	+39 (0)6 698 1234 | +225 (0)7 12 34 56 78 | +49 30 (0) 1234567 | +749 (0)123 4567
	+49 (0)30 (0) 1234567 | +39 ( 0 )6 698 1234 | +247 (0)40123
has 4 instead of 10 digits after +1: ${ONE_DIALED} | +12345
has 12 instead of 10 digits after +1: ${ONE_DIALED} | +1 202 555 0143 44 | 1 202 555 0143 44
has 14 instead of 10 digits after +1: ${ONE_DIALED}
	+1 202 555 0143 - 0144 | +1 555-0143 555-0144
has 14 instead of 4 to 13 digits after +49: ${ONE_DIALED} | +49 171 123 456 789 01
has 6 instead of 7, 8 or 10 digits after +230: ${ONE_DIALED} | +230 123 456
has 7 instead of 5, 6 or 8 to 11 digits after +82: ${ONE_DIALED} | +82 2 123 456
has 8 instead of 9 digits after +351: ${ONE_DIALED} | +351 21 342.123
has 8 instead of 9 or 12 digits after +41: ${ONE_DIALED} | +41 44 668.18.0
has 11 instead of 7, 9 or 10 digits after +44: ${ONE_DIALED} | +44 20 (0) 7946 0018
has 12 instead of 7, 9 or 10 digits after +44: ${ONE_DIALED} | +44 (0)(0)20 7946 0018
cannot be right: no number of this length begins with +34 0: ${ONE_DIALED} | +34 012345678
has a 15 that ${DIALED} +54 9 11 12345678. | +54 11 15 1234-5678 | +54 (011) 15-1234-5678
has a 15 that ${DIALED} +54 9 351 1234567. | +54 9 351 15 123-4567
In …, the 0 ${DIALED} +49 171 1234567. | 0049 0171 1234567 | 49 0171 1234567
In …, the 0 ${DIALED} +44 20 7946 0018. | +44 0(20) 7946 0018 | (+44 0) 20 7946 0018
In …, the 8 ${DIALED} +370 612 34567. | +370 8 612 34567
In …, the 0 ${DIALED} +370 612 34567. | +370 0 612 34567
In …, the 80 ${DIALED} +375 29 123 45 67. | +375 8 029 123 45 67
In …, the 0 ${DIALED} +375 29 123 45 67. | +375 029 123 45 67
In …, the 06 ${DIALED} +36 30 123 4567. | +36 06 30 123 4567
In …, the 0 is not part of the number: Enter +34 612 345 678. | +34 0612 345 678
`;

describe('Number', () => {
	test.each(readTable(UNDERSTOOD))('%j is %s', (entered, digits) => {
		expect(readPhoneNumber(entered)).toBe(digits);
	});

	test.each(readTable(REFUSED))('%j is refused: %s', (entered, message) => {
		const whole = message.includes('…') ? message : `'…' in 'Number' ${message}`;
		const shown = entered.trim().replace(/\p{Cc}/gu, ' ');
		expect(describeRefusal(entered)).toBe(whole.replace('…', shown));
	});

	test.each(REFUSED.match(/(?<=Enter )\+[\d ]+/g)!)('is understood as corrected: %s', (correct) => {
		expect(readPhoneNumber(correct)).toBe(correct.replace(/\D/g, ''));
	});

	test('that is no text is read or refused as the same text is', () => {
		expect(readPhoneNumber(Number.MAX_SAFE_INTEGER)).toBe(String(Number.MAX_SAFE_INTEGER));
		for (const entered of [-4915123456, NaN, Infinity, true, 49151.5, 0, 1234])
			expect(describeRefusal(entered)).toBe(describeRefusal(String(entered)));
	});

	test.each([2 ** 53, 1e21, -1e21])('is refused if it is not exact: %j', (entered) => {
		expect(describeRefusal(entered)).toBe(
			`'${entered}' in 'Number' has too many digits for a number: its last ones may be wrong: ${AS_TEXT}`,
		);
	});

	test.each(['', '  ', '+', '( )', '-', '\u200b', null, undefined])('%j is empty', (entered) => {
		const refusal = "'Number' is empty: The cell may be empty: enter the number.";
		expect(describeRefusal(entered)).toBe(refusal);
	});

	const LISTS = [[], ['4915123456789'], { number: '4915123456789' }].map((list) => [list]);
	test.each(LISTS)('%j is refused', (entered) => {
		const refusal = "'Number' is a list or an object: Select the field that holds one number.";
		expect(describeRefusal(entered)).toBe(refusal);
	});

	test('that is a long text is refused before anything else, with its start', () => {
		const long = `+2${'('.repeat(1_000_000)}`;
		expect(describeRefusal(long)).toContain(`'${long.slice(0, 60)}…' is not a phone number`);
	});
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
		fc
			.constantFrom(...patterns)
			.chain((pattern) => fc.stringMatching(new RegExp(`^(?:${pattern})$`)))
			.map((national) => ({ code, trunk, national })),
	);

	const isDialedFromAbroad = ({ code, trunk, national }: Drawn<typeof NUMBER>) =>
		!(trunk === '0' && national.startsWith('0')) &&
		!(code === '1' && national.length === 7) &&
		code.length + national.length <= 15;

	test('is understood behind its country code, unless it is not dialed from abroad', () => {
		fc.assert(
			fc.property(NUMBER, (number) => {
				const { code, national } = number;
				const digits = isDialedFromAbroad(number) ? code + national : undefined;
				const separators = ['', ' ', '-', '/', '\t', '\u00a0', '\u2011', '\u200b'];
				const written = separators.flatMap((one) =>
					['+', '00'].map((start) => `${start}${code}${one}${national}`),
				);
				written.push(`(+${code})${national}`, `+${code} (${national})`);
				const understood = written.map((entered) => [entered, read(entered)]);
				expect(understood).toEqual(written.map((entered) => [entered, digits]));
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
				if (trunk === '0') expect(read(trunk + national)).toBeUndefined();
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
				const rest = visible
					.replace(/^(\+\s?(?=\+|00))?[( \u00a0]*(\+|00)/, '')
					.replaceAll('٤', '4');
				const possible = [0, 1, 2]
					.map((n) => rest.replace(new RegExp(`(\\d\\D*\\()(?:\\D*\\d){${n}}`), '$1'))
					.map((text) => text.replace(/\D/g, ''));
				expect(possible).toContain(digits);
				expect(digits).toMatch(/^[1-9]\d{4,19}$/);
				if (digits.length > 15) expect(visible.replaceAll('٤', '4')).toBe(digits);
			}),
			{ numRuns: caseCount(20_000) },
		);
		expect(understood).toBeGreaterThan(caseCount(1000));
	});

	// Anyone can post one to a webhook. A pattern that is slow for it would not end.
	test.each('1|1.|.|(|( | |+|1+|0|-'.split('|'))('a megabyte of %j is refused', (part) => {
		const long = part.repeat(2 ** 20 / part.length);
		for (const entered of [long, `1${long}`, `+1${long}`, `+1${long}1`])
			expect(read(entered)).toBeUndefined();
	});

	test('it is read as digits or refused, whatever its type', () => {
		fc.assert(
			fc.property(fc.anything(), (entered) => {
				expect(read(entered) ?? '12345').toMatch(/^[1-9]\d{4,19}$/);
			}),
		);
	});
});
