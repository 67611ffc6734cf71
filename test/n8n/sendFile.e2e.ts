import { createHash, createHmac } from 'node:crypto';

import type { INode } from 'n8n-workflow';

import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { outputsOf, type Execution } from '../../tools/n8n/rest';
import { publishFileSends, type FileRow } from '../support/fileWorkflow';
import { describeAtNight, variants } from '../support/night';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { NODE } from '../support/webhookWorkflow';
import { saveCredential, startRealN8n, type RealN8n } from './realN8n';

const CREDENTIAL = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const SIGNING_SECRET = 'a signing secret';
const PICTURE = samplePicture();

/** Each has a picture of its own. */
const ROWS = Array.from({ length: 100 }, (_, i) => {
	const picture = Buffer.concat([PICTURE, Buffer.from(String(i))]);
	return { number: String(49151000000 + i), picture: picture.toString('base64') };
});
/** The service never responds to the first send to this one. */
const STALLED = ROWS[50].number;

let service: EmbeddedService;
let n8n: RealN8n;
let credentials: INode['credentials'];

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const jsonOf = (execution: Execution) =>
	(outputsOf(execution, NODE)[0] ?? []).map(({ json }) => json);

async function send(
	rows: FileRow[],
	options: INode['parameters'],
	node: Partial<INode> = {},
): Promise<Execution> {
	const workflow = await publishFileSends(n8n, options, { credentials, ...node });
	await workflow.post(rows);
	const [execution] = await workflow.waitForExecutions(1);
	return execution;
}

beforeAll(async () => {
	service = await startService(CREDENTIAL);
	service.account.scan(service.account.qrText);
});

afterAll(async () => {
	await service?.close();
});

describe('files on disk', () => {
	let server: ScriptedServer;

	beforeAll(async () => {
		server = await startScriptedServer();
		n8n = await startRealN8n(undefined, {
			env: {
				N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
				N8N_BINARY_DATA_SIGNING_SECRET: SIGNING_SECRET,
			},
		});
	});

	afterAll(async () => {
		await n8n?.stop();
		await server?.close();
	});

	test.each(['link', 'dataUri'])('as %s, the service gets the very bytes', async (handOverAs) => {
		credentials = await saveCredential(n8n.rest, { baseUrl: service.url, ...CREDENTIAL });
		const execution = await send(ROWS.slice(0, 3), { handOverAs });
		expect(execution.status).toBe('success');
		expect(jsonOf(execution)).toHaveLength(3);
		for (const { number, picture } of ROWS.slice(0, 3)) {
			const message = service.account.chats.get(number)!.at(-1)!;
			expect(message.picture).toContain(sha256(Buffer.from(picture, 'base64')));
		}
		expect(JSON.stringify(execution.data)).not.toContain('binary-data/signed');
	});

	test('an expired link gives nothing', async () => {
		credentials = await saveCredential(n8n.rest, { baseUrl: server.url, ...CREDENTIAL });
		server.respondWith({ body: { id: 'm1' } });
		await send(ROWS.slice(0, 1), {});
		const { url } = server.requests.at(-1)!.body as { url: string };
		expect((await fetch(url)).status).toBe(200);

		const [start, token] = url.split('token=');
		const [head, payload] = token.split('.');
		const about = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
		const expired = { ...about, exp: Math.floor(Date.now() / 1000) - 1 };
		const text = `${head}.${Buffer.from(JSON.stringify(expired)).toString('base64url')}`;
		const signature = createHmac('sha256', SIGNING_SECRET).update(text).digest('base64url');
		const response = await fetch(`${start}token=${text}.${signature}`);
		expect(response.status).toBe(400);
		expect(await response.text()).toBe('jwt expired');
	});

	test.each(variants(['link', 'dataUri']))(
		'as %s: n8n is killed midway, and its retries send nobody twice',
		async (handOverAs) => {
			credentials = await saveCredential(n8n.rest, { baseUrl: server.url, ...CREDENTIAL });
			const messages: string[] = [];
			const numberOf = (body: unknown) => (body as { number: string }).number;
			const onError = 'continueRegularOutput' as const;
			const workflow = await publishFileSends(n8n, { handOverAs }, { credentials, onError });
			const stalled = new Promise<void>((resolve) =>
				server.onRequest(({ body }) => {
					messages.push(numberOf(body));
					if (numberOf(body) !== STALLED) return { body: { id: `m${numberOf(body)}` } };
					resolve();
					return () => {};
				}),
			);
			await workflow.post(ROWS);
			await stalled;
			await n8n.crash();
			server.onRequest(({ body }) => {
				messages.push(numberOf(body));
				return { body: { id: `m${numberOf(body)}` } };
			});
			const [crashed] = await workflow.waitForExecutions(1);
			expect(crashed.status).toBe('crashed');

			const retried = await n8n.rest.retry(crashed, 'original');
			await n8n.rest.retry(crashed, 'original');
			await n8n.rest.retry(retried, 'original').catch(() => {});
			expect(new Set(messages).size).toBe(messages.length);
			const results = jsonOf(retried);
			expect(results).toHaveLength(ROWS.length);
			const unknown = results.flatMap(({ error }, i) => (error ? [ROWS[i].number] : []));
			expect(unknown).toContain(STALLED);
			const missing = ROWS.filter(({ number }) => !messages.includes(number));
			expect(unknown).toEqual(expect.arrayContaining(missing.map(({ number }) => number)));
		},
	);
});

describeAtNight('files in memory', () => {
	beforeAll(async () => {
		n8n = await startRealN8n(undefined, { env: { N8N_DEFAULT_BINARY_DATA_MODE: 'default' } });
		credentials = await saveCredential(n8n.rest, { baseUrl: service.url, ...CREDENTIAL });
	});

	afterAll(async () => await n8n?.stop());

	test('a data URI has the very bytes, and a link is refused with what to do', async () => {
		const [{ number, picture }] = ROWS;
		const sent = await send(ROWS.slice(0, 1), { handOverAs: 'dataUri' });
		expect(sent.status).toBe('success');
		expect(service.account.chats.get(number)!.at(-1)!.picture).toContain(
			sha256(Buffer.from(picture, 'base64')),
		);

		const count = service.account.messages.length;
		const refused = await send(ROWS.slice(0, 1), {}, { onError: 'continueRegularOutput' });
		expect(jsonOf(refused)).toMatchObject([
			{ error: { message: expect.stringContaining('in memory') as string, delivery: 'notSent' } },
		]);
		expect(service.account.messages).toHaveLength(count);
	});
});
