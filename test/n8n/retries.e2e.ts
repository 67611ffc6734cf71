import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { outputsOf, type Execution, type SavedWorkflow } from '../../tools/n8n/rest';
import {
	respondAfter,
	type RecordedRequest,
	type Script,
	type ScriptedServer,
} from '../support/scriptedServer';
import { DROPPED, numberOf, REFUSED, respondByNumber } from '../support/sendService';
import { testIfEndIsTold } from './skipByVersion';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { connectTo } from '../support/workflow';
import { addLoop, saveSends, useRealN8nWithServer, type RealN8n } from './realN8n';

const NODE = 'Messaging Account';
const RETRY_ON_FAIL = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

/** Recipients are named by the end of their numbers, e.g. 1 for 49151001. */
const NUMBER_START = '4915100';
const nameOf = (request: RecordedRequest) => numberOf(request).slice(NUMBER_START.length);

function respondExcept(scripts: Record<string, Script[]>): void {
	server.requests.length = 0;
	respondByNumber(server, scripts, nameOf);
}

const requested = () => server.requests.map(nameOf);
const outputOf = (execution: Execution, node = NODE, output = 0) =>
	outputsOf(execution, node)[output]?.map(({ json }) => json) ?? [];
const resultsOf = (items: IDataObject[]) =>
	items.map(({ id, skipped, error }) => id ?? skipped ?? (error as IDataObject).delivery);
const errorOf = ({ data }: Execution) => data.resultData.error;

const save = async (
	numbers: string[],
	node: Partial<INode> = {},
	options: INode['parameters'] = {},
) => {
	const items = numbers.map((number) => ({ number }));
	const number = `=${NUMBER_START}{{ $json.number }}`;
	const parameters = { number, options };
	return await saveSends(n8n.rest, items, { credentials, ...node, parameters });
};

const run = async (...workflow: Parameters<typeof save>) =>
	await n8n.rest.run(await save(...workflow), MANUAL_TRIGGER);

