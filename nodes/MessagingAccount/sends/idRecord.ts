import {
	sleep,
	type ICheckProcessedOptions,
	type IDataObject,
	type IExecuteFunctions,
} from 'n8n-workflow';

import { InvalidInput } from '../service/errors';
import type { SendOnceId } from './options';
import { Queue } from './queue';

/**
 * How many IDs n8n keeps for a node; the oldest go first. As many as in n8n's own Remove Duplicates: n8n reads and writes
 * them all for every check, and in the end every record is full. A check took 9 ms with 10,000, and 40 ms with 50,000.
 */
const MOST_IDS = 10_000;

const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MOST_IDS };

/** Several times what n8n takes between reading its record and writing it back. */
const SETTLED_AFTER_MS = 300;

/** Another round is needed only where another process has undone an ID in the one before. */
const MOST_ROUNDS = 10;

/**
 * n8n reads its record, changes it and writes it back: two calls at once would lose an ID. So all calls in this process
 * take turns, those of other executions too.
 */
const queue = new Queue();

/** n8n's record cannot be used. */
export class RecordFailure extends Error {
	readonly description =
		"Nothing was sent. Should its ID be on the record of 'Send Once per ID' all the same, it may be skipped from now on.";

	constructor(cause: unknown) {
		super(`n8n's record of IDs cannot be used: ${(cause as Error).message}`, { cause });
	}
}

/**
 * To be called before anything is sent, also for items without an ID: who set the option counts on it for all of them.
 *
 * @throws InvalidInput where "Send Once per ID" is set, whatever it is for the items, and this n8n has no such record
 */
export function mustHaveRecord(context: IExecuteFunctions): void {
	const helpers: Partial<IExecuteFunctions['helpers']> = context.helpers;
	const options = context.getNode().parameters.options as IDataObject | undefined;
	if (!options?.sendOnceId || helpers.checkProcessedAndRecord) return;
	throw new InvalidInput(
		"'Send Once per ID' needs n8n 1.64 or newer",
		'This n8n keeps no record of what was processed. Update it, or take the option out.',
	);
}

/**
 * What one run of the node puts on n8n's record of what the node has processed, in all its executions.
 *
 * Another process, e.g. a worker of n8n's queue mode, may have read the record before an ID was put on it, and write it
 * back without. So an ID is put on it again until it is there after any such process must have written. An ID that was
 * taken back is not followed up: where another process undoes that, it is skipped later on, and nobody gets it twice.
 */
export class IdRecord {
	/** When each ID was put on record last, in ms since 1970, as long as it may get lost. Changed only in turn. */
	private readonly unsettled = new Map<string, number>();

	constructor(private readonly context: IExecuteFunctions) {}

	/**
	 * @returns false where the ID is on record already
	 * @throws RecordFailure
	 */
	async add(id: SendOnceId): Promise<boolean> {
		return (await this.record(String(id))).includes(String(id));
	}

	/**
	 * Takes an ID from the record: nothing was sent for it.
	 *
	 * @throws RecordFailure
	 */
	async takeBack(id: SendOnceId): Promise<void> {
		await inTurn(async () => {
			this.unsettled.delete(String(id));
			await this.context.helpers.removeProcessed([String(id)], 'node', OPTIONS);
		});
	}

	/**
	 * Sees to it that no ID gets lost any more; to be called when all have been added.
	 *
	 * @throws RecordFailure
	 */
	async settle(): Promise<void> {
		for (let round = 0; this.unsettled.size > 0; round++) {
			if (round === MOST_ROUNDS) throw new RecordFailure(new Error('others keep undoing it'));
			await sleep(SETTLED_AFTER_MS);
			await this.record();
		}
	}

	/** @returns what was not on record, and is now */
	private async record(...ids: string[]): Promise<string[]> {
		return await inTurn(async () => {
			const all = new Set([...ids, ...this.unsettled.keys()]);
			const start = Date.now();
			const { new: added } = await this.context.helpers.checkProcessedAndRecord(
				[...all],
				'node',
				OPTIONS,
			);
			for (const [id, since] of this.unsettled) {
				if (start - since >= SETTLED_AFTER_MS) this.unsettled.delete(id);
			}
			for (const id of added as string[]) this.unsettled.set(id, Date.now());
			return added as string[];
		});
	}
}

async function inTurn<T>(call: () => Promise<T>): Promise<T> {
	const again = async (error: unknown) =>
		// The first ID of a node makes its record: of two processes that do so at once one is refused, and has recorded nothing.
		isTaken(error) ? await queue.inTurn(call) : await Promise.reject(error as Error);
	return await queue
		.inTurn(call)
		.catch(again)
		.catch((error: unknown) => {
			throw new RecordFailure(error);
		});
}

/** What SQLite and PostgreSQL say of a row that is there already. */
function isTaken(error: unknown): boolean {
	return /unique constraint/i.test((error as Error).message);
}
