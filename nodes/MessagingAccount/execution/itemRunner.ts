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

/**
 * Runs an operation for all input items. Only sends run several at a time.
 * @param stopOnError whether nothing new starts after an item failed; work in progress is completed in any case
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
	stopOnError: boolean,
) {
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
	const stop = new AbortController();
	/** A signal that is aborted as soon as nothing new may start. */
	const signal = AbortSignal.any([stop.signal, getCancelSignal(context) ?? stop.signal]);
	const dryRun = isDryRun ? new DryRun(context, options.maxSends) : undefined;
	const isSending = operation.sends && !dryRun;
	const sender = isSending ? new Sender(context, client, options, signal) : undefined;
	/** The output items of each input item; empty if it failed or was not started. */
	const outputs = new Array<INodeExecutionData[]>(context.getInputData().length);
	const errors: ItemError[] = [];
	/** What to run, one after another, when all tasks have ended. */
	const last: Array<() => Promise<void>> = [];

	/** Yields the tasks whose turn is now, and keeps what comes last. */
	async function* listTasks(): AsyncGenerator<Task> {
		const planning = { planner, client, signal, sender, dryRun, optionsError };
		for await (const work of planItems(outputs.length, planning)) {
			// If the database cannot be used, the item itself reports it.
			const mustFail = stopOnError && (await work.mustFail?.().catch(() => false));
			const turn = mustFail ? 'lastEvenAfterStop' : work.isRepeated ? 'last' : 'now';
			const run = async () => await runItem(work, turn);
			if (turn === 'now') yield { orderingKey: work.orderingKey, run };
			else last.push(run);
		}
	}

	async function runItem({ itemIndex, run }: Work, turn: Turn): Promise<void> {
		if (turn === 'last' && signal.aborted) return;
		const pairedItem = { item: itemIndex };
		try {
			outputs[itemIndex] = (await run()).map((item) => ({ ...item, pairedItem }));
		} catch (error) {
			if (error instanceof NotStartedError) return;
			if (stopOnError && turn !== 'lastEvenAfterStop') stop.abort();
			const itemError = (await sender?.withEarlierAttempt(itemIndex, error)) ?? error;
			errors.push({ itemIndex, error: itemError });
		}
	}

	/** Logs once a minute how far a long list is. In the editor, n8n shows nothing of a node that runs. */
	async function logProgress(end: AbortSignal): Promise<void> {
		while (await sleepUnlessAborted(60_000, end)) {
			const sent = outputs.flat().filter(({ json }) => json.skipped !== true).length;
			const done = Object.keys(outputs).length + errors.length;
			const counts = `${done} of ${outputs.length} items, ${sent} sent, ${errors.length} failed`;
			log(context, `${operation.entry.name}: ${counts}`, 'info');
		}
	}

	const end = new AbortController();
	if (sender) void logProgress(end.signal);
	await runTasks(listTasks(), options.concurrency);
	for (const run of last) await run();
	end.abort();
	await sender?.finish();
	dryRun?.finish();
	await slowDownLoop(context, errors, client.hasRequested);
	return { outputs, errors, isDryRun, includesInput: options.includesInput };
}
