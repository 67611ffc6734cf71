/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests look at who listens to a signal */
import { getEventListeners } from 'node:events';

import {
	apiRequest,
	DEFAULT_TIMEOUT_MS,
	loadCredential,
	STATUS_REQUEST,
} from '../../../../nodes/MessagingAccount/transport/request';
import { CREDENTIAL } from '../../../support/engine';
import { executeContext } from '../../../support/executeContext';
import { startScriptedServer, type ScriptedServer } from '../../../support/scriptedServer';

let server: ScriptedServer;

beforeEach(async () => {
	server = await startScriptedServer();
});

afterEach(async () => {
	await server.close();
});

/** Makes a request in an execution that the signal cancels. */
async function request(canceled: AbortSignal): Promise<unknown> {
	const credential = { baseUrl: server.url, ...CREDENTIAL };
	const context = executeContext({ parameters: {} }, [{}], credential);
	jest.spyOn(context, 'getExecutionCancelSignal').mockReturnValue(canceled);
	return await apiRequest(
		context,
		await loadCredential(context),
		STATUS_REQUEST,
		DEFAULT_TIMEOUT_MS,
	);
}

test('a request is not made where the execution was canceled before', async () => {
	await expect(request(AbortSignal.abort())).rejects.toThrow('The execution was canceled');
	expect(server.requests).toEqual([]);
});

test('a response that cannot be decompressed is reported', async () => {
	server.answer({ headers: { 'content-encoding': 'gzip' }, body: 'not packed' });
	await expect(request(new AbortController().signal)).rejects.toMatchObject({
		description: expect.stringContaining('received a body that cannot be decompressed') as string,
	});
});

test('a request that is over leaves nothing with the execution', async () => {
	const { signal } = new AbortController();
	server.answer({ body: { is_connected: true } });
	expect(await request(signal)).toEqual({ is_connected: true });
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});
