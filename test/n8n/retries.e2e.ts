/* eslint-disable @n8n/community-nodes/no-restricted-imports -- the test answers when it wants to */
import type { ServerResponse } from 'node:http';

import type { IDataObject, INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/examples';
import { outputsOf, type Execution } from '../../tools/n8n/rest';
import { startScriptedServer, type Script, type ScriptedServer } from '../support/scriptedServer';
import { saveCredential, saveSends, startRealN8n, type RealN8n } from './realN8n';

const NODE = 'Messaging Account';
const THREE_TRIES = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const LOST: Script = (_response, socket) => socket.destroy();
const REFUSED: Script = { status: 422 };

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

beforeAll(async () => {
	server = await startScriptedServer();
	n8n = await startRealN8n();
	credentials = await saveCredential(n8n.rest, {
		baseUrl: server.url,
		clientId: 'client-7f3a',
		token: 'token-91c2-5d',
	});
});

afterAll(async () => {
	await n8n?.stop();
	await server?.close();
});

/** Answers with the number as the id, but for the numbers that are listed: with these, then with the number, too. */
function answerBut(scripts: Record<string, Script[]>): void {
	server.requests.length = 0;
	const queues = new Map(
		Object.entries(scripts).map(([number, queue]): [string, Script[]] => [number, [...queue]]),
	);
	server.answerEach(({ body }) => {
		const number = (body as IDataObject).number as string;
		return queues.get(number)?.shift() ?? { body: { id: `m${number}` } };
	});
}

const requested = () => server.requests.map(({ body }) => (body as IDataObject).number);
const outputOf = (execution: Execution, node = NODE, output = 0) =>
	outputsOf(execution, node)[output]?.map(({ json }) => json) ?? [];
const outcomesOf = (items: IDataObject[]) =>
	items.map(({ id, skipped, error }) => id ?? skipped ?? (error as IDataObject).delivery);
const errorOf = ({ data }: Execution) => data.resultData.error;

const save = async (
	numbers: string[],
	node: Partial<INode> = {},
	options: INode['parameters'] = {},
) => {
	const items = numbers.map((number) => ({ number }));
	return await saveSends(n8n.rest, items, { credentials, ...node, parameters: { options } });
};

const run = async (...workflow: Parameters<typeof save>) =>
	await n8n.rest.run(await save(...workflow), MANUAL_TRIGGER);

describe('Retry On Fail', () => {
	test('with On Error "Stop" sends only what is left', async () => {
		answerBut({ '3': [REFUSED, REFUSED] });
		const execution = await run(['1', '2', '3', '4'], THREE_TRIES);
		expect(execution.status).toBe('success');
		expect(requested()).toEqual(['1', '2', '3', '3', '3', '4']);
		expect(outputOf(execution)).toEqual(['1', '2', '3', '4'].map((n) => ({ id: `m${n}` })));
	});

	test('with On Error "Stop" does not send again what is uncertain', async () => {
		answerBut({ '2': [LOST] });
		const execution = await run(['1', '2', '3'], THREE_TRIES);
		expect(execution.status).toBe('error');
		expect(requested()).toEqual(['1', '2']);
		expect(errorOf(execution)).toMatchObject({
			message:
				'An earlier attempt to send this item ended without a clear result (ECONNRESET) [item 1]',
			description: expect.stringContaining('check the chat') as string,
		});
	});

	// n8n runs the whole node again when the first item of the output is a failed one.
	test.each([
		['continueRegularOutput', ['m1', 'm2', 'unknown', 'm4']],
		['continueErrorOutput', ['m1', 'm2', 'm4']],
	] as const)('with On Error "%s" sends only what is left', async (onError, expected) => {
		answerBut({ '1': [REFUSED], '3': [LOST] });
		const execution = await run(['1', '2', '3', '4'], { ...THREE_TRIES, onError });
		expect(requested()).toEqual(['1', '2', '3', '4', '1']);
		expect(outcomesOf(outputOf(execution))).toEqual(expected);
		if (onError === 'continueErrorOutput') {
			expect(outcomesOf(outputOf(execution, NODE, 1))).toEqual(['unknown']);
		}
	});

	test('inside Loop Over Items holds for each round by itself', async () => {
		answerBut({ '2': [REFUSED], '3': [LOST], '5': [REFUSED, REFUSED] });
		const workflow = await save(['1', '2', '3', '4', '5', '5'], {
			...THREE_TRIES,
			onError: 'continueRegularOutput',
		});
		const loop = 'Loop Over Items';
		workflow.nodes.push({
			id: 'loop',
			name: loop,
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			position: [100, 0],
			parameters: { batchSize: 2, options: {} },
		});
		const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
		workflow.connections = {
			[MANUAL_TRIGGER]: { main: [to(loop)] },
			[loop]: { main: [to('Success'), to(NODE)] },
			[NODE]: { main: [to(loop)] },
		};
		await n8n.rest.save(workflow);
		const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(execution.status).toBe('success');
		// The second round fails at its first item, the third one at its first item, twice.
		expect(requested()).toEqual(['1', '2', '3', '4', '5', '5', '5', '5']);
		expect(outcomesOf(outputOf(execution, 'Success'))).toEqual([
			'm1',
			'notSent',
			'unknown',
			'm4',
			'm5',
			'm5',
		]);
	});
});

describe('Retry execution', () => {
	test('sends only what is left, also with the time in the caption; its output is complete', async () => {
		answerBut({ '2': [REFUSED] });
		const workflow = await save(['1', '2', '3']);
		workflow.nodes[1].parameters.caption = '=Sent at {{ $now.toMillis() }}';
		await n8n.rest.save(workflow);
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(failed.status).toBe('error');
		const retried = await n8n.rest.retry(failed, 'original');
		expect(retried.status).toBe('success');
		expect(requested()).toEqual(['1', '2', '2', '3']);
		expect(outputOf(retried)).toEqual(['1', '2', '3'].map((n) => ({ id: `m${n}` })));
	});

	test('does not send again what is uncertain, however often it is retried, unless that is set', async () => {
		answerBut({ '2': [LOST] });
		const workflow = await save(['1', '2', '3']);
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		const again = await n8n.rest.retry(failed, 'original');
		const andAgain = await n8n.rest.retry(again, 'current');
		expect(andAgain.status).toBe('error');
		expect(requested()).toEqual(['1', '2']);

		workflow.nodes[1].parameters.options = { resendUncertain: true };
		await n8n.rest.save(workflow);
		const resent = await n8n.rest.retry(andAgain, 'current');
		expect(resent.status).toBe('success');
		expect(requested()).toEqual(['1', '2', '2', '3']);
		expect(outputOf(resent)).toEqual(['1', '2', '3'].map((n) => ({ id: `m${n}` })));
	});

	test('takes an item whose caption was changed for a new one', async () => {
		answerBut({ '2': [REFUSED] });
		const workflow = await save(['1', '2']);
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		workflow.nodes[1].parameters.caption = '={{ $json.number === "1" ? "Changed" : "" }}';
		await n8n.rest.save(workflow);
		const retried = await n8n.rest.retry(failed, 'current');
		expect(retried.status).toBe('success');
		expect(requested()).toEqual(['1', '2', '1', '2']);
	});

	test('inside Retry On Fail, with concurrent sends', async () => {
		answerBut({ '5': [REFUSED, REFUSED, REFUSED] });
		const numbers = Array.from({ length: 10 }, (_, i) => String(i));
		const failed = await run(numbers, THREE_TRIES, { concurrency: 5 });
		expect(failed.status).toBe('error');
		const retried = await n8n.rest.retry(failed, 'original');
		expect(outputOf(retried)).toEqual(numbers.map((n) => ({ id: `m${n}` })));
		for (const number of numbers) {
			const times = requested().filter((other) => other === number).length;
			expect([number, times]).toEqual([number, number === '5' ? 4 : 1]);
		}
	});
});

describe('Stop execution', () => {
	test('starts no send any more', async () => {
		answerBut({});
		const numbers = Array.from({ length: 200 }, (_, i) => String(i));
		const workflow = await save(numbers, {}, { concurrency: 2, delayBetweenSends: 100 });
		const sent: Script = { body: { id: 'm' } };
		const underWay: ServerResponse[] = [];
		const begun = new Promise<void>((resolve) =>
			server.answerEach(() => {
				if (server.requests.length < 3) return sent;
				return (response) => {
					underWay.push(response);
					resolve();
				};
			}),
		);
		const id = await n8n.rest.start(workflow, MANUAL_TRIGGER);
		await begun;
		await n8n.rest.post(`/rest/executions/${id}/stop`);
		expect((await n8n.rest.waitForExecution(id)).status).toBe('canceled');
		server.answer(sent);
		for (const response of underWay) response.end('{ "id": "m" }');
		const atStop = server.requests.length;
		// Three sends of another execution, with the same delay: time for the stopped one to send, if it did.
		await run(['901', '902', '903'], {}, { delayBetweenSends: 100 });
		expect(requested().slice(atStop)).toEqual(['901', '902', '903']);
		expect(atStop).toBeLessThanOrEqual(4);
	});
});
