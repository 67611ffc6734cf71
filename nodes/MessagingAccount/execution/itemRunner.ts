import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ItemError } from '../errors/errorDetails';
import { NotStartedError } from '../errors/errorClasses';
import { getCancelSignal } from '../n8n/cancelSignal';
import { log, showHint } from '../n8n/plainText';
import { sleep, sleepUnlessAborted } from '../n8n/sleep';
import { createPlanner, type ItemPlan, type Operation } from '../operations/operation';
import { toIdKey } from '../sends/attempt';
import { type PlannedSend, Sender, type SendPlan } from '../sends/sender';
import { readRunOptions } from '../sends/sendOptions';
import { describeSameIds, type SharedId } from '../sends/sendOnceIds';
import { type Read, ServiceClient } from '../transport/request';
import { withRetries } from '../transport/retry';
import { slowDownLoop } from './loopBrake';
import { runTasks, type Task } from './taskPool';

/** The longest time for which the expressions of many items may block n8n's event loop. */
const MAX_BLOCKING_MS = 50;

const PROGRESS_MS = 60_000;

type PlannedTask = Task & Pick<PlannedSend, 'mustFail'> & { itemIndex: number };

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
	/** The tasks of items that fail without a request, by item. They come last, so that they keep no others from being sent. */
	private readonly failing = new Map<number, Task>();
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
				if (this.dryRun) this.dryRun.left = options.maxSends;
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
		end.abort();
		await this.sender?.finish();
		this.dryRun?.finish();
		await slowDownLoop(context, this.errors, client.hasRequested);
		const { outputs, errors } = this;
		return { outputs, errors, isDryRun: this.dryRun !== undefined, includesInput };
	}

	/** Plans as many items at a time as the sender puts on record. A dry run plans all: n8n gets its turn only while items are planned. */
	private async *planTasks(): AsyncGenerator<Task, undefined> {
		let nextIndex = 0;
		while (nextIndex < this.outputs.length && !this.signal.aborted) {
			const planned: PlannedTask[] = [];
			let start = performance.now();
			const batchSize = this.dryRun ? Infinity : (this.sender?.batchSize ?? 1);
			const end = Math.min(nextIndex + batchSize, this.outputs.length);
			while (nextIndex < end && !this.signal.aborted) {
				const itemIndex = nextIndex++;
				// An item whose parameters cannot be used fails when it is its turn.
				const task = this.createTask(itemIndex).catch((error: unknown) => ({
					itemIndex,
					run: async () => await this.fail(itemIndex, error),
					// A first execution stops at this item, and its retry sends the rest first.
					mustFail: async () => !this.optionsError && this.sender?.batchSize === Infinity,
				}));
				planned.push(await task);
				if (performance.now() - start < MAX_BLOCKING_MS) continue;
				await sleep(0);
				start = performance.now();
			}
			for (const task of planned) {
				if (this.signal.aborted) break;
				// If the database cannot be used, the item itself reports it.
				const isLast = this.stopOnError && (await task.mustFail?.().catch(() => false));
				// Without a request, it waits for no other one.
				if (isLast) this.failing.set(task.itemIndex, { ...task, orderingKey: undefined });
				else yield task;
			}
		}
		// Even after a stop, because items with the ID of one of them wait for it.
		yield* this.failing.values();
	}

	/** Prepares the work on one item. @throws whatever keeps it from being started, e.g. InvalidInputError */
	private async createTask(itemIndex: number): Promise<PlannedTask> {
		if (this.optionsError) throw this.optionsError;
		const plan = await this.planner.planItem(itemIndex);
		const work = await this.planWork(itemIndex, plan);
		const run = async () => {
			const pairedItem = { item: itemIndex };
			this.outputs[itemIndex] = (await work.run()).map((item) => ({ ...item, pairedItem }));
		};
		const fail = async (error: unknown) => await this.fail(itemIndex, error);
		const orderingKey = plan.message?.recipient;
		return { ...work, itemIndex, orderingKey, run: async () => await run().catch(fail) };
	}

	private async planWork(itemIndex: number, plan: ItemPlan): Promise<PlannedSend> {
		if (!plan.message) {
			const options = { isSend: false, signal: this.signal };
			const { timeout } = plan;
			const read: Read = async (request) =>
				await withRetries(
					async () => await this.client.request(request, timeout, itemIndex),
					options,
				);
			return { run: async () => await plan.run(read) };
		}
		if (this.sender) return this.sender.plan(itemIndex, plan);
		const account = await this.client.getAccount(itemIndex);
		plan.check?.(account);
		const items = this.dryRun!.describe(itemIndex, plan);
		return { run: async () => items };
	}

	/** Logs once a minute how far a long list is. In the editor, n8n shows nothing of a node that runs. */
	private async logProgress(end: AbortSignal): Promise<void> {
		const { context, errors, operation, outputs } = this;
		while (await sleepUnlessAborted(PROGRESS_MS, end)) {
			const sent = outputs.flat().filter(({ json }) => json.skipped !== true).length;
			const done = Object.keys(outputs).length + errors.length;
			const { name } = operation.entry;
			log(
				context,
				`${name}: ${done} of ${outputs.length} items, ${sent} sent, ${errors.length} failed`,
				'info',
			);
		}
	}

	private async fail(itemIndex: number, error: unknown): Promise<void> {
		if (error instanceof NotStartedError) return;
		if (this.stopOnError && !this.failing.has(itemIndex)) this.stop.abort();
		const itemError = (await this.sender?.withPreviousAttempt(itemIndex, error)) ?? error;
		this.errors.push({ itemIndex, error: itemError });
	}
}

/** Describes the sends that one run of the node would make. IDs of other executions are not looked up: that would store them. */
class DryRun {
	/** The recipient of the first item with an ID, by ID. */
	private readonly recipients = new Map<string, string>();
	/** The items that would be skipped because of one with another recipient. */
	private readonly shared: SharedId[] = [];

	/** The number of sends that "Max Sends per Execution" leaves. */
	left = Infinity;

	constructor(private readonly context: IExecuteFunctions) {}

	/** Returns the output of one item. Call this in the order of the items. */
	describe(itemIndex: number, { message, preview, sendOnceId: id }: SendPlan) {
		const { recipient, accountKey } = message;
		const limited = this.left > 0 ? {} : { skipped: true, reason: 'limit' };
		if (id === undefined) {
			this.left--;
			return [{ json: { dryRun: true, ...limited, ...preview } }];
		}
		const key = toIdKey({ id, accountKey });
		const first = this.recipients.get(key);
		this.recipients.set(key, first ?? recipient);
		if (first !== undefined && first !== recipient) this.shared.push({ id, itemIndex });
		const skipped = first === undefined ? limited : { skipped: true, reason: 'id' };
		if (first === undefined) this.left--;
		return [{ json: { dryRun: true, ...skipped, ...preview, sendOnceId: id } }];
	}

	/** Shows the hints. Call this at the end. */
	finish(): void {
		const ids =
			this.recipients.size > 0 ? ' IDs that earlier executions used are not looked up.' : '';
		const hints = [`'Dry Run' is on: nothing was sent.${ids}`, describeSameIds(this.shared)];
		for (const message of hints) if (message) showHint(this.context, message);
	}
}
