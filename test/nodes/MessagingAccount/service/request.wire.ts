import {
	exchange,
	openSession,
	STATUS_REQUEST,
} from '../../../../nodes/MessagingAccount/service/request';
import { CREDENTIAL } from '../../../support/engine';
import { executeContext } from '../../../support/executeContext';
import { startScriptedServer } from '../../../support/scriptedServer';

test('a request is not made where the execution was canceled before', async () => {
	const server = await startScriptedServer();
	const credential = { baseUrl: server.url, ...CREDENTIAL };
	const context = executeContext({ parameters: {} }, [{}], credential);
	jest.spyOn(context, 'getExecutionCancelSignal').mockReturnValue(AbortSignal.abort());
	const session = await openSession(context);
	const answer = exchange(context, session, STATUS_REQUEST, 1000);
	await expect(answer).rejects.toThrow('The execution was canceled');
	expect(server.requests).toEqual([]);
	await server.close();
});
