import type { IDataObject } from 'n8n-workflow';

import { IS_OTHER_VERSION } from '../../../support/testSize';
import { executeAt } from '../../../support/engine';
import { useScriptedServer } from '../../../support/scriptedServer';
import { CONTINUE, RETRY_ON_FAIL } from '../../../support/sends';

const server = useScriptedServer();
const execute = executeAt(server);

const respondIn = (encoding: BufferEncoding, type: string, body: unknown, status = 200) =>
	server.respondWith((response) => {
		response.writeHead(status, { 'content-type': type });
		response.end(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), encoding));
	});

test.each<[BufferEncoding, string, mark: string]>([
	['latin1', 'application/json; charset=ISO-8859-1', ''],
	['utf16le', 'application/json', '\ufeff'],
	['utf8', 'application/json; charset=none', ''],
])('a response in %s, as %s, is read', async (encoding, type, mark) => {
	const messages = [{ id: 1, from: 'João' }];
	respondIn(encoding, type, mark + JSON.stringify(messages));
	expect((await execute('getMessages')).json).toEqual(messages);
	respondIn(encoding, type, mark + JSON.stringify({ message: 'O número é inválido' }), 422);
	expect((await execute('sendImage')).error?.message).toBe('O número é inválido (HTTP 422)');
});

const OK = 'HTTP/1.1 200 OK\r\n';
const LENGTHS = `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`;

test.each([
	['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'did not respond in HTTP'],
	['another protocol', 'HELLO\r\n\r\n', 'did not respond in HTTP'],
	['both lengths', LENGTHS, 'is not valid HTTP'],
	['a space in a name', `${OK}my header: x\r\n\r\n{}`, 'is not valid HTTP'],
	['an unknown version', 'HTTP/9.9 200 OK\r\n\r\n', 'is not valid HTTP'],
	['20 kB of cookies', `${OK}set-cookie: ${'x'.repeat(20_000)}\r\n\r\n{}`, 'are too long'],
	['half of a response', `${OK}content-length: 20\r\n\r\n{`, 'was lost before'],
])('%s: what happened is told, without network codes', async (_what, text, message) => {
	server.respondWith((_response, socket) => socket.end(text));
	const { json } = await execute('sendImage', {}, { settings: CONTINUE });
	const error = json[0].error as IDataObject;
	expect(error.message).toContain(message);
	expect(error.delivery).toBe('unknown');
	expect(JSON.stringify(error)).not.toMatch(/HPE_|ECONN/);
});

// Older versions of n8n pass on what is not in an encoding that they do not know.
const ENCODINGS = ['br', 'gzip', 'deflate', ...(IS_OTHER_VERSION ? [] : ['zstd'])];
test.each(ENCODINGS)('a response that is not in %s is told', async (encoding) => {
	server.respondWith({ headers: { 'content-encoding': encoding }, body: '{"id": "1"}' });
	const { error } = await execute('sendImage');
	expect(error?.description).toContain(
		"but received a body that cannot be decompressed. Ask the service's operator. The image may",
	);
});

/** n8n then runs a node again whose first item has a field `error`, whatever it contains: docs/troubleshooting.md, "Retries". */
test("with n8n's Retry On Fail, a first item with an error is read again, and not sent again", async () => {
	const settings = RETRY_ON_FAIL;
	const messages = [{ error: '', id: 1 }, { id: 2 }];
	server.respondWith({ body: messages });
	expect((await execute('getMessages', {}, { settings })).json).toEqual(messages);
	expect(server.requests).toHaveLength(3);
	server.respondWith({ body: { id: 'm1', error: '' } });
	expect((await execute('sendImage', {}, { settings })).json).toEqual([{ id: 'm1' }]);
	expect(server.requests).toHaveLength(4);
});
