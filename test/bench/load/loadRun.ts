/* eslint-disable @n8n/community-nodes/no-restricted-imports -- it keeps time */
import { setTimeout as sleep } from 'node:timers/promises';

import type { BenchNode } from '../contenders';
import type { CleanUp } from '../setup';
import { callAtRate, type Progress, type Rate } from './generator';
import { countEnds, countRequests, measureLatency, type LoadRun } from './loadFigures';
import type { System } from './systems';
import { createRow, publishWebhook, startLinkedService } from './webhook';

export interface LoadPlan extends Rate {
	/** Until everything is compiled and cached: the memory then is compared with that at the end. */
	warmUpSeconds: number;
}

/** Between two looks at n8n's record of processed data. */
const RECORD_SECONDS = 1;

/** After the last answer. n8n calls back when it has stored an execution, then the node removes its keys. */
const SETTLE_SECONDS = 3;

/**
 * Calls the webhook of one n8n at a steady rate, and watches its processes.
 *
 * @param createSender returns the node that sends
 * @param stops gets what has to be stopped afterwards
 * @param report called about once a second
 */
export async function runAtRate(
	plan: LoadPlan,
	startSystem: () => Promise<System>,
	createSender: (baseUrl: string) => BenchNode,
	stops: CleanUp[],
	report: (progress: string) => void,
): Promise<Omit<LoadRun, 'system' | 'sender'>> {
	const service = await startLinkedService();
	stops.push(async () => await service.close());
	const system = await startSystem();
	stops.push(async () => await system.stop());
	const sender = createSender(service.url);
	const webhook = await publishWebhook(system.rest, service, sender, [], createRow(service, -1));
	const sentBefore = service.account.messages.length;

	const progress: Progress = { calls: [], inProgress: 0 };
	const memory: LoadRun['memory'] = {};
	const record: LoadRun['record'] = [];
	const sampleMemory = async () => {
		for (const [name, inspector] of Object.entries(system.inspectors)) {
			const answered = progress.calls.length;
			const usage = await inspector.measureUsage();
			const liveHeap = await inspector.measureLiveHeap();
			(memory[name] ??= []).push({ answered, ...usage, liveHeap });
		}
	};
	const sampleRecord = async () => {
		const { inProgress } = progress;
		record.push({ entries: await system.record.count(webhook.workflowId), inProgress });
	};

	await sampleMemory();
	const count = plan.perSecond * plan.seconds;
	const rows = Array.from({ length: count }, (_, i) => createRow(service, i));
	const start = performance.now();
	let hasEnded = false;
	const calls = callAtRate(plan, progress, async (i) => await webhook.call(rows[i])).finally(
		() => (hasEnded = true),
	);
	let isWarm = false;
	while (!hasEnded) {
		await Promise.race([calls, sleep(RECORD_SECONDS * 1000)]);
		const seconds = (performance.now() - start) / 1000;
		const left = Math.max(0, plan.seconds - seconds).toFixed(0);
		report(`${progress.calls.length} of ${count} answered, ${left} s left`);
		await sampleRecord();
		if (!isWarm && seconds >= plan.warmUpSeconds) {
			isWarm = true;
			await sampleMemory();
		}
	}
	await calls;
	await sampleMemory();
	await sleep(SETTLE_SECONDS * 1000);
	await sampleRecord();
	return {
		calls: count,
		...countEnds(progress.calls),
		...countRequests(
			rows.map(({ number }) => number),
			service.account.messages.slice(sentBefore).map(({ number }) => number),
		),
		latency: measureLatency(progress.calls),
		memory,
		record,
	};
}
