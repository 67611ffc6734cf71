import {
	sleep,
	type ICheckProcessedOptions,
	type IDataObject,
	type IExecuteFunctions,
} from 'n8n-workflow';

import { IdempotencyStoreError } from '../errors/idempotencyStoreError';
import { InvalidInputError } from '../errors/invalidInputError';
import { Mutex } from '../shared/mutex';
import type { SendOnceId } from './sendOptions';

/**
 * How many IDs n8n keeps for a node, dropping the oldest. As many as n8n's Remove Duplicates keeps: n8n reads and writes
 * all of them for every check, and every store is full in the end. A check took 9 ms with 10,000 IDs and 40 ms with 50,000.
 */
const MAX_IDS = 10_000;

const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MAX_IDS };

/** Several times as long as n8n takes from reading its store to writing it back. */
const SETTLE_MS = 300;

/** A further round is only needed if another process removed an ID in the round before. */
const MAX_ROUNDS = 10;

/**
 * n8n reads its store, changes it and writes it back, so two calls at once would lose an ID. All calls of this process take
 * turns, across executions.
 */
const mutex = new Mutex();

/**
 * Call this before anything is sent, also for items without an ID: whoever sets the option relies on it for all of them.
 *
 * @throws InvalidInputError if "Send Once per ID" is set, whatever its values, and this n8n does not store processed IDs
 */
export function requireIdempotencyStore(context: IExecuteFunctions): void {
	const helpers: Partial<IExecuteFunctions['helpers']> = context.helpers;
	const options = context.getNode().parameters.options as IDataObject | undefined;
	if (!options?.sendOnceId || helpers.checkProcessedAndRecord) return;
	throw new InvalidInputError(
		"'Send Once per ID' needs n8n 1.64 or later",
		'This n8n does not store processed IDs. Update it, or remove the option.',
	);
}

/**
 * The IDs of one run of the node in n8n's store of processed data, which n8n keeps per node across executions.
 *
 * Another process, e.g. a worker in n8n's queue mode, may have read the store before an ID was added, and then write it
 * back without the ID. So the ID is added again until it is still there after any such process must have written. A
 * release is not repeated: if another process undoes it, the ID is skipped later, and nobody gets a message twice.
 */
export class IdempotencyStore {
	/** When each ID was last added, in ms since 1970, while it can still get lost. Changed only under the mutex. */
	private readonly unsettled = new Map<string, number>();

	constructor(private readonly context: IExecuteFunctions) {}

	/**
	 * @returns false if the ID is reserved already
	 * @throws IdempotencyStoreError
	 */
	async reserve(id: SendOnceId): Promise<boolean> {
		return (await this.store(String(id))).includes(String(id));
	}

	/**
	 * Removes an ID for which nothing was sent.
	 *
	 * @throws IdempotencyStoreError
	 */
	async release(id: SendOnceId): Promise<void> {
		await runExclusive(async () => {
			this.unsettled.delete(String(id));
			await this.context.helpers.removeProcessed([String(id)], 'node', OPTIONS);
		});
	}

	/**
	 * Waits until no ID can get lost any more. Call this after the last reservation.
	 *
	 * @throws IdempotencyStoreError
	 */
	async flush(): Promise<void> {
		for (let round = 0; this.unsettled.size > 0; round++) {
			if (round === MAX_ROUNDS) {
				throw new IdempotencyStoreError(new Error('other processes keep removing them'));
			}
			await sleep(SETTLE_MS);
			await this.store();
		}
	}

	/**
	 * Adds IDs, and again all that can still get lost.
	 *
	 * @returns those that were not in the store
	 */
	private async store(...ids: string[]): Promise<string[]> {
		return await runExclusive(async () => {
			const all = new Set([...ids, ...this.unsettled.keys()]);
			const start = Date.now();
			const { new: added } = await this.context.helpers.checkProcessedAndRecord(
				[...all],
				'node',
				OPTIONS,
			);
			for (const [id, since] of this.unsettled) {
				if (start - since >= SETTLE_MS) this.unsettled.delete(id);
			}
			for (const id of added as string[]) this.unsettled.set(id, Date.now());
			return added as string[];
		});
	}
}

async function runExclusive<T>(callback: () => Promise<T>): Promise<T> {
	const retryOnce = async (error: unknown) =>
		// The first ID of a node creates its row. If two processes do so at once, one is refused and has stored nothing.
		isUniqueViolation(error)
			? await mutex.runExclusive(callback)
			: await Promise.reject(error as Error);
	return await mutex
		.runExclusive(callback)
		.catch(retryOnce)
		.catch((error: unknown) => {
			throw new IdempotencyStoreError(error);
		});
}

/** How SQLite and PostgreSQL report that a row exists already. */
function isUniqueViolation(error: unknown): boolean {
	return /unique constraint/i.test((error as Error).message);
}
