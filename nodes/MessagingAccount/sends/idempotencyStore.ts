import type { IExecuteFunctions } from 'n8n-workflow';

import { DatabaseError } from '../errors/errorClasses';
import { ProcessedData } from './processedData';
import type { SendOnceId } from './sendOptions';

/** As many as n8n's Remove Duplicates keeps. Every store is full in the end. */
const MAX_IDS = 10_000;

/**
 * The IDs of one run of the node, in n8n's record of processed data. If another process undoes a release, the ID is skipped
 * later, and nobody gets a message twice.
 */
export class IdempotencyStore {
	private readonly ids: ProcessedData;

	private limit?: number;

	constructor(context: IExecuteFunctions) {
		this.ids = new ProcessedData(context, async () => await this.nextLimit());
	}

	/**
	 * @returns false if the ID is reserved already
	 * @throws DatabaseError
	 */
	async reserve(id: SendOnceId): Promise<boolean> {
		const added = await orDatabaseError(this.ids.add([String(id)]));
		return added.has(String(id));
	}

	/**
	 * Removes an ID for which nothing was sent.
	 *
	 * @throws DatabaseError
	 */
	async release(id: SendOnceId): Promise<void> {
		await orDatabaseError(this.ids.remove([String(id)]));
	}

	/**
	 * Waits until no ID can get lost any more. Call this after the last reservation.
	 *
	 * @throws DatabaseError
	 */
	async flush(): Promise<void> {
		await orDatabaseError(this.ids.settle());
	}

	/**
	 * The record also holds send keys that are needed after a crash: the first new ID must not push many of them out. With each
	 * call, one less may be there, so a record that holds more than it should shrinks again, e.g. if other processes had keys in
	 * use that counted here.
	 */
	private async nextLimit(): Promise<number> {
		this.limit = Math.max(MAX_IDS, (this.limit ?? (await this.ids.countOthers())) - 1);
		return this.limit;
	}
}

async function orDatabaseError<T>(result: Promise<T>): Promise<T> {
	return await result.catch((error: unknown) => {
		throw new DatabaseError(
			error,
			"Check it, then try again. The ID of 'Send Once per ID' may be stored already: later executions then skip it.",
		);
	});
}
