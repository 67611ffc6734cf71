import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ItemError } from '../errors/errorDetails';
import { NotStartedError } from '../errors/errorClasses';
import { getCancelSignal } from '../n8n/cancelSignal';
import { log } from '../n8n/plainText';
import { sleep, sleepUnlessAborted } from '../n8n/sleep';
import { createPlanner, type Operation } from '../operations/operation';
import { type PlannedSend, Sender } from '../sends/sender';
import { readRunOptions } from '../sends/sendOptions';
import { ServiceClient } from '../transport/request';
import { DryRun } from './dryRun';
import { slowDownLoop } from './loopBrake';
import { runTasks, type Task } from './taskPool';

/** The longest time for which the expressions of many items may block n8n's event loop. */
const MAX_BLOCKING_MS = 50;

const PROGRESS_MS = 60_000;

/** The work on one item; `run` may reject. */
interface Work extends Partial<PlannedSend> {
	itemIndex: number;
	orderingKey?: string;
	run: PlannedSend['run'];
}

/**
 * | an item that | its turn | once nothing new may start |
 * | --- | --- | --- |
 * | certainly fails without a request | last, so that it keeps no others from being sent | is still told |
 * | has the ID of an earlier item | last, when that has ended | is not started |
 * | is any other | now | is not started |
 */
type Turn = 'now' | 'last' | 'lastEvenAfterStop';

/** The number of items to plan first and, at most, at a time: the first requests do not wait for the expressions of a long list. */
const [MIN_PLANNED, MAX_PLANNED] = [20, 500];

/** Runs an operation for all input items. Only sends run several at a time. */
export class ItemRunner {
	private readonly planner: ReturnType<typeof createPlanner>;
	private readonly client: ServiceClient;
	private readonly stop = new AbortController();
	/** A signal that is aborted as soon as nothing new may start. */
	private readonly signal: AbortSignal;
	/** The output items of each input item; empty if it failed or was not started. */
	private readonly outputs: INodeExecutionData[][];
	/** The errors in the order in which they occurred. */
	private readonly errors: ItemError[] = [];
	/** The error of an option for the whole run that cannot be used: every item fails with it. */
	private optionsError?: Error;
	/** The tasks that run one by one when all others have ended. */
	private readonly last: Array<Task & { turn: Turn }> = [];
	/** An operation that sends has one of these two. */
	private sender?: Sender;
	private dryRun?: DryRun;

