import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { request } from 'undici';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { PROJECT } from '../../tools/n8n/install';

let service: EmbeddedService;

beforeEach(async () => {
	service = await startService({ clientId: 'a client', token: 'a token' });
});

afterEach(async () => {
	await service.close();
});

const post = async (path: string, body: string) =>
	await request(`${service.url}${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});

test.each([
	{ number: '+1 202 555 0143', text: 'Hello' },
	{ number: '12025550143', text: '' },
	{ number: '12025550143', text: 'Hello', caption: 'x' },
])('a received message cannot be %j', async (message) => {
	expect((await post('/phone/receive', JSON.stringify(message))).statusCode).toBe(400);
	expect(service.account.messages).toEqual([]);
});

test('the README has an example body for each of these requests, which is accepted', async () => {
	const readme = readFileSync(join(PROJECT, 'tools/embeddedService/README.md'), 'utf8');
	const examples = [...readme.matchAll(/^\| `POST (\S+)`.*`(\{.*?\})`/gm)];
	const paths = examples.map(([, path]) => path);
	expect(paths).toEqual(['/phone/scan', '/phone/receive', '/phone/listing']);
	for (const [, path, body] of examples) {
		// The only value that an example cannot show: it is random.
		const { statusCode } = await post(path, body.replace('…', service.account.qrText));
		expect(`${path}: ${statusCode}`).toBe(`${path}: 200`);
	}
});
