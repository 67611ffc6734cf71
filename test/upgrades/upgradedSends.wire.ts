import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL, runNode, type NodeRun } from '../support/engine';
import { useScriptedServer } from '../support/scriptedServer';
import { DROPPED, REFUSED, requestedNumbers } from '../support/sendService';
import { createEarlierNode } from './earlierNodes';
import { EARLIER_VERSIONS } from './saved';

const server = useScriptedServer();

const SEND: INodeParameters = {
	operation: 'sendImage',
	number: '={{ $json.number }}',
	url: 'https://example.com/a.png',
};

describe.each(EARLIER_VERSIONS)('a retry of what %s has sent', (version) => {
	const nodeType = createEarlierNode(version, 'MessagingAccount');
	const run = async (settings: Partial<NodeRun>) =>
		await runNode({
			parameters: SEND,
			credential: { baseUrl: server.url, ...CREDENTIAL },
			...settings,
		});

	/** Lets the earlier version send to the first number, be refused at the second, and stop. */
	async function failAtSecond(
		numbers: Array<string | number>,
		parameters = SEND,
	): Promise<Partial<NodeRun>> {
		const items = numbers.map((number) => ({ number }));
		server.onRequest(() => (server.requests.length === 2 ? REFUSED : { body: { id: 'first' } }));
		const { context, error } = await run({ items, parameters, nodeType });
		expect(error).toBeDefined();
		expect(server.requests).toHaveLength(2);
		server.requests.length = 0;
		server.respondWith({ body: { id: 'now' } });
		return { items, context };
	}

	test.each([
		'49151000001',
		49151000001,
		'+49 (151) 000-001',
		'0049 151 000001',
		'+44 (0)20 7946 0018',
		'\u00a0+49 151 000001',
	])('sends nothing again to %j', async (number) => {
		const retried = await run(await failAtSecond([number, '49152000002']));
		expect(requestedNumbers(server)).toEqual(['49152000002']);
		expect(retried.outputs[0].map(({ json }) => json.id)).toEqual(['first', 'now']);
	});

	test('sends to a number that was corrected', async () => {
		const failed = await failAtSecond(['49151000001', '49152000002']);
		const items = [{ number: '49151000003' }, { number: '49152000002' }] as IDataObject[];
		await run({ ...failed, items });
		expect(requestedNumbers(server)).toEqual(['49151000003', '49152000002']);
	});

	test('sends nothing again with the time in the caption', async () => {
		const parameters = { ...SEND, caption: '=Sent at {{ $now.toMillis() }}' };
		await run({ ...(await failAtSecond(['49151000001', '49152000002'], parameters)), parameters });
		expect(requestedNumbers(server)).toEqual(['49152000002']);
	});

	test('sends nothing again that is unknown, unless Resend When Uncertain is on', async () => {
		const items = [{ number: '49151000001' }];
		server.respondWith(DROPPED);
		const { context } = await run({ items, nodeType });
		server.respondWith({ body: { id: 'now' } });
		const retried = await run({ items, context });
		expect(retried.error).toMatchObject({
			message: expect.stringMatching(/^An earlier attempt .*\(ECONNRESET\)/) as string,
		});
		expect(server.requests).toHaveLength(1);
		const parameters = { ...SEND, options: { resendUncertain: true } };
		const resent = await run({ items, context: retried.context, parameters });
		expect(resent.outputs[0].map(({ json }) => json.id)).toEqual(['now']);
	});
});
