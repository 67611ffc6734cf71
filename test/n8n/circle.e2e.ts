import type { INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { hasEnded, outputsOf, type SavedWorkflow } from '../../tools/n8n/rest';
import type { ScriptedServer } from '../support/scriptedServer';
import { DROPPED, REFUSED, requestedNumbers, respondByNumber } from '../support/sendService';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { connectTo, createNode } from '../support/workflow';
import { addLoop, saveSends, useRealN8nWithServer, type RealN8n } from './realN8n';

const NODE = 'Messaging Account';

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

const setNode = (include: boolean) =>
	createNode('Edit Fields', {
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: {
			assignments: {
				assignments: [{ id: 'a', name: 'number', type: 'string', value: '={{ $json.number }}' }],
			},
			includeOtherFields: include,
			options: {},
		},
	});

const WAYS_BACK: Array<[string, INode[]]> = [
	['directly', []],
	[
		'through No Operation',
		[createNode('No Operation', { type: 'n8n-nodes-base.noOp', parameters: {} })],
	],
	['through Edit Fields', [setNode(true)]],
	[
		'through Wait',
		[
			createNode('Wait', {
				type: 'n8n-nodes-base.wait',
				typeVersion: 1.1,
				parameters: { amount: 0 },
				webhookId: 'w',
			}),
		],
	],
];

const UNKNOWN = '49151001';
const REFUSED_AGAIN_AND_AGAIN = '49151002';

/** Saves a workflow whose error output leads back to the node. */
async function saveCircle(between: INode[], numbers: string[]) {
	server.requests.length = 0;
	const refusals = Array.from({ length: 100 }, () => REFUSED);
	respondByNumber(server, { [UNKNOWN]: [DROPPED], [REFUSED_AGAIN_AND_AGAIN]: refusals });
	const items = numbers.map((number) => ({ number }));
	const workflow = await saveSends(n8n.rest, items, {
		credentials,
		onError: 'continueErrorOutput',
	});
	workflow.nodes.push(...between);
	const back = between.map(({ name }) => name);
	workflow.connections[NODE].main = [connectTo('Success'), connectTo(back[0] ?? NODE)];
	for (const [i, name] of back.entries()) {
		workflow.connections[name] = { main: [connectTo(back[i + 1] ?? NODE)] };
	}
	// Otherwise, n8n stores nothing before the end.
	const settings = { executionOrder: 'v1', saveExecutionProgress: true };
	await n8n.rest.save({ ...workflow, settings } as SavedWorkflow);
	return workflow;
}

async function runUntil(rounds: number, ...circle: Parameters<typeof saveCircle>) {
	const id = await n8n.rest.start(await saveCircle(...circle), MANUAL_TRIGGER);
	const hasComeRound = async (saw: Saw) => {
		const { data } = await n8n.rest.execution(id);
		return saw(data?.resultData?.runData[NODE]?.length ?? 0) >= rounds;
	};
	await waitUntil(`${rounds} rounds`, hasComeRound, N8N_LIMIT_MS);
	expect((await fetch(`${n8n.rest.url}/healthz`)).status).toBe(200);
	const hasStopped = async (saw: Saw) => {
		const execution = await n8n.rest.execution(id);
		saw(execution.status);
		if (hasEnded(execution)) return true;
		// n8n 1 may store the progress just after the end, with the status from before: as "running", for ever.
		await n8n.rest.stop({ id });
		return false;
	};
	await waitUntil('the end of the execution', hasStopped, N8N_LIMIT_MS);
	const execution = await n8n.rest.waitForExecution(id);
	expect(execution.status).toBe('canceled');
	expect(requestedNumbers(server).filter((number) => number === UNKNOWN)).toHaveLength(1);
	return execution;
}

test.each(WAYS_BACK)(
	'what comes back from the error output %s waits, longer each time',
	async (_name, between) => {
		const { data } = await runUntil(5, between, [
			UNKNOWN,
			'call me',
			'49151003',
			REFUSED_AGAIN_AND_AGAIN,
		]);
		const rounds = data.resultData.runData[NODE];
		// A timer can be early by a millisecond or two.
		expect(rounds[3].executionTime).toBeGreaterThan(900);
		expect(rounds[4].executionTime).toBeGreaterThan(1900);
		expect(rounds[4].hints).toEqual([
			expect.objectContaining({
				message: expect.stringContaining('3 items come back to this node again') as string,
			}),
		]);
	},
);

test('what comes back without the error leaves n8n time for others', async () => {
	const { data } = await runUntil(25, [setNode(false)], [UNKNOWN, 'call me']);
	expect(data.resultData.runData[NODE][24].hints ?? []).toEqual([]);
});

// How long its rounds wait: circle.test.ts.
test('a loop over many bad rows is not taken for a circle', async () => {
	server.requests.length = 0;
	respondByNumber(server);
	const items = Array.from({ length: 30 }, () => ({ number: 'call me' }));
	const workflow = await saveSends(n8n.rest, items, {
		credentials,
		onError: 'continueRegularOutput',
	});
	addLoop(workflow, 1);
	await n8n.rest.save(workflow);
	const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	const errors = outputsOf(execution, 'Success')[0].map(({ json }) => json.error);
	expect(errors).toHaveLength(items.length);
	for (const error of errors) expect(error).not.toHaveProperty('repeats');
	expect(execution.data.resultData.runData[NODE].flatMap(({ hints }) => hints ?? [])).toEqual([]);
});
