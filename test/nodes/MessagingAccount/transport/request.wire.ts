import { getEventListeners } from 'node:events';

import {
	DEFAULT_TIMEOUT_MS,
	ServiceClient,
	STATUS_REQUEST,
} from '../../../../nodes/MessagingAccount/transport/request';
import { createExecuteContext, CREDENTIAL } from '../../../support/engine';
import { useScriptedServer } from '../../../support/scriptedServer';

const server = useScriptedServer();

/** Makes a request in an execution that `signal` cancels. */
async function request(signal: AbortSignal): Promise<unknown> {
	const credential = { baseUrl: server.url, ...CREDENTIAL };
	const context = createExecuteContext({ parameters: {} }, [{}], credential);
	jest.spyOn(context, 'getExecutionCancelSignal').mockReturnValue(signal);
	return await new ServiceClient(context).request(STATUS_REQUEST, DEFAULT_TIMEOUT_MS, 0);
}

test('makes no request if the execution was canceled before', async () => {
	await expect(request(AbortSignal.abort())).rejects.toThrow('The execution was canceled');
	expect(server.requests).toEqual([]);
});

test('leaves no listener on the signal after a request', async () => {
	const { signal } = new AbortController();
	server.respondWith({ body: { is_connected: true } });
	expect(await request(signal)).toMatchObject({ body: { is_connected: true } });
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});
