/* eslint-disable no-console -- the bench prints to the terminal */
import { Listr } from 'listr2';

import { createNode } from '../../support/workflow';
import { sendImage } from '../contenders';
import { INSTALL, LISTR_OPTIONS, writeResults, type CleanUp, type Installed } from '../setup';
import { createBoundsTable } from '../tables';
import { countRequests } from './loadFigures';
import { startOneN8n } from './systems';
import { createRow, publishWebhook, startLinkedService } from './webhook';
import { checkWeekBounds, timesPerSend, type Week, type WeekExecution } from './weekFigures';

interface WeekPlan {
	executions: number;
	items: number;
}

const FULL: WeekPlan = { executions: 1000, items: 100 };

/** Only shows that it works. */
const SHORT: WeekPlan = { executions: 10, items: 10 };

/**
 * Sends with Send Once per ID, in executions of one n8n, one after another.
 *
 * @param isShort whether only to show that it works
 * @returns whether every bound holds
 */
export async function runWeek(isShort: boolean, cleanUps: CleanUp[]): Promise<boolean> {
	const plan = isShort ? SHORT : FULL;
	let week: Week;
	await new Listr<Installed>(
		[
			...INSTALL,
			{
				title: `${plan.executions} executions with ${plan.items} sends each`,
				task: async (_context, task) => {
					const { title } = task;
					week = await measure(plan, cleanUps, (done) => {
						task.title = `${title}: ${done} done`;
					});
					task.title = title;
				},
			},
		],
		LISTR_OPTIONS,
	).run();
	const bounds = checkWeekBounds(week!, isShort);
	const times = timesPerSend(week!);
	const cpuTimes = timesPerSend(week!, 'cpuMs');
	const format = (values: number[]) => values.map((ms) => ms.toFixed(1)).join(', ');
	console.log(`\nms per send, for every 10,000 sends: ${format(times)}`);
	console.log(`CPU time of n8n: ${format(cpuTimes)}`);
	console.log(createBoundsTable(bounds));
	await writeResults(isShort, {
		'week.json': { bounds, msPerSend: times, cpuMsPerSend: cpuTimes, ...week! },
	});
	return bounds.every(({ holds }) => holds === true);
}

async function measure(
	plan: WeekPlan,
	cleanUps: CleanUp[],
	report: (done: number) => void,
): Promise<Week> {
	const service = await startLinkedService();
	cleanUps.push(async () => await service.close());
	const system = await startOneN8n();
	cleanUps.push(async () => await system.stop());
	const rows = createNode('Rows', {
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'body.rows', options: {} },
	});
	const sender = sendImage(
		{ number: '={{ $json.number }}', url: '={{ $json.url }}', caption: '={{ $json.caption }}' },
		{ sendOnceId: '={{ $json.number }}' },
	);
	const webhook = await publishWebhook(system.rest, service, sender, [rows], { rows: [] });
	const executions: WeekExecution[] = [];
	const expected: string[] = [];
	for (let i = 0; i < plan.executions; i++) {
		const sends = Array.from({ length: plan.items }, (_, j) =>
			createRow(service, i * plan.items + j),
		);
		expected.push(...sends.map(({ number }) => number));
		const { cpuMs: cpuBefore } = await system.inspectors.n8n.measureUsage();
		const start = performance.now();
		const status = await webhook.call({ rows: sends });
		const ms = performance.now() - start;
		const cpuMs = (await system.inspectors.n8n.measureUsage()).cpuMs - cpuBefore;
		const entries = await system.record.count(webhook.workflowId);
		executions.push({ status, ms, cpuMs, entries });
		report(executions.length);
	}
	const requested = service.account.messages.map(({ number }) => number);
	return { items: plan.items, executions, ...countRequests(expected, requested) };
}
