import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../../tools/n8n/exampleWorkflows';
import { outputsOf, type Execution } from '../../../tools/n8n/rest';
import { respondAfter } from '../../support/scriptedServer';
import {
	afterRequests,
	DROPPED,
	numberOf,
	REFUSED,
	requestedNumbers,
	respondByNumber,
} from '../../support/sendService';
import { N8N_LIMIT_MS, waitUntil } from '../../support/waitUntil';
import { createSendParameters, NODE, publishWebhook } from '../../support/webhookWorkflow';
import { createNode } from '../../support/workflow';
import { addLoop, saveSends, type RealN8n } from '../realN8n';
import type { Service, UpgradeTest } from './upgradeTest';

const CONTINUE = { onError: 'continueRegularOutput' } as const;
const CLOCK = '=Sent at {{ $now.toMillis() }}';

const rowsOf = (...numbers: string[]) => numbers.map((number) => ({ number }));
const idsOf = (...numbers: string[]) => numbers.map((number) => `m${number}`);

/** Of each item the id, or what became of it. */
const resultsOf = (items: INodeExecutionData[]) =>
	items.map(({ json: { id, sent, skipped, error } }) => {
		if (error) return (error as IDataObject).delivery;
		return id ?? (sent ? 'sent' : skipped ? 'skipped' : undefined);
	});
const outputOf = (execution: Execution, node = NODE) => resultsOf(outputsOf(execution, node)[0]);

const ROWS = Array.from({ length: 100 }, (_, i) => ({ number: String(49151000000 + i) }));
/** The service sends this one, and never responds. */
const STALLED = ROWS[50].number;
/** How long the service takes for a send, so that n8n's database is written several times while the list is sent. */
const SERVICE_MS = 20;

/** The results of a retry that knows what was sent, except for the last batch. */
const CONTINUED = /^(sent )+(unknown )+(m\d+ ?)+$/;

/**
 * Starts to send all rows, and resolves in the middle of them.
 *
 * @returns retries the execution after the crash
 */
async function cutOff(
	n8n: RealN8n,
	{ server, credentials }: Service,
	options: INode['parameters'] = {},
): Promise<() => Promise<{ results: string; sentTwice: string[] }>> {
	const parameters = createSendParameters('https://example.com/a.png', options);
	const workflow = await publishWebhook(n8n, { parameters, credentials, ...CONTINUE });
	const stalled = new Promise<void>((resolve) =>
		server.onRequest((request) => {
			const number = numberOf(request);
			if (number !== STALLED) return respondAfter(SERVICE_MS, { id: `m${number}` });
			resolve();
			return () => {};
		}),
	);
	await workflow.post(ROWS);
	await stalled;
	return async () => {
		const before = requestedNumbers(server);
		server.requests.length = 0;
		respondByNumber(server);
		const [crashed] = await workflow.waitForExecutions(1);
		const retried = await n8n.rest.retry(crashed, 'original');
		expect(outputsOf(retried, NODE)[0]).toHaveLength(ROWS.length);
		return {
			results: outputOf(retried).join(' '),
			sentTwice: requestedNumbers(server).filter((number) => before.includes(number)),
		};
	};
}

