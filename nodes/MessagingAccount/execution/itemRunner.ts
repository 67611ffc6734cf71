import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ItemError } from '../errors/itemErrors';
import { NotStartedError } from '../errors/errorClasses';
import { getCancelSignal } from '../n8n/cancelSignal';
import { log } from '../n8n/notify';
import { sleepUnlessAborted } from '../n8n/sleep';
import { createPlanner, type Operation } from '../operations/operation';
import { Sender } from '../sends/sender';
import { readRunOptions } from '../sends/sendOptions';
import { ServiceClient } from '../transport/request';
import { DryRun } from './dryRun';
import { slowDownLoop } from './loopBrake';
import { planItems, type Work } from './planItems';
import { runTasks, type Task } from './taskPool';

/** Last, when that has ended, comes what has the ID of an earlier item; and what certainly fails, so that it keeps no others from being sent. */
type Turn = 'now' | 'last' | 'lastEvenAfterStop';

/** Runs an operation for all input items. Only sends run several at a time. */
export class ItemRunner {
	private readonly stop = new AbortController();
	/** A signal that is aborted as soon as nothing new may start. */
	private readonly signal: AbortSignal;
	/** The output items of each input item; empty if it failed or was not started. */
	private readonly outputs: INodeExecutionData[][];
	private readonly errors: ItemError[] = [];
	/** What to run, one after another, when all tasks have ended. */
	private readonly last: Array<() => Promise<void>> = [];
	private sender?: Sender;

	/** @param stopOnError whether nothing new starts after an item failed; work in progress is completed in any case */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly stopOnError: boolean,
	) {
		const cancel = getCancelSignal(context);
		this.signal = AbortSignal.any(cancel ? [cancel, this.stop.signal] : [this.stop.signal]);
		this.outputs = new Array<INodeExecutionData[]>(context.getInputData().length);
	}

	async run() {
		const { context, operation, signal, outputs, errors } = this;
		const client = new ServiceClient(context);
		const planner = createPlanner(operation, context, client);
		let options = readRunOptions((_name, fallback) => fallback);
		let isDryRun = false;
		let optionsError: Error | undefined;
		try {
			if (operation.sends) {
				isDryRun = planner.readDryRun();
				options = planner.readRunOptions();
			}
		} catch (error) {
			optionsError = error as Error;
		}
		const dryRun = isDryRun ? new DryRun(context, options.maxSends) : undefined;
		if (operation.sends && !dryRun) this.sender = new Sender(context, client, options, signal);
		const { sender } = this;
		const planning = { planner, client, signal, sender, dryRun, optionsError };
		const end = new AbortController();
		if (sender) void this.logProgress(end.signal);
		await runTasks(this.listTasks(planItems(outputs.length, planning)), options.concurrency);
		for (const run of this.last) await run();
		end.abort();
		await sender?.finish();
		dryRun?.finish();
		await slowDownLoop(context, errors, client.hasRequested);
		return { outputs, errors, isDryRun, includesInput: options.includesInput };
	}

	/** Yields the tasks whose turn is now, and keeps what comes last. */
	private async *listTasks(planned: AsyncGenerator<Work>): AsyncGenerator<Task> {
		for await (const work of planned) {
			// If the database cannot be used, the item itself reports it.
			const mustFail = this.stopOnError && (await work.mustFail?.().catch(() => false));
			const turn = mustFail ? 'lastEvenAfterStop' : work.isRepeated ? 'last' : 'now';
			const run = async () => await this.runItem(work, turn);
			if (turn === 'now') yield { orderingKey: work.orderingKey, run };
			else this.last.push(run);
		}
	}

	/** Logs once a minute how far a long list is. In the editor, n8n shows nothing of a node that runs. */
	private async logProgress(end: AbortSignal): Promise<void> {
		const { context, errors, operation, outputs } = this;
		while (await sleepUnlessAborted(60_000, end)) {
			const sent = outputs.flat().filter(({ json }) => json.skipped !== true).length;
			const done = Object.keys(outputs).length + errors.length;
			const counts = `${done} of ${outputs.length} items, ${sent} sent, ${errors.length} failed`;
			log(context, `${operation.entry.name}: ${counts}`, 'info');
		}
	}

	private async runItem({ itemIndex, run }: Work, turn: Turn): Promise<void> {
		if (turn === 'last' && this.signal.aborted) return;
		const pairedItem = { item: itemIndex };
		try {
			this.outputs[itemIndex] = (await run()).map((item) => ({ ...item, pairedItem }));
		} catch (error) {
			if (error instanceof NotStartedError) return;
			if (this.stopOnError && turn !== 'lastEvenAfterStop') this.stop.abort();
			const itemError = (await this.sender?.withEarlierAttempt(itemIndex, error)) ?? error;
			this.errors.push({ itemIndex, error: itemError });
		}
	}
}
