import type { INode } from 'n8n-workflow';

import { outputsOf } from '../tools/n8n/rest';
import type { ScriptedServer } from '../test/support/scriptedServer';
import type { QueueMode, Worker } from '../test/queue/queueMode';
import { numberOf } from '../test/support/sendService';
import { NODE, publishWebhook, createSendParameters } from '../test/support/webhookWorkflow';

/** The results of executions that were started at the same time. */
export interface Batch {
	/** Number of executions by worker. */
	shares: number[];
	/** What n8n says of failed executions. */
	failed: string[];
	/** The output ids of all executions. */
	ids: unknown[];
	/** The recipient of each request. */
	recipients: string[];
	/** From the start of the first execution to the end of the last. */
	seconds: number;
}

/** Starts executions in queue mode at the same time. Every send has its own recipient. */
export async function runBatch(
	queue: QueueMode,
	workers: Worker[],
	server: ScriptedServer,
	credentials: INode['credentials'],
	{ executions: count, sends }: { executions: number; sends: number },
): Promise<Batch> {
	server.requests.length = 0;
	const parameters = createSendParameters('https://example.com/a.png');
	const workflow = await publishWebhook(queue, { parameters, credentials });
	const rows = Array.from({ length: count * sends }, (_, i) => ({ number: recipientOf(i) }));
	await Promise.all(
		Array.from(
			{ length: count },
			async (_, i) => await workflow.post(rows.slice(i * sends, (i + 1) * sends)),
		),
	);
	const executions = await workflow.waitForExecutions(count);
	const times = (of: 'startedAt' | 'stoppedAt') => executions.map((one) => Date.parse(one[of]));
	const started = new Set(executions.map(({ id }) => id));
	return {
		shares: await Promise.all(
			workers.map(
				async (worker) => (await worker.readStartedIds()).filter((id) => started.has(id)).length,
			),
		),
		ids: executions.flatMap((execution) =>
			(outputsOf(execution, NODE)[0] ?? []).map(({ json }) => json.id),
		),
		failed: executions
			.filter(({ status }) => status !== 'success')
			.map(({ status, data }) => {
				const { error } = data.resultData;
				return `${status}: ${error?.message} ${error?.description}`;
			}),
		recipients: server.requests.map(numberOf),
		seconds: (Math.max(...times('stoppedAt')) - Math.min(...times('startedAt'))) / 1000,
	};
}

/** Returns the number to send to for each index from 0. */
function recipientOf(index: number): string {
	return String(49_151_000_000 + index);
}
