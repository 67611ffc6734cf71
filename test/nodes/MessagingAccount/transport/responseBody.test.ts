import { isDeepStrictEqual } from 'node:util';

import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { STEP_LENGTH } from '../../../../nodes/MessagingAccount/n8n/yieldToEventLoop';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import { sanitizeForItems } from '../../../../nodes/MessagingAccount/transport/itemJson';
import { parseBody, readBody } from '../../../../nodes/MessagingAccount/transport/responseBody';
import fc from '../../../support/fastCheck';
import { countEventLoopTurns } from '../../../support/eventLoopTurns';

const CREDENTIAL = { baseUrl: 'https://a.test', clientId: '491512345678', token: 'token-91c2' };
const ACCOUNT = readAccount(CREDENTIAL);

const ID = '7615917337495251231';

test.each<[text: string, value: unknown]>([
	['{"id":7615917337495251231}', { id: ID }],
	['7615917337495251231', ID],
	['[ -7615917337495251231 ,\n9007199254740993]', [`-${ID}`, '9007199254740993']],
	['[9007199254740991, 9007199254740992]', [9007199254740991, '9007199254740992']],
	...[`${ID}.5`, '1.7615917337495251', `${ID}e2`].map((n): [string, number] => [n, Number(n)]),
	['["id: 7615917337495251231, \\"[7615917337495251231]\\" \\\\"]', [`id: ${ID}, "[${ID}]" \\`]],
	['{"a,7615917337495251231":[1763632800000000]}', { 'a,7615917337495251231': [1763632800000000] }],
	['{"a": [1]}', { a: [1] }],
	['{"a": [1', '{"a": [1'],
	['{"a": 7615917337495251231', '{"a": 7615917337495251231'],
	['', ''],
])('JSON is parsed, with numbers that would not be exact as text: %s', async (text, expected) => {
	expect(await parseBody(text)).toEqual(expected);
});