	/** @param stopOnError whether nothing new starts after an item failed; work in progress is completed in any case */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly stopOnError: boolean,
	) {
		const cancel = getCancelSignal(context);
		this.signal = AbortSignal.any(cancel ? [cancel, this.stop.signal] : [this.stop.signal]);
		this.outputs = new Array<INodeExecutionData[]>(context.getInputData().length);
		this.client = new ServiceClient(context);
		this.planner = createPlanner(operation, context, this.client);
	}

	async run() {
		const { context, client, operation, planner, signal } = this;
		let options = readRunOptions((_name, fallback) => fallback);
		let includesInput = false;
		if (operation.sends) {
			try {
				if (planner.readDryRun()) this.dryRun = new DryRun(context);
				options = planner.readRunOptions();
				if (this.dryRun) this.dryRun.maxSends = options.maxSends;
				includesInput = planner.includesInput();
			} catch (error) {
				this.optionsError = error as Error;
			}
			if (!this.dryRun) this.sender = new Sender(context, client, options, signal);
		}
		const tasks = this.planTasks();
		const end = new AbortController();
		if (this.sender) void this.logProgress(end.signal);
		await runTasks(async () => (await tasks.next()).value, options.concurrency);
		await runTasks(async () => this.nextOfLast(), 1);
		end.abort();
		await this.sender?.finish();
		this.dryRun?.finish();
		await slowDownLoop(context, this.errors, client.hasRequested);
		const { outputs, errors } = this;
		return { outputs, errors, isDryRun: this.dryRun !== undefined, includesInput };
	}

	/** Plans some items at a time, more and more. */
	private async *planTasks(): AsyncGenerator<Task, undefined> {
		const first = this.sender ? MIN_PLANNED : 1;
		// A dry run plans all: n8n gets its turn only while items are planned.
		const plansAll = this.dryRun !== undefined || this.sender?.needsAll === true;
		let size = plansAll ? this.outputs.length : first;
		for (let end = 0; end < this.outputs.length && !this.signal.aborted; ) {
			const start = end;
			end = Math.min(start + size, this.outputs.length);
			if (this.sender) size = Math.min(2 * size, MAX_PLANNED);
			for (const work of await this.planItems(start, end)) {
				if (this.signal.aborted) break;
				const turn = await this.turnOf(work);
				const { orderingKey } = work;
				const task = { orderingKey, turn, run: async () => await this.runItem(work, turn) };
				if (turn === 'now') yield task;
				else this.last.push(task);
			}
		}
		return undefined;
	}

	private async turnOf({ isRepeated, mustFail }: Work): Promise<Turn> {
		// If the database cannot be used, the item itself reports it.
		if (this.stopOnError && (await mustFail?.().catch(() => false))) return 'lastEvenAfterStop';
		return isRepeated ? 'last' : 'now';
	}

	private nextOfLast(): Task | undefined {
		let task = this.last.shift();
		while (task?.turn === 'last' && this.signal.aborted) task = this.last.shift();
		return task;
	}

	private async planItems(start: number, end: number): Promise<Work[]> {
		const planned: Work[] = [];
		let since = performance.now();
		for (let itemIndex = start; itemIndex < end && !this.signal.aborted; itemIndex++) {
			// An item whose parameters cannot be used fails when it is its turn.
			const work = this.planItem(itemIndex).catch((error: unknown) => ({
				itemIndex,
				run: async () => await Promise.reject(error as Error),
				// In a retry, it comes last: otherwise, this would stop where the first execution did, before the rest was sent.
				mustFail: async () => !this.optionsError && this.sender?.needsAll === true,
			}));
			planned.push(await work);
			if (performance.now() - since < MAX_BLOCKING_MS) continue;
			await sleep(0);
			since = performance.now();
		}
		return planned;
	}

	/** Prepares the work on one item. @throws whatever keeps it from being started, e.g. InvalidInputError */
	private async planItem(itemIndex: number): Promise<Work> {
		if (this.optionsError) throw this.optionsError;
		const plan = await this.planner.planItem(itemIndex);
		if (!plan.message) {
			const { signal } = this;
			const read = this.client.createRead(itemIndex, () => plan.timeout, { signal });
			return { itemIndex, run: async () => await plan.run(read) };
		}
		const { recipient: orderingKey } = plan.message;
		if (this.sender) return { ...this.sender.plan(itemIndex, plan), itemIndex, orderingKey };
		const account = await this.client.getAccount(itemIndex);
		plan.check?.(account);
		const items = this.dryRun!.describe(itemIndex, plan);
		return { itemIndex, orderingKey, run: async () => items };
	}

	/** Logs once a minute how far a long list is. In the editor, n8n shows nothing of a node that runs. */
	private async logProgress(end: AbortSignal): Promise<void> {
		const { context, errors, operation, outputs } = this;
		while (await sleepUnlessAborted(PROGRESS_MS, end)) {
			const sent = outputs.flat().filter(({ json }) => json.skipped !== true).length;
			const done = Object.keys(outputs).length + errors.length;
			const { name } = operation.entry;
			const counts = `${done} of ${outputs.length} items, ${sent} sent, ${errors.length} failed`;
			log(context, `${name}: ${counts}`, 'info');
		}
	}

	private async runItem({ itemIndex, run }: Work, turn: Turn): Promise<void> {
		const pairedItem = { item: itemIndex };
		try {
			this.outputs[itemIndex] = (await run()).map((item) => ({ ...item, pairedItem }));
		} catch (error) {
			if (error instanceof NotStartedError) return;
			if (this.stopOnError && turn !== 'lastEvenAfterStop') this.stop.abort();
			const itemError = (await this.sender?.withPreviousAttempt(itemIndex, error)) ?? error;
			this.errors.push({ itemIndex, error: itemError });
		}
	}
}
