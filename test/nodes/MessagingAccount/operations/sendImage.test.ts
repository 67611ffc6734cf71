import fc from 'fast-check';

import {
	readCaption,
	readImageUrl,
	readNumber,
} from '../../../../nodes/MessagingAccount/operations/sendImage.operation';

describe('Number', () => {
	test.each([
		['4915123456789', '4915123456789'],
		[4915123456789, '4915123456789'],
		['+49 (151) 234-567.89', '4915123456789'],
		[' 49\u00a0151\u202f23 \n', '4915123'],
	])('%j is %s', (entered, digits) => {
		expect(readNumber(entered)).toBe(digits);
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
		expect(() => readNumber(entered)).toThrow("'Number' is not a phone number");
	});

	test.each(['', '  ', '+', '( )'])('%j is empty', (entered) => {
		expect(() => readNumber(entered)).toThrow("'Number' is empty");
	});

	test('is the same digits, whatever forgiven signs stand between them', () => {
		const sign = fc.constantFrom('', '+', ' ', '(', ')', '-', '.');
		const digit = fc.integer({ min: 0, max: 9 }).map(String);
		fc.assert(
			fc.property(fc.array(fc.tuple(sign, digit, sign), { minLength: 1 }), (parts) => {
				const entered = parts.map((part) => part.join('')).join('');
				expect(readNumber(entered)).toBe(parts.map(([, d]) => d).join(''));
			}),
		);
	});

	test('is digits or refused, whatever is entered', () => {
		fc.assert(
			fc.property(fc.anything(), (entered) => {
				try {
					expect(readNumber(entered)).toMatch(/^[0-9]+$/);
				} catch (error) {
					expect((error as Error).message).toMatch(/^'Number' is (empty|not a phone number)$/);
				}
			}),
		);
	});
});

describe('Image URL', () => {
	test.each([
		'http://example.com/a.png',
		'HTTPS://example.com',
		'https://example.com/a%20b.png?sig=A%2B/=#x',
	])('%s is taken as it is', (entered) => {
		expect(readImageUrl(` ${entered} `)).toBe(entered);
	});

	test.each([
		'example.com/a.png',
		'//example.com/a.png',
		'/a.png',
		'ftp://example.com/a.png',
		'file:///a.png',
		'data:image/png;base64,AAAA',
		'http:example.com',
		'http://',
		'https://exa mple.com',
		'https://example.com/a.png\nhttps://example.com/b.png',
		'https://example.com/a.png, https://example.com/b.png',
		5,
		{ url: 'https://example.com/a.png' },
	])('%j is refused', (entered) => {
		expect(() => readImageUrl(entered)).toThrow("'Image URL' is not a web address");
	});

	test.each(['', '  ', undefined, null])('%j is empty', (entered) => {
		expect(() => readImageUrl(entered)).toThrow("'Image URL' is empty");
	});
});

describe('Caption', () => {
	test.each([
		['Hello\n👋', 'Hello\n👋'],
		[5, '5'],
		['', ''],
		[null, ''],
		[undefined, ''],
	])('%j is %j', (entered, caption) => {
		expect(readCaption(entered)).toBe(caption);
	});

	test.each([[{ text: 'a' }], [['a']]])('%j is refused', (entered) => {
		expect(() => readCaption(entered)).toThrow("'Caption' is not a text");
	});
});
