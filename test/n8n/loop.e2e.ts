import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { hasEnded, type SavedWorkflow } from '../../tools/n8n/rest';
import { DROPPED, REFUSED, requestedNumbers, respondByNumber } from '../support/sendService';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { NODE } from '../support/webhookWorkflow';
import { connectInSequence, connectTo, createNode } from '../support/workflow';
import { saveSends, useRealN8nWithServer } from './realN8n';

const { server, n8n, credentials } = useRealN8nWithServer();

const NUMBER = { id: 'a', name: 'number', value: '={{ $json.number }}', type: 'string' };

const WAY_BACK = [
	createNode('Edit Fields', {
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { assignments: { assignments: [NUMBER] }, includeOtherFields: true, options: {} },
	}),
	createNode('No Operation', { type: 'n8n-nodes-base.noOp', parameters: {} }),
	createNode('Wait', {
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		parameters: { amount: 0 },
		webhookId: 'w',
	}),
];

const UNKNOWN = '49151001';
const REFUSED_AGAIN_AND_AGAIN = '49151002';

test('what comes back from the error output waits, longer each time, whatever nodes it comes through', async () => {
	respondByNumber(server, { [UNKNOWN]: [DROPPED], [REFUSED_AGAIN_AND_AGAIN]: REFUSED });
	const numbers = [UNKNOWN, 'call me', '49151003', REFUSED_AGAIN_AND_AGAIN];
	const items = numbers.map((number) => ({ number }));
	const onError = 'continueErrorOutput';
	const workflow = await saveSends(n8n.rest, items, { credentials, onError });
	workflow.nodes.push(...WAY_BACK);
	Object.assign(workflow.connections, {
		[NODE]: { main: [connectTo('Success'), connectTo(WAY_BACK[0].name)] },
		...connectInSequence([...WAY_BACK, workflow.nodes[1]]),
	});
	// Otherwise, n8n stores nothing before the end.
	const settings = { executionOrder: 'v1', saveExecutionProgress: true };
	await n8n.rest.save({ ...workflow, settings } as SavedWorkflow);

	const id = await n8n.rest.start(workflow, MANUAL_TRIGGER);
	const hasComeRound = async (saw: Saw) => {
		const { data } = await n8n.rest.execution(id);
		return saw(data?.resultData?.runData[NODE]?.length ?? 0) >= 5;
	};
	await waitUntil('five rounds', hasComeRound, N8N_LIMIT_MS);
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
	const { status, data } = await n8n.rest.waitForExecution(id);
	expect(status).toBe('canceled');
	expect(requestedNumbers(server).filter((number) => number === UNKNOWN)).toHaveLength(1);
	const rounds = data.resultData.runData[NODE];
	// A timer can be early by a millisecond or two.
	expect(rounds[3].executionTime).toBeGreaterThan(900);
	expect(rounds[4].executionTime).toBeGreaterThan(1900);
	expect(rounds[4].hints).toContainEqual(
		expect.objectContaining({
			message: expect.stringContaining('3 items come back to this node again') as string,
		}),
	);
});
