import { isDeepStrictEqual } from 'node:util';

import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { STEP_LENGTH } from '../../../../nodes/MessagingAccount/shared/pauses';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import {
	parseBody,
	readBody,
	sanitizeForItems,
} from '../../../../nodes/MessagingAccount/transport/responseBody';
import fc from '../../../support/fastCheck';
import { countOtherWork } from '../../../support/otherWork';

const CREDENTIAL = {
	baseUrl: 'https://a.example.com',
	clientId: '491512345678',
	token: 'token-91c2',
};
const ACCOUNT = readAccount(CREDENTIAL);

test.each([
	['{"id":7615917337495251231}', { id: '7615917337495251231' }],
	['7615917337495251231', '7615917337495251231'],
	['[ -7615917337495251231 ,\n9007199254740993]', ['-7615917337495251231', '9007199254740993']],
	['[9007199254740991, 9007199254740992]', [9007199254740991, '9007199254740992']],
	[
		'[7615917337495251231.5, 1.7615917337495251, 7615917337495251231e2]',
		['7615917337495251231.5', '1.7615917337495251', '7615917337495251231e2'].map(Number),
	],
	[
		'{"a":"id: 7615917337495251231, \\"[7615917337495251231]\\" \\\\","b":[7615917337495251231]}',
		{ a: 'id: 7615917337495251231, "[7615917337495251231]" \\', b: ['7615917337495251231'] },
	],
	['{"a,7615917337495251231":[1763632800000000]}', { 'a,7615917337495251231': [1763632800000000] }],
])(
	'whole numbers that JavaScript cannot represent exactly become text: %s',
	async (text, expected) => {
		expect(await parseBody(text)).toEqual(expected);
	},
);

describe('reading a body', () => {
	async function* chunks(count: number, read = { count: 0 }) {
		for (; read.count < count; read.count++) yield Buffer.from('ü'.repeat(50));
	}

	test('returns its text and size', async () => {
		expect(await readBody(chunks(3), 300)).toEqual({ text: 'ü'.repeat(150), size: 300 });
	});

	test('counts 32 bytes for each value of JSON', async () => {
		const json = async function* () {
			yield Buffer.from('[1,2,3');
			yield Buffer.from(',{}]');
		};
		expect(await readBody(json(), 160)).toMatchObject({ size: 160 });
		await expect(readBody(json(), 159)).rejects.toThrow(ApiError);
	});

	test('stops at the limit', async () => {
		const read = { count: 0 };
		await expect(readBody(chunks(1000, read), 299)).rejects.toThrow(ApiError);
		expect(read.count).toBe(2);
	});

	test('reports the limit', async () => {
		const tooLarge = async function* () {
			yield Buffer.alloc(3 * 1024 * 1024);
		};
		await expect(readBody(tooLarge(), 2 * 1024 * 1024)).rejects.toMatchObject({
			description: expect.stringContaining(
				'Expected a response of the messaging service, but received more than 2 MB.',
			) as string,
		});
	});
});

describe('JSON may contain', () => {
	const MB = 1024 * 1024;
	/** Reads it in chunks of any size. */
	async function read(json: string) {
		const stream = async function* () {
			const bytes = Buffer.from(json);
			for (let at = 0; at < bytes.length; at += 1009) yield bytes.subarray(at, at + 1009);
		};
		return await readBody(stream(), 32 * MB).then(
			() => 'read',
			(error: ApiError) => error.description,
		);
	}
	const repeat = (text: string, count: number) => Array(count).fill(text).join(',');

	test.each([
		['a list of 250000 entries', (more) => `[${repeat('0', 250_000 + more)}]`],
		['1000 fields', (more) => `\n{${repeat('"a":1', 1000 + more)}}`],
		['100 levels of lists', (more) => '['.repeat(100 + more) + ']'.repeat(100 + more)],
		['100 levels of objects', (more) => `\ufeff${'{"a":'.repeat(100 + more)}1`],
		['some 1000000 values', (more) => `[${repeat(`[${repeat('{}', 99)}]`, more ? 5400 : 5200)}]`],
	] as Array<[string, (more: number) => string]>)('%s, and no more', async (_what, create) => {
		expect(await read(create(0))).toBe('read');
		expect(await read(create(1))).toContain('but received ');
	});

	test('any brackets in texts', async () => {
		expect(await read(JSON.stringify(['[{"'.repeat(1000), '\\'.repeat(3)]))).toBe('read');
	});

	test('anything if it is none', async () => {
		expect(await read(`<script>${'['.repeat(1000)}`)).toBe('read');
	});
});

