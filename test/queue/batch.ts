import type { IDataObject, INode } from 'n8n-workflow';

import { outputsOf } from '../../tools/n8n/rest';
import type { RecordedRequest, ScriptedServer } from '../support/scriptedServer';
import type { QueueMode, Worker } from './queueMode';
import { NODE, publishWebhook, sendTo } from './webhookWorkflow';

/** What became of executions that were started at once. */
export interface Batch {
	/** How many of them each worker carried out. */
	shares: number[];
	/** How many of them did not succeed. */
	failed: number;
	/** The ids that came out of them. */
	ids: unknown[];
	/** The recipient of each request. */
	recipients: string[];
	/** From the start of the first to the end of the last. */
	seconds: number;
}

/** Has n8n's queue mode do as many executions at once, each with as many sends, to recipients of their own: 0, 1, 2 … */
export async function runBatch(
	queue: QueueMode,
	workers: Worker[],
	server: ScriptedServer,
	credentials: INode['credentials'],
	{ executions: count, sends }: { executions: number; sends: number },
): Promise<Batch> {
	server.requests.length = 0;
	const parameters = sendTo('https://example.com/a.png');
	const workflow = await publishWebhook(queue.rest, parameters, credentials);
	const rows = Array.from({ length: count * sends }, (_, i) => ({ number: String(i) }));
	await Promise.all(
		Array.from(
			{ length: count },
			async (_, i) => await workflow.post(rows.slice(i * sends, (i + 1) * sends)),
		),
	);
	const executions = await workflow.executions(count);
	const times = (of: 'startedAt' | 'stoppedAt') => executions.map((one) => Date.parse(one[of]));
	const started = new Set(executions.map(({ id }) => id));
	return {
		shares: await Promise.all(
			workers.map(async (worker) => (await worker.begun()).filter((id) => started.has(id)).length),
		),
		ids: executions.flatMap((execution) =>
			(outputsOf(execution, NODE)[0] ?? []).map(({ json }) => json.id),
		),
		failed: executions.filter(({ status }) => status !== 'success').length,
		recipients: server.requests.map(numberOf),
		seconds: (Math.max(...times('stoppedAt')) - Math.min(...times('startedAt'))) / 1000,
	};
}

/** The recipient of a send. */
export function numberOf({ body }: RecordedRequest): string {
	return (body as IDataObject).number as string;
}