export const sends: Record<string, UpgradeTest> = {
	'Send Once per ID skips what the earlier version sent, and sends what it released': async ({
		n8n,
		service: { server, credentials },
	}) => {
		respondByNumber(server, { 49152: [REFUSED], 49153: [DROPPED] });
		const workflow = await saveSends(n8n.rest, rowsOf('49151', '49152', '49153'), {
			...CONTINUE,
			parameters: { options: { sendOnceId: '=order {{ $json.number }}' } },
			credentials,
		});
		const before = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(outputOf(before)).toEqual(['m49151', 'notSent', 'unknown']);
		return async () => {
			const after = await n8n.rest.run(workflow, MANUAL_TRIGGER);
			expect(outputOf(after)).toEqual(['skipped', 'm49152', 'skipped']);
			expect(requestedNumbers(server)).toEqual(['49151', '49152', '49153', '49152']);
		};
	},

	'a retry of a failed execution sends only what was not sent': async ({
		n8n,
		service: { server, credentials },
	}) => {
		const numbers = ['49151', '49152', '49153'];
		respondByNumber(server, { 49152: [afterRequests(server, 3).refuse] });
		const workflow = await saveSends(n8n.rest, rowsOf(...numbers), {
			parameters: { caption: CLOCK, options: { concurrency: 3 } },
			credentials,
		});
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(failed.status).toBe('error');
		expect(server.requests).toHaveLength(3);
		return async () => {
			server.requests.length = 0;
			const retried = await n8n.rest.retry(failed, 'original');
			expect(retried.status).toBe('success');
			expect(outputOf(retried)).toEqual(idsOf(...numbers));
			expect(requestedNumbers(server)).toEqual(['49152']);
			const again = await n8n.rest.retry(failed, 'current');
			expect(outputOf(again)).toEqual(['m49151', 'sent', 'm49153']);
			expect(server.requests).toHaveLength(1);
		};
	},

	'so does one with an edited workflow': async ({ n8n, service: { server, credentials } }) => {
		const numbers = ['49151', '49152', '49153'];
		respondByNumber(server, { 49152: [REFUSED] });
		const workflow = await saveSends(n8n.rest, rowsOf(...numbers), { credentials });
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(failed.status).toBe('error');
		return async () => {
			workflow.nodes[1].parameters.number = '={{ $json.number.trim() }}';
			await n8n.rest.save(workflow);
			const retried = await n8n.rest.retry(failed, 'current');
			expect(outputOf(retried)).toEqual(idsOf(...numbers));
			expect(requestedNumbers(server)).toEqual(['49151', '49152', '49152', '49153']);
		};
	},

	'what is unknown stays so, unless Resend When Uncertain is on': async ({
		n8n,
		service: { server, credentials },
	}) => {
		const { drop, fail, refuse } = afterRequests(server, 4);
		respondByNumber(server, { 49152: [drop], 49153: [fail], 49154: [refuse] });
		const rows = rowsOf('49151', '49152', '49153', '49154');
		const options = { concurrency: 4 };
		const workflow = await saveSends(n8n.rest, rows, {
			parameters: { caption: CLOCK, options },
			credentials,
		});
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(failed.status).toBe('error');
		expect(server.requests).toHaveLength(4);
		const node = workflow.nodes[1];
		return async () => {
			server.requests.length = 0;
			Object.assign(node, CONTINUE);
			await n8n.rest.save(workflow);
			const retried = await n8n.rest.retry(failed, 'current');
			expect(outputOf(retried)).toEqual(['m49151', 'unknown', 'unknown', 'm49154']);
			expect(requestedNumbers(server)).toEqual(['49154']);

			const stopped = await n8n.rest.retry(failed, 'original');
			expect(stopped.data.resultData.error).toMatchObject({
				message: expect.stringMatching(
					/^An earlier attempt .*\((ECONNRESET|HTTP 502)\) \[item [12]\]$/,
				) as string,
			});
			expect(server.requests).toHaveLength(1);

			node.parameters.options = { ...options, resendUncertain: true };
			await n8n.rest.save(workflow);
			const resent = await n8n.rest.retry(failed, 'current');
			expect(outputOf(resent)).toEqual(['m49151', 'm49152', 'm49153', 'sent']);
			expect(requestedNumbers(server)).toEqual(['49154', '49152', '49153']);
		};
	},

	'a loop that failed in its second round goes on there': async ({
		n8n,
		service: { server, credentials },
	}) => {
		const { drop, refuse } = afterRequests(server, 4);
		respondByNumber(server, { 49153: [drop], 49154: [refuse] });
		const rows = rowsOf('49151', '49152', '49153', '49154', '49155');
		const workflow = await saveSends(n8n.rest, rows, {
			parameters: { options: { concurrency: 2 } },
			credentials,
		});
		addLoop(workflow, 2);
		await n8n.rest.save(workflow);
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(failed.status).toBe('error');
		expect(server.requests).toHaveLength(4);
		return async () => {
			server.requests.length = 0;
			const stopped = await n8n.rest.retry(failed, 'original');
			expect(stopped.status).toBe('error');
			Object.assign(workflow.nodes[1], CONTINUE);
			await n8n.rest.save(workflow);
			const retried = await n8n.rest.retry(failed, 'current');
			expect(outputOf(retried, 'Success')).toEqual([
				'm49151',
				'm49152',
				'unknown',
				'm49154',
				'm49155',
			]);
			expect(requestedNumbers(server)).toEqual(['49154', '49155']);
		};
	},

	'an execution that waits between two sends goes on': async ({
		n8n,
		service: { server, credentials },
	}) => {
		respondByNumber(server);
		const workflow = await saveSends(n8n.rest, rowsOf('49151', '49152'), {
			parameters: { caption: '={{ $execution.resumeUrl }}' },
			credentials,
		});
		const wait = createNode('Wait', {
			type: 'n8n-nodes-base.wait',
			typeVersion: 1.1,
			webhookId: 'wait',
			// Only between the two sends: n8n loses an execution that is resumed the moment it begins to wait ("No active
			// execution found"), and after the second send, nothing tells from outside when that moment is over.
			parameters: {
				resume: "={{ $runIndex === 0 ? 'webhook' : 'timeInterval' }}",
				amount: 0,
				unit: 'seconds',
				// n8n requires the fields of every way to resume if an expression selects it.
				dateTime: '2000-01-01',
				formTitle: 'Unused',
				options: {},
			},
		});
		addLoop(workflow, 1, wait);
		await n8n.rest.save(workflow);
		const id = await n8n.rest.start(workflow, MANUAL_TRIGGER);
		await waitUntil(
			'the execution to wait',
			async (saw) => saw((await n8n.rest.listExecutions(workflow))[0].status) === 'waiting',
			N8N_LIMIT_MS,
		);
		return async () => {
			const { caption } = server.requests[0].body as { caption: string };
			const { pathname, search } = new URL(caption);
			const resumed = await fetch(`${n8n.rest.url}${pathname}${search}`);
			expect(resumed.status).toBe(200);
			const execution = await n8n.rest.waitForExecution(id);
			expect(execution.status).toBe('success');
			expect(requestedNumbers(server)).toEqual(['49151', '49152']);
			const runs = execution.data.resultData.runData[NODE];
			expect(runs.flatMap(({ data }) => resultsOf(data!.main[0]!))).toEqual(
				idsOf('49151', '49152'),
			);
		};
	},

	'a list that was cut off is continued with Send Once per ID: nobody gets a second message':
		async ({ n8n, service }) => {
			const retry = await cutOff(n8n, service, { sendOnceId: '={{ $json.number }}' });
			return async () => {
				const { results, sentTwice } = await retry();
				expect(results).toMatch(CONTINUED);
				expect(sentTwice).toEqual([]);
			};
		},

	'so it is without': async ({ n8n, service }) => {
		const retry = await cutOff(n8n, service);
		return async () => {
			const { results, sentTwice } = await retry();
			expect(results).toMatch(CONTINUED);
			expect(sentTwice).toEqual([]);
		};
	},
};
