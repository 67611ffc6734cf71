import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import { DEFAULT_TIMEOUT_MS } from '../../nodes/MessagingAccount/transport/request';
import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { outputsOf, type SavedWorkflow } from '../../tools/n8n/rest';
import { IS_NIGHT } from '../support/cases';
import {
	FAULTS,
	printTable,
	REQUESTS_BEFORE_STALL,
	stallMidway,
	type Fault,
} from '../support/faults';
import {
	startScriptedServer,
	type RecordedRequest,
	type Script,
	type ScriptedServer,
} from '../support/scriptedServer';
import { saveCredential, saveSends, useRealN8nWithServer, type RealN8n } from './realN8n';

const CREDENTIAL = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const NODE = 'Messaging Account';
const RETRY_ON_FAIL = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const CONTINUE = { onError: 'continueRegularOutput' } as const;

/** By day, one of each kind: faults.wire.ts has all of them. */
const KINDS = [
	'HTTP 302, to another origin',
	'HTTP 303',
	'HTTP 422',
	'HTTP 429, Retry-After: 0',
	'HTTP 503',
	'connection reset',
	'no response',
	'a web page',
];

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

/** Number of messages that each recipient has, in the worst case that the faults can hide. */
const messages = new Map<string, number>();
const messagesOf = (number: string) => messages.get(number) ?? 0;

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

beforeEach(() => {
	messages.clear();
	server.requests.length = 0;
});

const numberOf = ({ body }: RecordedRequest) => (body as IDataObject).number as string;

/** For a request that only this ends: long enough for it to arrive at a busy machine. */
const HANG_TIMEOUT_MS = 5000;

/** Carries out a send, or responds with a fault. */
function send(request: RecordedRequest, fault?: Fault): Script {
	const number = numberOf(request);
	if (!fault || fault.delivers) messages.set(number, messagesOf(number) + 1);
	return fault ? fault.script : { body: { id: `m${number}` } };
}

const save = async (
	parameters: INode['parameters'],
	items: IDataObject[],
	node: Partial<INode> = {},
) => await saveSends(n8n.rest, items, { credentials, ...node, parameters });

async function run(...workflow: Parameters<typeof save>) {
	const execution = await n8n.rest.run(await save(...workflow), MANUAL_TRIGGER);
	const json = outputsOf(execution, NODE)[0]?.map((item) => item.json) ?? [];
	return { execution, json };
}

const createItems = (count: number) =>
	Array.from({ length: count }, (_, i) => ({ number: String(49151000000 + i) }));
const deliveryOf = ({ error }: IDataObject) => (error as IDataObject | undefined)?.delivery;

describe('Send Image with Retry On Fail', () => {
	const rows: object[] = [];
	const faults = IS_NIGHT ? FAULTS : KINDS.map((kind) => FAULTS.find(({ name }) => name === kind)!);
	const [{ number: failing }, ...others] = createItems(3);

	test.each(faults.map((fault) => [fault.name, fault] as const))('with %s', async (name, fault) => {
		server.onRequest((request) => send(request, numberOf(request) === failing ? fault : undefined));
		const timeout = fault.hangsAfter ? HANG_TIMEOUT_MS : DEFAULT_TIMEOUT_MS;
		const forUnlucky = `$json.number === "${failing}" ? ${timeout} : ${DEFAULT_TIMEOUT_MS}`;
		const options = { timeout: `={{ ${forUnlucky} }}` };
		// The failing item comes first, because only then does n8n run the node again.
		const { json } = await run({ options }, createItems(3), { ...RETRY_ON_FAIL, ...CONTINUE });
		const attempts = server.requests.filter((request) => numberOf(request) === failing).length;
		const delivery = deliveryOf(json[0]);
		const duplicates = [...messages.values()].filter((count) => count > 1).length;
		rows.push({ fault: name, attempts, delivery, duplicates });

		expect(delivery).toBe(fault.delivery);
		expect(duplicates).toBe(0);
		const runs = fault.delivery === 'notSent' ? RETRY_ON_FAIL.maxTries : 1;
		expect(attempts).toBe(runs * fault.attempts.send);
		expect(json.slice(1)).toEqual(others.map(({ number }) => ({ id: `m${number}` })));
		expect(others.map(({ number }) => messagesOf(number))).toEqual([1, 1]);
	});

	test('with a refused connection', async () => {
		const gone = await startScriptedServer();
		await gone.close();
		const refused = await saveCredential(n8n.rest, { baseUrl: gone.url, ...CREDENTIAL });
		const { json } = await run({}, createItems(1), { ...CONTINUE, credentials: refused });
		rows.push({
			fault: 'refused connection',
			attempts: 0,
			delivery: deliveryOf(json[0]),
			duplicates: 0,
		});
		expect(json[0].error).toMatchObject({
			delivery: 'notSent',
			description: expect.stringContaining('Tried 3 times.') as string,
		});
	});

	afterAll(() => printTable('Send Image in n8n with Retry On Fail, three runs', rows));
});

