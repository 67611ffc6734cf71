import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ItemError } from '../errors/errorDetails';
import { NotStartedError } from '../errors/errorClasses';
import type { Operation, PreparedRequest } from '../operations/operation';
import { readTimeout } from '../operations/timeout';
import { createParameterReader, type ReadParameter } from '../parameters/parameterReader';
import { DryRun } from './dryRun';
import { type PlannedSend, Sender } from '../sends/sender';
import { readDryRun, readThrottleOptions } from '../parameters/sendOptions';
import { createAccountKey } from '../shared/account';
import { sleep } from '../shared/sleep';
import {
	type ApiRequest,
	apiRequest,
	getCancelSignal,
	loadCredential,
	type LoadedCredential,
	type Read,
} from '../transport/request';
import { withRetries } from '../transport/retry';
import { slowDownCircle } from './circle';
import { runTasks, type Task } from './taskPool';

/** The longest time for which the expressions of many items may block n8n's event loop. */
const MAX_BLOCKING_MS = 50;

const NO_THROTTLE = { concurrency: 1, delay: 0, randomExtraDelay: 0, isPerAccount: false };

type PlannedTask = Task & Pick<PlannedSend, 'mustFail'> & { itemIndex: number };

/** Runs an operation for all input items. Only sends run several at a time. */
export class ItemRunner {
	private readonly readParameter: ReadParameter;

	private readonly stop = new AbortController();

	/** A signal that is aborted as soon as nothing new may start. */
	private readonly signal: AbortSignal;

	/** The output items of each input item; empty if it failed or was not started. */
	private readonly outputs: INodeExecutionData[][];

	/** The errors in the order in which they occurred. */
	private readonly errors: ItemError[] = [];

	/** The error of an option for the whole run that cannot be used: every item fails with it. */
	private optionsError?: Error;

	/** Items that fail without a request. They come last, so that they keep no others from being sent. */
	private readonly failingLast = new Set<number>();

	private hasRequested = false;

	/** An operation that sends has one of these two. */
	private sender?: Sender;

	private dryRun?: DryRun;

	private credential?: Promise<LoadedCredential>;

	/** @param stopOnError whether nothing new starts after an item failed; work in progress is completed in any case */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly stopOnError: boolean,
	) {
		const cancel = getCancelSignal(context);
		this.signal = AbortSignal.any(cancel ? [cancel, this.stop.signal] : [this.stop.signal]);
		this.outputs = new Array<INodeExecutionData[]>(context.getInputData().length);
		this.readParameter = createParameterReader(context);
	}

	async run() {
		let options = NO_THROTTLE;
		if (this.operation.sends) {
			let sends = false;
			try {
				sends = !readDryRun(this.readParameter, 0);
				options = readThrottleOptions(this.readParameter);
			} catch (error) {
				this.optionsError = error as Error;
			}
			const { context, readParameter, signal } = this;
			const getAccountKey = async () => createAccountKey((await this.getCredential()).account);
			if (sends) this.sender = new Sender(context, readParameter, options, signal, getAccountKey);
			else this.dryRun = new DryRun(context, readParameter);
		}
		const tasks = this.planTasks();
		await runTasks(async () => (await tasks.next()).value, options.concurrency);
		await this.sender?.finish();
		this.dryRun?.finish();
		await slowDownCircle(this.context, this.errors, this.hasRequested);
		return { outputs: this.outputs, errors: this.errors, isDryRun: this.dryRun !== undefined };
	}

	/**
	 * Plans several items at a time, because the sender puts several sends on record at a time. A dry run plans all, because n8n's event
	 * loop gets its turn only while items are planned.
	 */
	private async *planTasks(): AsyncGenerator<Task, undefined> {
		const failing: PlannedTask[] = [];
		let nextIndex = 0;
		while (nextIndex < this.outputs.length && !this.signal.aborted) {
			const planned: PlannedTask[] = [];
			let start = Date.now();
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
				if (Date.now() - start < MAX_BLOCKING_MS) continue;
				await sleep(0);
				start = Date.now();
			}
			for (const task of planned) {
				if (this.signal.aborted) break;
				// If the database cannot be used, the item itself reports it.
				const isLast = this.stopOnError && (await task.mustFail?.().catch(() => false));
				if (isLast) {
					this.failingLast.add(task.itemIndex);
					// Without a request, it waits for no other one.
					failing.push({ ...task, orderingKey: undefined });
				} else yield task;
			}
		}
		// Even after a stop, because items with the ID of one of them wait for it.
		yield* failing;
	}

	/** Prepares the work on one item. @throws whatever keeps it from being started, e.g. InvalidInputError */
	private async createTask(itemIndex: number): Promise<PlannedTask> {
		const { context, operation, optionsError, readParameter } = this;
		if (optionsError) throw optionsError;
		if (operation.sends) readDryRun(readParameter, itemIndex);
		const prepared = await operation.prepare(readParameter, itemIndex, context);
		const timeout = readTimeout(readParameter, itemIndex);
		const work: PlannedSend = this.dryRun
			? await this.planDryRun(itemIndex, prepared)
			: this.planWork(itemIndex, prepared, timeout);
		const run = async () => {
			const pairedItem = { item: itemIndex };
			this.outputs[itemIndex] = (await work.run()).map((item) => ({ ...item, pairedItem }));
		};
		const fail = async (error: unknown) => await this.fail(itemIndex, error);
		const orderingKey = prepared.send?.recipient;
		return { ...work, itemIndex, orderingKey, run: async () => await run().catch(fail) };
	}

	/** Plans an item without a request. */
	private async planDryRun(itemIndex: number, { check, preview, send }: PreparedRequest) {
		const { account } = await this.getCredential();
		check?.(account);
		const items = this.dryRun!.describe(itemIndex, send!.recipient, preview!);
		return { run: async () => items };
	}

	private planWork(itemIndex: number, prepared: PreparedRequest, timeout: number): PlannedSend {
		const { send, toItems } = prepared;
		const createRequest = async () =>
			await prepared.createRequest((await this.getCredential()).account);
		const read: Read = async (request) =>
			await withRetries(async () => await this.request(request, timeout), {
				isSend: false,
				signal: this.signal,
			});
		if (!this.sender || !send) {
			return { run: async () => await toItems(await read(await createRequest()), read) };
		}
		return this.sender.plan(itemIndex, send, {
			createRequest,
			attempt: async (request) => await toItems(await this.request(request, timeout), read),
		});
	}

	private async request(request: ApiRequest, timeout: number) {
		const credential = await this.getCredential();
		this.hasRequested = true;
		return await apiRequest(this.context, credential, request, timeout);
	}

	private async getCredential(): Promise<LoadedCredential> {
		return await (this.credential ??= loadCredential(this.context));
	}

	private async fail(itemIndex: number, error: unknown): Promise<void> {
		if (error instanceof NotStartedError) return;
		if (this.stopOnError && !this.failingLast.has(itemIndex)) this.stop.abort();
		const itemError = (await this.sender?.withPreviousAttempt(itemIndex, error)) ?? error;
		this.errors.push({ itemIndex, error: itemError });
	}
}
