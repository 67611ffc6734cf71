import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import type { SendOnceId } from './options';
import { Queue } from './queue';

/**
 * How many IDs n8n keeps for a node; the oldest go first. As many as in n8n's own Remove Duplicates: n8n reads and writes
 * them all for every check, and in the end every record is full. A check took 9 ms with 10,000, and 40 ms with 50,000.
 */
const MOST_IDS = 10_000;

const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MOST_IDS };

/**
 * n8n reads its record, changes it and writes it back: two calls at once would lose an ID. So all calls in this process
 * take turns, those of other executions too.
 */
const queue = new Queue();

async function inTurn<T>(call: () => Promise<T>): Promise<T> {
	return await queue.inTurn(call).catch((error: unknown) => {
		throw new RecordFailure(error);
	});
}

/** n8n's record cannot be used. */
export class RecordFailure extends Error {
	readonly description =
		"Nothing was sent. Should its ID be on the record of 'Send Once per ID' all the same, it may be skipped from now on.";

	constructor(cause: unknown) {
		super(`n8n's record of IDs cannot be used: ${(cause as Error).message}`, { cause });
	}
}

/**
 * Puts an ID on n8n's record of what this node has processed, in all its executions.
 *
 * @returns false where it is on record already
 * @throws RecordFailure
 */
export async function recordId(context: IExecuteFunctions, id: SendOnceId): Promise<boolean> {
	const { new: added } = await inTurn(
		async () => await context.helpers.checkProcessedAndRecord([String(id)], 'node', OPTIONS),
	);
	return added.length > 0;
}

/**
 * Takes an ID from the record: nothing was sent for it.
 *
 * @throws RecordFailure
 */
export async function takeBackId(context: IExecuteFunctions, id: SendOnceId): Promise<void> {
	await inTurn(async () => await context.helpers.removeProcessed([String(id)], 'node', OPTIONS));
}
