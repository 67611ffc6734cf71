import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { respondAfter, type Script } from '../support/scriptedServer';
import { nameOf, NUMBER_START, RETRY_ON_FAIL } from '../support/sends';
import { DROPPED, REFUSED, respondByNumber } from '../support/sendService';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { jsonOf } from '../support/webhookWorkflow';
import { testWithExecutionFinish } from './skipByVersion';
import { countKeys, openDatabase } from './database';
import { saveSends, useRealN8nWithServer } from './realN8n';

const { server, n8n, credentials } = useRealN8nWithServer();

function respondExcept(scripts: Record<string, Script[]>): void {
	server.requests.length = 0;
	respondByNumber(server, scripts, nameOf);
}

const requested = () => server.requests.map(nameOf);

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

test('a retry sends only the remaining items, even after Retry On Fail and with the time in the caption: what was sent is another message then', async () => {
	respondExcept({ '2': [REFUSED, REFUSED, REFUSED] });
	const workflow = await save(['1', '2', '3'], RETRY_ON_FAIL);
	workflow.nodes[1].parameters.caption = '=Sent at {{ $now.toMillis() }}';
	await n8n.rest.save(workflow);
	const failed = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	expect(failed.status).toBe('error');
	const retried = await n8n.rest.retry(failed, 'original');
	expect(retried.status).toBe('success');
	expect(requested()).toEqual(['1', '2', '2', '2', '2', '3']);
	const changed = { skipped: true, reason: 'changed' };
	expect(jsonOf(retried)).toEqual([changed, { id: 'm2' }, { id: 'm3' }]);
});

test('a retry does not resend an uncertain item, however often it is retried, unless the option is on', async () => {
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
	expect(jsonOf(resent)).toEqual(['1', '2', '3'].map((n) => ({ id: `m${n}` })));
});

testWithExecutionFinish('sends are on record before a request, not after the end', async () => {
	const workflow = await save(['1', '2', '3']);
	const counts: number[] = [];
	server.onRequest((request) => {
		counts.push(countKeys(n8n, workflow));
		return { body: { id: `m${nameOf(request)}` } };
	});
	for (let i = 0; i < 2; i++) await n8n.rest.run(workflow, MANUAL_TRIGGER);
	expect(Math.min(...counts)).toBeGreaterThanOrEqual(3);
	await waitUntil('no keys', (saw) => saw(countKeys(n8n, workflow)) === 0, N8N_LIMIT_MS);
});

/** Longer than n8n itself waits for its database. */
const LOCK_MS = 4000;

/** Lets nobody write to n8n's database for some seconds, as a backup does. */
async function lockDatabase(): Promise<void> {
	const database = openDatabase(n8n, { timeout: 5000 });
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
	expect(jsonOf(execution)).toEqual(numbers.map((number) => ({ id: `m${number}` })));
	expect(requested()).toEqual(numbers);
});

test('a database that cannot be written is told, and nothing is sent, with IDs or without', async () => {
	respondExcept({});
	const database = openDatabase(n8n, { timeout: 5000 });
	database.exec(
		"CREATE TRIGGER full BEFORE INSERT ON processed_data BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
	);
	const options = [{}, { sendOnceId: '={{ $json.number }}' }];
	const runs = options.map(async (one) => await run(['1'], {}, one));
	const executions = await Promise.all(runs).finally(() => {
		database.exec('DROP TRIGGER full');
		database.close();
	});
	const message = "n8n's database cannot be used: SQLITE_CONSTRAINT: disk is full";
	const error = { message, description: expect.stringMatching(/The image was not sent\.$/) };
	expect(executions.map((one) => one.data.resultData.error)).toMatchObject([error, error]);
	expect(requested()).toEqual([]);
});

test('"Stop execution" starts no more sends, and with IDs, nobody gets it twice in the next execution', async () => {
	respondExcept({});
	const numbers = Array.from({ length: 200 }, (_, i) => String(i));
	const sendOnceId = '={{ $json.number }}';
	const options = { concurrency: 2, delayBetweenSends: 100, sendOnceId };
	const workflow = await save(numbers, {}, options);
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

	workflow.nodes[1].parameters.options = { sendOnceId };
	await n8n.rest.save(workflow);
	const again = jsonOf(await n8n.rest.run(workflow, MANUAL_TRIGGER));
	const isUnknown = ({ delivery }: IDataObject) => delivery === 'unknown';
	const tried = requested().filter((name) => !/^90\d/.test(name));
	expect(new Set(tried).size).toBe(tried.length);
	const untold = numbers.filter((number, i) => !isUnknown(again[i]) && !tried.includes(number));
	expect(untold).toEqual([]);
	expect(again.filter(isUnknown).length).toBeLessThan(10);
});