test('JSON is parsed, other text is returned as it is', async () => {
	expect(await parseBody('{"a": [1]}')).toEqual({ a: [1] });
	expect(await parseBody('{"a": [1')).toBe('{"a": [1');
	expect(await parseBody('{"a": 7615917337495251231')).toBe('{"a": 7615917337495251231');
	expect(await parseBody('')).toBe('');
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

	test.each([
		['a text', { a: 'is token-91c2 ok' }, { a: 'is *** ok' }],
		['a list', ['TOKEN-91C2'], ['***']],
		['a field name', { 'x-token-91c2': 1 }, { 'x-***': 1 }],
		['a number', { from: 491512345678 }, { from: '***' }],
		[
			'echoed headers',
			{ headers: { 'client-id': '491512345678' } },
			{ headers: { 'client-id': '***' } },
		],
	])('contains no secret in %s', async (_where, body, expected) => {
		expect(await sanitizeForItems(body, ACCOUNT)).toEqual(expected);
	});

	test.each([
		['4200', { a: 'id 4200 here' }, { a: 'id *** here' }],
		['4200', { a: 'x4200y 14200 a/4200+b' }, { a: 'x4200y 14200 a/***+b' }],
		['4200', { count: 4200 }, { count: '***' }],
		['0000', { count: 0 }, { count: 0 }],
		['1e3', { count: 1000 }, { count: 1000 }],
		['420', { count: 420, text: 'id 420' }, { count: 420, text: 'id 420' }],
		['1234567', { a: 'x1234567y' }, { a: 'x1234567y' }],
		['12345678', { a: 'x12345678y' }, { a: 'x***y' }],
		[
			'42',
			{ clientid: '42', client_ids: '42', aToken: '42' },
			{ clientid: '***', client_ids: '42', aToken: '42' },
		],
		['42', { id: '42', text: 'id 42', count: 42 }, { id: '42', text: 'id 42', count: 42 }],
		[
			'42',
			{ client_id: 42, headers: { 'client-id': '42' } },
			{ client_id: '***', headers: { 'client-id': '***' } },
		],
		['12345678901234567890', { from: '12345678901234567890' }, { from: '***' }],
	])(
		'masks the client ID %s unless it may be there by chance: %j',
		async (clientId, body, expected) => {
			const account = readAccount({ ...CREDENTIAL, clientId });
			expect(await sanitizeForItems(body, account)).toEqual(expected);
		},
	);

	test('contains no token of a link to a file that an earlier execution sent', async () => {
		const link = (token: string) =>
			`https://n8n.example.com/rest/binary-data/signed?token=${token}`;
		const body = [{ url: link('eyJhbGci.eyJpZCI6_1.c2ln-x'), text: `${link('eyJ0')} and on` }];
		expect(await sanitizeForItems(body, ACCOUNT)).toEqual([
			{ url: link('***'), text: `${link('***')} and on` },
		]);
		const long = `${'x'.repeat(STEP_LENGTH)} ${link('eyJ0')}`;
		expect(await sanitizeForItems(long, ACCOUNT)).not.toContain('eyJ0');
	});

	test('is unchanged if both secrets are too short to be recognized', async () => {
		const account = readAccount({ ...CREDENTIAL, clientId: '42', token: 'ab' });
		const text = `x 42 ab ${'x'.repeat(STEP_LENGTH)}`;
		expect(await sanitizeForItems({ a: 'x 42 ab', text }, account)).toEqual({ a: 'x 42 ab', text });
	});

	test('contains no field named __proto__', async () => {
		const body = await sanitizeForItems(
			await parseBody('{"a": 1, "__proto__": {"b": 2}}'),
			ACCOUNT,
		);
		expect(body).toEqual({ a: 1 });
		// Not compared with Object.prototype: mutation tests load n8n-workflow, which parses, in another realm.
		expect(Object.getPrototypeOf(body)).toBe(Object.getPrototypeOf(await parseBody('{}')));
	});

	test.each([
		[
			'both',
			{ id: 1, $error: { message: 'x' }, $json: {} },
			{ id: 1, _$error: { message: 'x' }, _$json: {} },
		],
		['one', { $json: 0 }, { _$json: 0 }],
		['nested', [{ a: { $error: 'token-91c2', $json: 2 } }], [{ a: { _$error: '***', _$json: 2 } }]],
		['next to the new name', { _$error: 1, $error: 2 }, { _$error: 1, __$error: 2 }],
		[
			'before the new names',
			{ $json: 1, _$json: 2, __$json: 3 },
			{ ___$json: 1, _$json: 2, __$json: 3 },
		],
		[
			'other names',
			{ error: 1, json: 2, $errors: 3, $Json: 4 },
			{ error: 1, json: 2, $errors: 3, $Json: 4 },
		],
	])('keeps the names $error and $json from n8n: %s', async (_which, body, expected) => {
		expect(await sanitizeForItems(body, ACCOUNT)).toEqual(expected);
	});

	describe('is made in steps, between which n8n does its other work:', () => {
		test('none for a small body', async () => {
			const messages = Array.from({ length: 100 }, (_, id) => ({ id, text: 'Hello. '.repeat(20) }));
			expect(await countOtherWork(() => sanitizeForItems({ messages }, ACCOUNT))).toBe(0);
		});

		test.each([
			['one text', () => 'x'.repeat(8 * STEP_LENGTH)],
			['long texts', () => Array.from({ length: 16 }, () => 'x'.repeat(STEP_LENGTH / 2))],
			['a long field name', () => ({ ['x'.repeat(8 * STEP_LENGTH)]: 1 })],
			['a long value', () => ({ a: 'x'.repeat(8 * STEP_LENGTH) })],
			[
				'long fields',
				() =>
					Object.fromEntries(
						'abcdefghijklmnop'.split('').map((name) => [name, 'x'.repeat(STEP_LENGTH / 2)]),
					),
			],
			['a list of tiny values', () => Array(250_000).fill(0)],
			['lists of nothing', () => Array.from({ length: 250_000 }, () => [])],
			[
				'many fields',
				() => Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`f${i}`, 1])),
			],
		])('several for %s', async (_name, createBody) => {
			const expected = createBody();
			const body = createBody();
			let safe: unknown;
			const count = await countOtherWork(async () => {
				safe = await sanitizeForItems(body, ACCOUNT);
			});
			// Jest's own comparison takes seconds.
			expect(isDeepStrictEqual(safe, expected)).toBe(true);
			expect(count).toBeGreaterThanOrEqual(7);
		});

		test('a long text contains no secret either, wherever it is', async () => {
			const text = `${'x'.repeat(STEP_LENGTH)}token-91c2`;
			const safe = `${'x'.repeat(STEP_LENGTH)}***`;
			expect(await sanitizeForItems(text, ACCOUNT)).toBe(safe);
			expect(await sanitizeForItems({ [text]: [text, { a: text }] }, ACCOUNT)).toEqual({
				[safe]: [safe, { a: safe }],
			});
		});
	});
});
