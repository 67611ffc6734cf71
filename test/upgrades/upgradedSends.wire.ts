import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL, runNode, type NodeRun } from '../support/engine';
import { useScriptedServer } from '../support/scriptedServer';
import { numberOf, REFUSED } from '../support/sendService';
import { createEarlierNode } from './earlierNodes';
import { EARLIER_VERSIONS } from './saved';

const server = useScriptedServer();

const SEND: INodeParameters = {
	operation: 'sendImage',
	number: '={{ $json.number }}',
	url: 'https://example.com/a.png',
};

describe.each(EARLIER_VERSIONS)('a retry of what %s has sent', (version) => {
	const run = async (settings: Partial<NodeRun>) =>
		await runNode({
			parameters: SEND,
			credential: { baseUrl: server.url, ...CREDENTIAL },
			...settings,
		});

	/** Lets the earlier version send to the first number, be refused at the second, and stop. */
	async function failAtSecond(numbers: Array<string | number>): Promise<Partial<NodeRun>> {
		const items = numbers.map((number) => ({ number }));
		server.onRequest(() => (server.requests.length === 2 ? REFUSED : { body: { id: 'first' } }));
		const nodeType = createEarlierNode(version, 'MessagingAccount');
		const { context, error } = await run({ items, nodeType });
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
		expect(server.requests.map(numberOf)).toEqual(['49152000002']);
		expect(retried.outputs[0].map(({ json }) => json.id)).toEqual(['first', 'now']);
	});

	test('sends to a number that was corrected', async () => {
		const failed = await failAtSecond(['49151000001', '49152000002']);
		const items = [{ number: '49151000003' }, { number: '49152000002' }] as IDataObject[];
		await run({ ...failed, items });
		expect(server.requests.map(numberOf)).toEqual(['49151000003', '49152000002']);
	});
});
