import type { INodeExecutionData } from 'n8n-workflow';

import { sleep } from '../n8n/sleep';
import type { createPlanner } from '../operations/operation';
import type { Sender } from '../sends/sender';
import type { ServiceClient } from '../transport/request';
import type { DryRun } from './dryRun';

/** The longest time for which the expressions of many items may block n8n's event loop. */
const MAX_BLOCKING_MS = 50;

/** The number of sends to plan first and, at most, at a time: the first requests do not wait for the expressions of a long list. */
const [MIN_PLANNED, MAX_PLANNED] = [20, 500];

export interface Work {
	itemIndex: number;
	orderingKey?: string;
	/** Whether an earlier item has the same ID: only when the work on that has ended, this may run. */
	isRepeated?: boolean;
	/** Whether it certainly fails without a request. @throws DatabaseError */
	mustFail?(): Promise<boolean>;
	/** @throws ApiError, NotStartedError, DatabaseError, or whatever keeps it from being started */
	run(): Promise<INodeExecutionData[]>;
}

/** What one run of the node plans with. An operation that sends has a sender or a dry run. */
interface Planning {
	planner: ReturnType<typeof createPlanner>;
	client: ServiceClient;
	signal: AbortSignal;
	sender?: Sender;
	dryRun?: DryRun;
	/** If an option for the whole run cannot be used, every item fails with its error. */
	optionsError?: Error;
}

/** Plans the work on all items in their order: reads one by one, sends some at a time, more and more. */
export async function* planItems(count: number, planning: Planning): AsyncGenerator<Work> {
	const { sender, dryRun, signal } = planning;
	// A dry run plans all: n8n gets its turn only while items are planned.
	const plansAll = dryRun !== undefined || sender?.needsAll === true;
	let size = plansAll ? count : sender ? MIN_PLANNED : 1;
	for (let next = 0; next < count && !signal.aborted; ) {
		const end = Math.min(next + size, count);
		const planned: Work[] = [];
		let since = performance.now();
		for (; next < end && !signal.aborted; next++) {
			planned.push(await planItem(next, planning));
			if (performance.now() - since < MAX_BLOCKING_MS) continue;
			await sleep(0);
			since = performance.now();
		}
		if (sender) size = Math.min(2 * size, MAX_PLANNED);
		for (const work of planned) if (!signal.aborted) yield work;
	}
}

async function planItem(itemIndex: number, planning: Planning): Promise<Work> {
	const { planner, client, signal, sender, dryRun, optionsError } = planning;
	try {
		if (optionsError) throw optionsError;
		const plan = await planner.planItem(itemIndex);
		if (!plan.message) {
			const read = client.createRead(itemIndex, () => plan.timeout, { signal });
			return { itemIndex, run: async () => await plan.run(read) };
		}
		if (sender) return sender.plan(itemIndex, plan);
		const account = await client.getAccount(itemIndex);
		plan.check?.(account);
		const items = dryRun!.describe(itemIndex, plan);
		return { itemIndex, run: async () => items };
	} catch (error) {
		// An item whose parameters cannot be used fails when it is its turn.
		const run = async () => await Promise.reject(error as Error);
		// In a retry, it comes last: otherwise, this would stop where the first execution did, before the rest was sent.
		return { itemIndex, run, mustFail: async () => !optionsError && sender?.needsAll === true };
	}
}
