import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ItemError } from '../errors/itemErrors';
import { getRunIndex } from '../n8n/executions';
import { getCancelSignal } from '../n8n/cancelSignal';
import { showHint } from '../n8n/notify';
import { sleepUnlessAborted } from '../n8n/sleep';

/** The third time that an item comes back, it waits a second, and then twice as long each time. */
const MIN_REPEATS = 3;
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;

/** After this many runs in an execution, a run that fails without a request waits `FAILED_RUN_MS`. */
const FREE_RUNS = 20;
const FAILED_RUN_MS = 100;

/**
 * Waits while items go round in a loop, e.g. from the error output back to the node: without a request, they would fill n8n's memory, and no
 * node can end its execution. Stop ends the wait. @param errors of one run; each gets the number of times that its item has come back
 */
export async function slowDownLoop(
	context: IExecuteFunctions,
	errors: ItemError[],
	hasRequested: boolean,
): Promise<void> {
	const runIndex = getRunIndex(context);
	// No more than this: a table may have kept the error of an earlier execution.
	for (const error of errors)
		error.repeats = Math.min(countRepeats(context.getInputData()[error.itemIndex]), runIndex);
	const circling = errors.filter(({ repeats = 0 }) => repeats >= MIN_REPEATS).length;
	const items = circling === 1 ? '1 item comes' : `${circling} items come`;
	const message = `${items} back to this node again and again with an error. Connect the error output to another node, e.g. one that adds them to a table.`;
	if (circling > 0) showHint(context, message);
	// A loop over many bad rows must not become slow, nor one of dry runs or skipped items. A millisecond lets others run.
	const isFree = errors.length === 0 || runIndex < FREE_RUNS - 1;
	const ofRun = hasRequested ? 0 : isFree ? 1 : FAILED_RUN_MS;
	const most = errors.reduce((before, { repeats = 0 }) => Math.max(before, repeats), 0);
	const ofItems = circling > 0 ? Math.min(MIN_WAIT_MS * 2 ** (most - MIN_REPEATS), MAX_WAIT_MS) : 0;
	await sleepUnlessAborted(Math.max(ofRun, ofItems), getCancelSignal(context));
}

/** Counts how often an item has come back. Its own error keeps the count, so that two nodes in a row are not taken for a loop. */
function countRepeats({ json }: INodeExecutionData): number {
	const { message, repeats } = (json.error ?? {}) as { message?: unknown; repeats?: unknown };
	return typeof message !== 'string' ? 0 : typeof repeats === 'number' ? repeats + 1 : 1;
}
