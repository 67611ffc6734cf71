import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ItemError } from '../errors/itemProgress';
import { NotStartedError } from '../errors/notStartedError';
import type { Operation } from '../operations/operation';
import { readTimeout } from '../operations/timeout';
import { createParameterReader, type ReadParameter } from '../parameters/parameterReader';
import { requireIdempotencyStore } from '../sends/idempotencyStore';
import { type Attempt, Sender } from '../sends/sender';
import { readThrottleOptions, type ThrottleOptions } from '../sends/sendOptions';
import {
	type ApiRequest,
	apiRequest,
	getCancelSignal,
	loadCredential,
	type LoadedCredential,
	type Read,
} from '../transport/request';
import type { ApiResponse } from '../transport/responses';
import { withRetries } from '../transport/retry';
import { runTasks, type Task } from './taskPool';

export interface ItemResults {
	/** For each input item its output items; empty if it failed or was not started. */
	outputs: INodeExecutionData[][];
	/** In the order in which they occurred. */
	errors: ItemError[];
}

const ONE_AT_A_TIME: ThrottleOptions = { concurrency: 1, delay: 0 };

/** Runs an operation for all input items. Only sends run several at a time. */
export class ItemRunner {
	private readonly readParameter: ReadParameter;

	private readonly stop = new AbortController();

	/** Aborted as soon as nothing new may start. */
	private readonly signal: AbortSignal;

	private readonly outputs: INodeExecutionData[][];

	private readonly errors: ItemError[] = [];

	private sender?: Sender;

	private nextIndex = 0;

	private credential?: Promise<LoadedCredential>;

	/** @param stopOnError whether nothing new starts after an item failed; work in progress is completed in any case */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly stopOnError: boolean,
	) {
		const cancelSignal = getCancelSignal(context);
		this.signal = cancelSignal
			? AbortSignal.any([cancelSignal, this.stop.signal])
			: this.stop.signal;
		this.outputs = new Array<INodeExecutionData[]>(context.getInputData().length);
		this.readParameter = createParameterReader(context);
	}

	async run(): Promise<ItemResults> {
		const { concurrency, delay, error } = this.readRunOptions();
		if (this.operation.sends) {
			this.sender = new Sender(this.context, this.readParameter, delay, this.signal);
		}
		if (error) this.failAll(error);
		else await runTasks(() => this.nextTask(), concurrency);
		await this.sender?.finish();
		return { outputs: this.outputs, errors: this.errors };
	}

	/** Reads the options of the whole run. If one cannot be used, every item fails with `error`. */
	private readRunOptions(): ThrottleOptions & { error?: unknown } {
		if (!this.operation.sends) return ONE_AT_A_TIME;
		try {
			requireIdempotencyStore(this.context);
			return readThrottleOptions(this.readParameter);
		} catch (error) {
			return { ...ONE_AT_A_TIME, error };
		}
	}

	private nextTask(): Task | undefined {
		// Loops, because an item whose parameters cannot be used is not a task.
		while (this.hasNext()) {
			const itemIndex = this.nextIndex++;
			try {
				return this.createTask(itemIndex);
			} catch (error) {
				this.fail(itemIndex, error);
			}
		}
		return undefined;
	}

	private hasNext(): boolean {
		return this.nextIndex < this.outputs.length && !this.signal.aborted;
	}

	/** @throws whatever keeps the item from being started, e.g. InvalidInputError */
	private createTask(itemIndex: number): Task {
		const { context, operation, readParameter, sender } = this;
		const { request, recipient, toItems } = operation.prepare(readParameter, itemIndex, context);
		const timeout = readTimeout(readParameter, itemIndex);
		const read: Read = async (readRequest) =>
			await withRetries(async () => await this.request(readRequest, timeout), {
				isSend: false,
				signal: this.signal,
			});
		const work = sender
			? sender.plan(itemIndex, request.body ?? {}, {
					loadCredential: async () => await this.getCredential(),
					attempt: async () => await toItems(await this.request(request, timeout), read),
				})
			: async () => await toItems(await read(request), read);
		return { orderingKey: recipient, run: async () => await this.runItem(itemIndex, work) };
	}

	private async request(request: ApiRequest, timeout: number): Promise<ApiResponse> {
		const credential = await this.getCredential();
		return {
			body: await apiRequest(this.context, credential, request, timeout),
			account: credential.account,
		};
	}

	private async getCredential(): Promise<LoadedCredential> {
		return await (this.credential ??= loadCredential(this.context));
	}

	private async runItem(itemIndex: number, work: Attempt): Promise<void> {
		try {
			const pairedItem = { item: itemIndex };
			this.outputs[itemIndex] = (await work()).map((item) => ({ ...item, pairedItem }));
		} catch (error) {
			this.fail(itemIndex, error);
		}
	}

	private fail(itemIndex: number, error: unknown): void {
		if (error instanceof NotStartedError) return;
		const itemError = this.sender?.withPreviousAttempt(itemIndex, error) ?? error;
		this.errors.push({ itemIndex, error: itemError });
		if (this.stopOnError) this.stop.abort();
	}

	private failAll(error: unknown): void {
		while (this.hasNext()) this.fail(this.nextIndex++, error);
	}
}