describe('a redirect', () => {
	let target: ScriptedServer;

	beforeAll(async () => {
		target = await startScriptedServer();
	});

	afterAll(async () => {
		await target?.close();
	});

	test.each(IS_NIGHT ? [301, 302, 303, 307, 308] : [303, 308])(
		'%d is not followed by any operation',
		async (status) => {
			server.respondWith({ status, headers: { location: `${target.url}/v1/status` } });
			// After 303 a send may have been carried out, and a second run would only say so.
			const settings = status === 303 ? {} : RETRY_ON_FAIL;
			for (const operation of ['getStatus', 'sendImage', 'getMessages']) {
				const { execution } = await run({ operation }, createItems(1), settings);
				expect(execution.data.resultData.error).toMatchObject({
					message: expect.stringContaining(target.url) as string,
					description: expect.stringContaining("'Base URL'") as string,
				});
			}
			expect(target.requests).toEqual([]);
		},
	);
});

test('1,000 recipients, a fault on every fifth request: no duplicates, none missing', async () => {
	const random = createRandom(20261121);
	// Without those that only a timeout ends: a short one can end another request on a busy machine.
	const faults = FAULTS.filter(({ hangsAfter }) => !hangsAfter);
	const first = faults.find(({ name }) => name === 'connection closed before a response')!;
	let uncertain = 0;
	server.onRequest((request) => {
		const count = server.requests.length - 1;
		if (count % 5 !== 0) return send(request);
		// Not random for the first item: if it is uncertain, n8n always runs the node again.
		const fault = count === 0 ? first : faults[Math.floor(random() * faults.length)];
		if (fault.delivery === 'unknown') uncertain++;
		return send(request, fault);
	});
	const items = createItems(1000);
	const options = { concurrency: 10 };
	const { json } = await run({ options }, items, { ...RETRY_ON_FAIL, maxTries: 5, ...CONTINUE });

	const sent = json.filter(({ id }) => id !== undefined).length;
	const unknown = json.filter((item) => deliveryOf(item) === 'unknown').length;
	const notSent = json.filter((item) => deliveryOf(item) === 'notSent').length;
	const twice = items.filter(({ number }) => messagesOf(number) > 1).length;
	const requests = server.requests.length;
	printTable('1,000 recipients', [{ requests, sent, unknown, notSent, twice }]);

	expect(twice).toBe(0);
	expect(sent + unknown + notSent).toBe(1000);
	expect(sent).toBeGreaterThan(800);
	expect(unknown).toBe(uncertain);
	expect(requests).toBeGreaterThan(1000);
	items.forEach(({ number }, i) => {
		if (json[i].id !== undefined) expect(json[i].id).toBe(`m${number}`);
		const expected =
			json[i].id !== undefined ? [1] : deliveryOf(json[i]) === 'notSent' ? [0] : [0, 1];
		expect(expected).toContain(messagesOf(number));
	});
});