/** Gives bytes in pieces of this size. */
async function* inPieces(bytes: Buffer, size: number) {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('reading a body', () => {
	async function* chunks(count: number, read = { count: 0 }) {
		for (; read.count < count; read.count++) yield Buffer.from('ü'.repeat(50));
	}

	test('returns its text and size', async () =>
		expect(await readBody(chunks(3), 300)).toEqual({ text: 'ü'.repeat(150), size: 300 }));

	test.each([-20, -15, -10, -1, 0])('wherever a step ends: at character %d', async (offset) => {
		const before = 'x'.repeat(256 * 1024 - 4 + offset);
		const list = await parseBody(`["${before}",12345678901234567890]`);
		expect(list).toEqual([before, '12345678901234567890']);
	});

	/** The bytes in hexadecimal. */
	test.each([
		['without a charset, UTF-8', undefined, '4a6fc3a36f'],
		['by the header', 'application/json; charset=ISO-8859-1', '4a6fe36f'],
		['by the header, in quotes', 'text/plain;Charset = "windows-1252"; x=y', '4a6fe36f'],
		['by the header, as Java writes it', 'a/b; charset=ISO8859_1', '4a6fe36f'],
		['by the header, of two bytes a character', 'a/b; charset=utf-16le', '4a006f00e3006f00'],
		['by the header, of an unknown charset, UTF-8', 'a/b; charset=nobody-knows', '4a6fc3a36f'],
		['by its mark, UTF-16LE', undefined, 'fffe4a006f00e3006f00'],
		['by its mark, UTF-16BE', 'application/json; charset=utf-16', 'feff004a006f00e3006f'],
		['by its mark, UTF-8', 'text/plain; charset=ISO-8859-1', 'efbbbf4a6fc3a36f'],
	])('decodes it %s', async (_how, contentType, bytes) => {
		for (const size of [2, 3, 100]) {
			const body = inPieces(Buffer.from(bytes, 'hex'), size);
			expect((await readBody(body, 300, contentType)).text).toBe('João');
		}
	});

	test('counts 32 bytes for each value of JSON', async () => {
		const body = () => inPieces(Buffer.from('[1,2,3,{}]'), '[1,2,3'.length);
		expect(await readBody(body(), 160)).toMatchObject({ size: 160 });
		await expect(readBody(body(), 159)).rejects.toThrow(ApiError);
	});

	test('stops at the limit, and reports it', async () => {
		const read = { count: 0 };
		await expect(readBody(chunks(30_000, read), 2 * 1024 * 1024)).rejects.toMatchObject({
			message: "The service's response is too large",
			description: expect.stringContaining('received more than 2 MB. ') as string,
		});
		expect(read.count).toBe(20_971);
	});
});

describe('JSON may contain', () => {
	const MB = 1024 * 1024;
	/** Reads it in pieces of any size. */
	const read = async (json: string, encoding?: BufferEncoding) =>
		await readBody(inPieces(Buffer.from(json, encoding), 1009), 32 * MB).then(
			() => 'read',
			(error: ApiError) => error.description,
		);
	const repeat = (text: string, count: number) => Array(count).fill(text).join(',');
	const fields = (count: number, from: number) =>
		Array.from({ length: count }, (_, i) => `"${i + from}":255`).join(',');

	test.each<[string, (more: number) => string]>([
		['a list of 250000 entries', (more) => `[${repeat('0', 250_000 + more)}]`],
		['5000 fields', (more) => `\n{${repeat('"a":1', 5000 + more)}}`],
		// A part of the body may end within some of them.
		['5000 fields that count from 2', (more) => `[{${fields(5000 + 100 * more, 2)}}]`],
		['5000 fields that count from 0, if it is all', (more) => `{${fields(5000 + more, 0)}}`],
		['250000 fields that count from 0', (more) => `[{${fields(250_000 + more, 0)}}]`],
		['250000 fields that count from 1', (more) => `[{${fields(250_000 + more, 1)}}]`],
		['250000 with a length', (more) => `[{"length":1,${fields(249_999 + more, 0)}}]`],
		['100 levels of lists', (more) => '['.repeat(100 + more) + ']'.repeat(100 + more)],
		['100 levels of objects', (more) => `\ufeff${'{"a":'.repeat(100 + more)}1`],
		['some 1000000 values', (more) => `[${repeat(`[${repeat('{}', 99)}]`, more ? 5400 : 5200)}]`],
	])('%s, and no more', async (_what, create) => {
		for (const encoding of ['utf8', 'utf16le'] as const) {
			const mark = encoding === 'utf8' ? '' : '\ufeff';
			expect(await read(mark + create(0), encoding)).toBe('read');
			expect(await read(mark + create(1), encoding)).toContain('but received ');
		}
	});

	test('a name that looks like a number in a text, and bytes inside bytes', async () => {
		const bytes = `{${fields(9000, 0)},"data":{${fields(9000, 0)},"length":9000}}`;
		const message = `{"0":"0","id":{"1":"0\\"1"},"thumbnail":${bytes}}`;
		expect(await read(`[${repeat(message, 5)}]`)).toBe('read');
	});

	test.each([
		['any brackets in texts', JSON.stringify(['[{"'.repeat(1000), '\\'.repeat(3)])],
		['anything if it is none', `<script>${'['.repeat(1000)}`],
	])('%s', async (_what, text) => expect(await read(text)).toBe('read'));
});

describe('a body for items', () => {
	test('is unchanged if it contains no secret', async () => {
		await fc.assert(
			fc.asyncProperty(fc.json(), async (text) => {
				fc.pre(!/__proto__|\$error|\$json/.test(text));
				expect(await sanitizeForItems(JSON.parse(text), ACCOUNT)).toEqual(JSON.parse(text));
			}),
		);
	});

	const LONG_ID = CREDENTIAL.clientId;

	test.each([
		[LONG_ID, ['TOKEN-91C2'], ['***']],
		[LONG_ID, { 'x-token-91c2': 1 }, { 'x-***': 1 }],
		[LONG_ID, { from: 491512345678 }, { from: '***' }],
		['4200', { count: 4200 }, { count: '***' }],
		['0000', { count: 0 }, { count: 0 }],
		['1e3', { count: 1000 }, { count: 1000 }],
		['420', { count: 420, text: 'id 420' }, { count: 420, text: 'id 420' }],
		['42', { clientid: '42', client_ids: '42' }, { clientid: '***', client_ids: '42' }],
		['42', { aToken: '42', id: '42', text: 'id 42' }, { aToken: '42', id: '42', text: 'id 42' }],
		['42', { client_id: 42, count: 42 }, { client_id: '***', count: 42 }],
		['42', { headers: { 'client-id': '42' } }, { headers: { 'client-id': '***' } }],
		['42', { 'client-id': ['42'] }, { 'client-id': ['***'] }],
	])('with the client ID %s contains no secret but by chance: %j', async (clientId, body, safe) => {
		const account = readAccount({ ...CREDENTIAL, clientId });
		expect(await sanitizeForItems(body, account)).toEqual(safe);
	});

	test('contains no field named __proto__', async () => {
		const parsed = await parseBody('{"a": 1, "__proto__": {"b": 2}}');
		const body = await sanitizeForItems(parsed, ACCOUNT);
		expect(body).toEqual({ a: 1 });
		// Not compared with Object.prototype: mutation tests load n8n-workflow, which parses, in another realm.
		expect(Object.getPrototypeOf(body)).toBe(Object.getPrototypeOf(await parseBody('{}')));
	});

	test.each([
		['{"$error":{"message":"x"},"$json":{}}', '{"_$error":{"message":"x"},"_$json":{}}'],
		['[{"a":{"$error":"token-91c2","$json":2}}]', '[{"a":{"_$error":"***","_$json":2}}]'],
		['{"_$error":1,"$error":2}', '{"_$error":1,"__$error":2}'],
		['{"$json":1,"_$json":2,"__$json":3}', '{"___$json":1,"_$json":2,"__$json":3}'],
		['{"error":1,"json":2,"$errors":3,"$Json":4}', '{"error":1,"json":2,"$errors":3,"$Json":4}'],
	])('keeps the names $error and $json from n8n: %s', async (body, expected) => {
		expect(await sanitizeForItems(JSON.parse(body), ACCOUNT)).toEqual(JSON.parse(expected));
	});

	describe('is made in steps, between which n8n does its other work:', () => {
		test('none for a small body', async () => {
			const messages = Array.from({ length: 100 }, (_, id) => ({ id, text: 'Hello. '.repeat(20) }));
			expect(await countEventLoopTurns(() => sanitizeForItems({ messages }, ACCOUNT))).toBe(0);
		});

		const repeat = <T>(count: number, create: (i: number) => T) =>
			Array.from({ length: count }, (_, i) => create(i));
		const LONG = 'x'.repeat(8 * STEP_LENGTH);
		const HALF = 'x'.repeat(STEP_LENGTH / 2);

		test.each<[string, () => unknown]>([
			['one text', () => LONG],
			['a long field name', () => ({ [LONG]: 1 })],
			['a long value', () => ({ a: LONG })],
			['long fields', () => Object.fromEntries(repeat(16, (i) => [`f${i}`, HALF]))],
			['a list of tiny values', () => repeat(250_000, () => 0)],
			['many fields', () => Object.fromEntries(repeat(200_000, (i) => [`f${i}`, 1]))],
		])('several for %s', async (_name, createBody) => {
			const expected = createBody();
			const body = createBody();
			let safe: unknown;
			const count = await countEventLoopTurns(async () => {
				safe = await sanitizeForItems(body, ACCOUNT);
			});
			// Jest's own comparison takes seconds.
			expect(isDeepStrictEqual(safe, expected)).toBe(true);
			expect(count).toBeGreaterThanOrEqual(7);
		});

		test('a long text contains no secret either, wherever it is, but short ones', async () => {
			const account = readAccount({ ...CREDENTIAL, clientId: '42' });
			const link = 'https://n8n.example.com/rest/binary-data/signed?token=';
			const text = `${'x'.repeat(STEP_LENGTH)}token-91c2 42 ${link}eyJ0`;
			const safe = `${'x'.repeat(STEP_LENGTH)}*** 42 ${link}***`;
			const body = await sanitizeForItems({ [text]: [text, { a: text }] }, account);
			expect(body).toEqual({ [safe]: [safe, { a: safe }] });
		});
	});
});
