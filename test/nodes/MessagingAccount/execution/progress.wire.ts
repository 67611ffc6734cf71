import * as sleeping from '../../../../nodes/MessagingAccount/n8n/sleep';
import { ItemRunner } from '../../../../nodes/MessagingAccount/execution/itemRunner';
import { sendImage } from '../../../../nodes/MessagingAccount/operations/sendImage.operation';
import { CREDENTIAL } from '../../../support/engine';
import { createExecuteContext } from '../../../support/executeContext';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import { useScriptedServer } from '../../../support/scriptedServer';

const { sleepUnlessAborted } = sleeping;
const server = useScriptedServer();
useProcessedDataStore();
afterEach(() => jest.restoreAllMocks());

test('a list logs once a minute how far it is, and nothing about a recipient', async () => {
	const lines: string[] = [];
	let endMinute: (() => void) | undefined;
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
		// A timeout of a request is as long.
		if (ms !== 60_000 || endMinute) return await sleepUnlessAborted(ms, signal);
		await new Promise<void>((resolve) => (endMinute = resolve));
		return true;
	});
	server.onRequest(() => {
		const count = server.requests.length;
		if (count === 4) endMinute?.();
		return count === 2 ? { status: 422 } : { body: { id: 'm' } };
	});
	const parameters = {
		operation: 'sendImage',
		number: '={{ $json.number }}',
		url: 'https://example.com/a.png',
	};
	const items = Array.from({ length: 6 }, (_, i) => ({ number: `4915100000${i}` }));
	const context = createExecuteContext({ parameters }, items, {
		baseUrl: server.url,
		...CREDENTIAL,
	});
	const logger = { info: (line: string) => lines.push(line) };
	Object.defineProperty(context, 'logger', { value: logger });
	await new ItemRunner(context, sendImage, false).run();
	expect(lines).toEqual(['Messaging Account: Send Image: 3 of 6 items, 2 sent, 1 failed']);
});
