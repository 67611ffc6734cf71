import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { INode } from 'n8n-workflow';

import { respondAfter, type ScriptedServer } from '../support/scriptedServer';
import { numberOf, requestedNumbers } from '../support/sendService';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { createSendParameters, publishWebhook, resultsOf } from '../support/webhookWorkflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';
import { testIfToldApart } from './skipByVersion';

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

const SERVICE_MS = 50;
/** At most a second's worth of sends is put on record at a time. */
const MAX_BATCH = 1000 / SERVICE_MS;

/** As n8n does when it loses sight of one, e.g. because a worker in queue mode was busy for too long. */
function showAsCrashed(id: string): void {
	const database = new DatabaseSync(join(n8n.userFolder, '.n8n/database.sqlite'), {
		timeout: 5000,
	});
	database.prepare("UPDATE execution_entity SET status = 'crashed' WHERE id = ?").run(id);
	database.close();
}

testIfToldApart.each([2, 30])(
	'an execution that n8n shows as crashed goes on, and is retried after %d requests: nobody gets it twice',
	async (requests) => {
		const rows = Array.from({ length: 60 }, (_, i) => ({ number: String(49_151_000_000 + i) }));
		const workflow = await publishWebhook(n8n, {
			parameters: createSendParameters('https://example.com/a.png'),
			credentials,
			onError: 'continueRegularOutput',
		});
		server.requests.length = 0;
		server.onRequest((request) => respondAfter(SERVICE_MS, { id: `m${numberOf(request)}` }));
		await workflow.post(rows);
		const untilRequests = (count: number) =>
			waitUntil(`${count} requests`, (saw) => saw(server.requests.length) >= count, N8N_LIMIT_MS);
		await untilRequests(requests);
		const [execution] = await n8n.rest.listExecutions(workflow.saved);
		showAsCrashed(execution.id);
		const retry = await n8n.rest.retry(execution, 'original');
		const hasEnded = async (saw: Saw) =>
			saw((await n8n.rest.execution(execution.id)).status) !== 'crashed';
		await waitUntil('the end of the first execution', hasEnded, N8N_LIMIT_MS);

		const results = resultsOf(retry, rows);
		expect(results).toMatch(/^[SUN]{60}$/);
		const numbers = requestedNumbers(server);
		expect(new Set(numbers).size).toBe(numbers.length);
		// What was just being put on record when the retry fenced it off, neither of them sends.
		const left = rows.filter(({ number }) => !numbers.includes(number));
		expect(left.filter((row) => results[rows.indexOf(row)] !== 'U')).toEqual([]);
		expect(left.length).toBeLessThanOrEqual(MAX_BATCH);
	},
);