describe('Retry On Fail', () => {
	test('with On Error "Stop" sends only the remaining items', async () => {
		respondExcept({ '3': [REFUSED, REFUSED] });
		const execution = await run(['1', '2', '3', '4'], RETRY_ON_FAIL);
		expect(execution.status).toBe('success');
		expect(requested()).toEqual(['1', '2', '3', '3', '3', '4']);
		expect(outputOf(execution)).toEqual(['1', '2', '3', '4'].map((n) => ({ id: `m${n}` })));
	});

	test('with On Error "Stop" does not resend an uncertain item, but sends the rest', async () => {
		respondExcept({ '2': [DROPPED] });
		const execution = await run(['1', '2', '3'], RETRY_ON_FAIL);
		expect(execution.status).toBe('error');
		expect(requested()).toEqual(['1', '2', '3']);
		expect(errorOf(execution)).toMatchObject({
			message:
				'An earlier attempt to send this item ended without a clear result (ECONNRESET) [item 1]',
			description: expect.stringContaining('check the chat') as string,
		});
	});

	// n8n runs the whole node again if the first item of the output has failed.
	test.each([
		['continueRegularOutput', ['m1', 'm2', 'unknown', 'm4']],
		['continueErrorOutput', ['m1', 'm2', 'm4']],
	] as const)('with On Error "%s" sends only the remaining items', async (onError, expected) => {
		respondExcept({ '1': [REFUSED], '3': [DROPPED] });
		const execution = await run(['1', '2', '3', '4'], { ...RETRY_ON_FAIL, onError });
		expect(requested()).toEqual(['1', '2', '3', '4', '1']);
		expect(resultsOf(outputOf(execution))).toEqual(expected);
		if (onError === 'continueErrorOutput') {
			expect(resultsOf(outputOf(execution, NODE, 1))).toEqual(['unknown']);
		}
	});

	test('inside Loop Over Items works for each round separately', async () => {
		respondExcept({ '2': [REFUSED], '3': [DROPPED], '5': [REFUSED, REFUSED] });
		const workflow = await save(['1', '2', '3', '4', '5', '5'], {
			...RETRY_ON_FAIL,
			onError: 'continueRegularOutput',
		});
		addLoop(workflow, 2);
		await n8n.rest.save(workflow);
		const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(execution.status).toBe('success');
		// The second round fails once at its first item, the third one twice.
		expect(requested()).toEqual(['1', '2', '3', '4', '5', '5', '5', '5']);
		expect(resultsOf(outputOf(execution, 'Success'))).toEqual([
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
	test('sends only the remaining items, even with the time in the caption, and outputs all of them', async () => {
		respondExcept({ '2': [REFUSED] });
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

	test('does not resend an uncertain item, however often it is retried, unless the option is on', async () => {
		respondExcept({ '2': [DROPPED] });
		const workflow = await save(['1', '2', '3']);
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		const second = await n8n.rest.retry(failed, 'original');
		const third = await n8n.rest.retry(second, 'current');
		expect(third.status).toBe('error');
		expect(requested()).toEqual(['1', '2', '3']);

		workflow.nodes[1].parameters.options = { resendUncertain: true };
		await n8n.rest.save(workflow);
		const resent = await n8n.rest.retry(third, 'current');
		expect(resent.status).toBe('success');
		expect(requested()).toEqual(['1', '2', '3', '2']);
		expect(outputOf(resent)).toEqual(['1', '2', '3'].map((n) => ({ id: `m${n}` })));
	});

	test('sends nobody a changed caption who had got the one before', async () => {
		respondExcept({ '2': [REFUSED] });
		const workflow = await save(['1', '2']);
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		workflow.nodes[1].parameters.caption = '={{ $json.number === "1" ? "Changed" : "" }}';
		await n8n.rest.save(workflow);
		const retried = await n8n.rest.retry(failed, 'current');
		expect(retried.status).toBe('success');
		expect(requested()).toEqual(['1', '2', '2']);
	});

	test('after Retry On Fail, with concurrent sends', async () => {
		respondExcept({ '5': [REFUSED, REFUSED, REFUSED] });
		const numbers = Array.from({ length: 10 }, (_, i) => String(i));
		const failed = await run(numbers, RETRY_ON_FAIL, { concurrency: 5 });
		expect(failed.status).toBe('error');
		const retried = await n8n.rest.retry(failed, 'original');
		expect(outputOf(retried)).toEqual(numbers.map((n) => ({ id: `m${n}` })));
		for (const number of numbers) {
			const times = requested().filter((other) => other === number).length;
			expect([number, times]).toEqual([number, number === '5' ? 4 : 1]);
		}
	});
});

describe('after a change of the workflow', () => {
	const change = async (workflow: SavedWorkflow, parameters: IDataObject) => {
		Object.assign(workflow.nodes[1].parameters, parameters);
		await n8n.rest.save(workflow);
	};

	test('what is uncertain stays so, whatever image and caption are then', async () => {
		respondExcept({ '1': [DROPPED] });
		const workflow = await save(['1']);
		const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		await change(workflow, { caption: 'Edited', url: 'https://example.com/b.png' });
		const again = await n8n.rest.retry(failed, 'current');
		expect(errorOf(again)).toMatchObject({
			message: expect.stringMatching(/^An earlier attempt .*\(ECONNRESET\)/) as string,
		});
		expect(requested()).toEqual(['1']);
	});

	test.each([
		['the time in the caption', { caption: '=Sent at {{ $now.toMillis() }}' }],
		['a signed URL', { url: '=https://example.com/a.png?signed={{ $now.toMillis() }}' }],
		[
			'both',
			{
				caption: '=Sent at {{ $now.toMillis() }}',
				url: '=https://example.com/a.png?signed={{ $now.toMillis() }}',
			},
		],
	])(
		'that mends a number, a retry sends only the remaining items, with %s',
		async (_, changing) => {
			respondExcept({});
			const workflow = await save(['1', '2', 'ü3', '4']);
			await change(workflow, changing);
			const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
			expect(errorOf(failed)).toMatchObject({
				message: expect.stringContaining('is not a phone number') as string,
			});
			await change(workflow, { number: `=${NUMBER_START}{{ $json.number.replace("ü", "") }}` });
			const retried = await n8n.rest.retry(failed, 'current');
			expect(retried.status).toBe('success');
			expect(requested()).toEqual(['1', '2', '3', '4']);
			expect(resultsOf(outputOf(retried))).toEqual(['m1', 'm2', 'm3', 'm4']);
		},
	);
});

test('an execution that is retried again knows what its earlier retries sent', async () => {
	respondExcept({ '2': [REFUSED], '3': [REFUSED], '4': [DROPPED] });
	const failed = await run(['1', '2', '3', '4']);
	const retry = async () => errorOf(await n8n.rest.retry(failed, 'original'));
	expect(await retry()).toMatchObject({ httpCode: '422' });
	expect(requested()).toEqual(['1', '2', '2', '3']);
	expect(await retry()).toMatchObject({ message: expect.stringContaining('[item 3]') as string });
	expect(requested()).toEqual(['1', '2', '2', '3', '3', '4']);
	expect(await retry()).toMatchObject({
		message: expect.stringMatching(/^An earlier attempt .*\[item 3\]$/) as string,
		description: expect.stringContaining('Items completed before the stop: 3 of 4.') as string,
	});
	expect(requested()).toHaveLength(6);
});

test('with the error output connected to the node itself, what is uncertain is not sent again', async () => {
	respondExcept({ '1': [DROPPED], '3': [REFUSED] });
	const workflow = await save(['1', '2', '3'], { onError: 'continueErrorOutput' });
	workflow.nodes[1].parameters.caption = '=Sent at {{ $now.toMillis() }}';
	const again = 'Again';
	workflow.nodes.push({
		id: 'again',
		name: again,
		type: 'n8n-nodes-base.filter',
		typeVersion: 1,
		position: [300, 0],
		parameters: {
			conditions: { number: [{ value1: '={{ $runIndex }}', operation: 'smaller', value2: 3 }] },
		},
	});
	workflow.connections[NODE] = { main: [connectTo('Success'), connectTo(again)] };
	workflow.connections[again] = { main: [connectTo(NODE)] };
	await n8n.rest.save(workflow);
	const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	expect(execution.status).toBe('success');
	expect(execution.data.resultData.runData[NODE]).toHaveLength(4);
	expect(requested()).toEqual(['1', '2', '3', '3']);
	expect(outputOf(execution, NODE, 1)).toMatchObject([{ error: { delivery: 'unknown' } }]);
});

test.each([
	['={{ $json.oderNumber }}', "'{{ $json.oderNumber }}' in 'Send Once per ID' gives nothing"],
	[
		'={{ $json.number }}-{{ $json.oder }}',
		"'{{ $json.oder }}' in 'Send Once per ID' gives nothing",
	],
	['={{ "spring-" + $json.oder }}', "'spring-undefined' in 'Send Once per ID' contains undefined"],
	['spring-{{ $json.number }}', "in 'Send Once per ID' contains {{"],
])('nothing is sent if all items have the ID %s by mistake', async (sendOnceId, message) => {
	respondExcept({});
	const execution = await run(['1', '2'], {}, { sendOnceId });
	expect(errorOf(execution)?.message).toContain(message);
	expect(requested()).toEqual([]);
});

test('of several items with the same ID, the first that is not refused is sent, and a hint names the others', async () => {
	respondExcept({ '1': [REFUSED] });
	const options = { sendOnceId: 'spring' };
	const execution = await run(['1', '2', '3', '4'], { onError: 'continueRegularOutput' }, options);
	expect(requested()).toEqual(['1', '2']);
	expect(resultsOf(outputOf(execution))).toEqual(['notSent', 'm2', true, true]);
	expect(execution.data.resultData.runData[NODE][0].hints).toMatchObject([
		{
			message:
				"2 items were skipped because an earlier item with another recipient has the same ID, e.g. item 2: 'spring'",
		},
	]);
});

const openDatabase = (options: DatabaseSyncOptions) =>
	new DatabaseSync(join(n8n.userFolder, '.n8n/database.sqlite'), options);

/** How many keys n8n has on record of the sends of a workflow. */
function countKeys({ id }: SavedWorkflow): number {
	const database = openDatabase({ readOnly: true });
	const sql = "select value from processed_data where workflowId = ? and context = ''";
	const row = database.prepare(sql).get(id) as { value: string } | undefined;
	database.close();
	return row ? (JSON.parse(row.value) as { data: string[] }).data.length : 0;
}

testIfEndIsTold(
	'each send is on record before its request, and soon after the end of the execution none is',
	async () => {
		const workflow = await save(['1', '2', '3']);
		const counts: number[] = [];
		server.onRequest((request) => {
			counts.push(countKeys(workflow));
			return { body: { id: `m${nameOf(request)}` } };
		});
		for (let i = 0; i < 2; i++) await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(Math.min(...counts)).toBeGreaterThanOrEqual(3);
		await waitUntil('no keys', (saw) => saw(countKeys(workflow)) === 0, N8N_LIMIT_MS);
	},
);

test('an error with the word for a stop in its reason is no stop, and can be retried', async () => {
	respondExcept({ '2': [{ status: 422, body: { message: 'The order was canceled' } }] });
	const execution = await run(['1', '2', '3']);
	expect(execution.status).toBe('error');
	expect(execution.data.resultData.error?.message).toBe(
		'The order was cancelled (HTTP 422) [item 1]',
	);
	expect(requested()).toEqual(['1', '2']);
	const retried = await n8n.rest.retry(execution, 'original');
	expect(requested()).toEqual(['1', '2', '2', '3']);
	expect(outputOf(retried)).toEqual(['1', '2', '3'].map((n) => ({ id: `m${n}` })));
});

/** Longer than n8n itself waits for its database. */
const LOCK_MS = 4000;

/** Lets nobody write to n8n's database for some seconds, as a backup does. */
async function lockDatabase(): Promise<void> {
	const database = openDatabase({ timeout: 5000 });
	database.exec('BEGIN IMMEDIATE');
	await sleep(LOCK_MS);
	database.exec('COMMIT');
	database.close();
}

test('a locked database fails nobody', async () => {
	const numbers = Array.from({ length: 60 }, (_, i) => String(i));
	respondExcept({});
	let locked: Promise<void> | undefined;
	server.onRequest((request) => {
		if (server.requests.length === 5) locked = lockDatabase();
		return respondAfter(20, { id: `m${nameOf(request)}` });
	});
	const execution = await run(numbers, { onError: 'continueRegularOutput' });
	await locked;
	expect(resultsOf(outputOf(execution))).toEqual(numbers.map((number) => `m${number}`));
	expect(requested()).toEqual(numbers);
});

describe('Stop execution', () => {
	test('starts no more sends', async () => {
		respondExcept({});
		const numbers = Array.from({ length: 200 }, (_, i) => String(i));
		const workflow = await save(numbers, {}, { concurrency: 2, delayBetweenSends: 100 });
		const sent: Script = { body: { id: 'm' } };
		const pending: ServerResponse[] = [];
		const stalled = new Promise<void>((resolve) =>
			server.onRequest(() => {
				if (server.requests.length < 3) return sent;
				return (response) => {
					pending.push(response);
					resolve();
				};
			}),
		);
		const id = await n8n.rest.start(workflow, MANUAL_TRIGGER);
		await stalled;
		await n8n.rest.stop({ id });
		expect((await n8n.rest.waitForExecution(id)).status).toBe('canceled');
		server.respondWith(sent);
		for (const response of pending) response.end('{ "id": "m" }');
		const countAtStop = server.requests.length;
		// Another execution with the same delay leaves the stopped one enough time to send.
		await run(['901', '902', '903'], {}, { delayBetweenSends: 100 });
		expect(requested().slice(countAtStop)).toEqual(['901', '902', '903']);
		expect(countAtStop).toBeLessThanOrEqual(4);
	});
});