test('n8n killed during 200 sends with IDs: no duplicates, and none missing without a trace', async () => {
	const concurrency = 5;
	const items = createItems(200);
	const parameters = { options: { concurrency, sendOnceId: '={{ $json.number }}' } };
	const workflow = await save(parameters, items, CONTINUE);
	const stalled = stallMidway(server, (request) => send(request), concurrency);
	await n8n.rest.start(workflow, MANUAL_TRIGGER);
	await stalled;
	await n8n.crash();

	server.onRequest((request) => send(request));
	const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	const json = outputsOf(execution, NODE)[0].map((item) => item.json);

	const missing = items.filter(({ number }) => messagesOf(number) === 0);
	const twice = items.filter(({ number }) => messagesOf(number) > 1);
	const skipped = json.filter((item) => item.skipped).length;
	const unknown = json.filter(({ delivery }) => delivery === 'unknown').length;
	printTable('n8n killed during 200 sends', [
		{ sent: json.length - skipped, skipped, unknown, missing: missing.length, twice: twice.length },
	]);
	expect(twice).toEqual([]);
	expect(json).toHaveLength(200);
	// The next ones are on record, less than a second's worth of them.
	expect(skipped).toBeGreaterThanOrEqual(REQUESTS_BEFORE_STALL + concurrency);
	items.forEach(({ number }, i) => {
		const skipped = { skipped: true, sendOnceId: number };
		const results = [{ id: `m${number}` }, skipped, { ...skipped, delivery: 'unknown' }];
		expect(results).toContainEqual(json[i]);
		if (json[i].id !== undefined) expect(messagesOf(number)).toBe(1);
		if (messagesOf(number) === 0) expect(json[i].delivery).toBe('unknown');
	});
});

describe('the client ID and the token', () => {
	const echo = (headers: RecordedRequest['headers']) => ({
		'client-id': headers['client-id'],
		token: headers.token,
	});
	const forms: Array<[form: string, bodyOf: (headers: RecordedRequest['headers']) => unknown]> = [
		['text', (headers) => `Refused: ${Object.values(echo(headers)).join(', ')}`],
		['JSON', (headers) => ({ message: JSON.stringify(echo(headers)), headers: echo(headers) })],
		['HTML', (headers) => `<html><body>${JSON.stringify(echo(headers))}</body></html>`],
	];

	test.each(forms)(
		'are not stored if error or success responses echo them as %s',
		async (_form, bodyOf) => {
			const workflows: SavedWorkflow[] = [];
			for (const operation of ['getStatus', 'sendImage', 'getMessages']) {
				for (const onError of ['stopWorkflow', 'continueErrorOutput'] as const) {
					workflows.push(await save({ operation }, createItems(1), { onError }));
				}
			}
			for (const status of [400, 401, 500, 200]) {
				server.onRequest(({ headers }) => {
					const body = bodyOf(headers);
					const isObject = status === 200 && typeof body === 'object';
					return {
						status,
						body: isObject ? { ...body, is_connected: true, id: 'm', messages: [body] } : body,
					};
				});
				const runs = workflows.map(
					async (workflow) => await n8n.rest.run(workflow, MANUAL_TRIGGER),
				);
				for (const execution of await Promise.all(runs)) {
					expect(JSON.stringify(execution)).not.toContain(CREDENTIAL.clientId);
					expect(JSON.stringify(execution)).not.toContain(CREDENTIAL.token);
				}
			}
			expect(server.requests[0].headers).toMatchObject({ token: CREDENTIAL.token });
		},
	);

	test('are only stored encrypted in the folder of n8n, after all these tests', async () => {
		const files = await listFiles(n8n.userFolder);
		const findFilesWith = async (text: string) => {
			const found: string[] = [];
			for (const file of files) if ((await readFile(file)).includes(text)) found.push(file);
			return found;
		};
		// Shows that the search covers what n8n stores and logs.
		expect(
			(await findFilesWith(createItems(1)[0].number)).some((file) => /sqlite/.test(file)),
		).toBe(true);
		expect((await findFilesWith('n8n ready')).some((file) => file.endsWith('.log'))).toBe(true);

		for (const secret of Object.values(CREDENTIAL)) {
			const forms = [secret, Buffer.from(secret).toString('base64'), secret.toUpperCase()];
			for (const form of forms) expect(await findFilesWith(form)).toEqual([]);
		}
	});
});

/** Lists all files of a folder. Does not follow links, because their targets are not n8n's files. */
async function listFiles(folder: string): Promise<string[]> {
	const files: string[] = [];
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		const entry = await lstat(path);
		if (entry.isDirectory()) files.push(...(await listFiles(path)));
		else if (entry.isFile()) files.push(path);
	}
	return files;
}

/** Creates a random number generator with the same numbers in every run: mulberry32. */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
