import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { IdempotencyStoreError } from '../errors/idempotencyStoreError';
import { InvalidInputError } from '../errors/invalidInputError';
import { ProcessedData } from './processedData';
import type { SendOnceId } from './sendOptions';

/** As many as n8n's Remove Duplicates keeps. Every store is full in the end. */
const MAX_IDS = 10_000;

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
 * The IDs of one run of the node, in n8n's record of processed data. If another process undoes a release, the ID is skipped
 * later, and nobody gets a message twice.
 */
export class IdempotencyStore {
	private readonly ids: ProcessedData;

	constructor(context: IExecuteFunctions) {
		let limit: Promise<number> | undefined;
		this.ids = new ProcessedData(context, async () => await (limit ??= findLimit(this.ids)));
	}

	/**
	 * @returns false if the ID is reserved already
	 * @throws IdempotencyStoreError
	 */
	async reserve(id: SendOnceId): Promise<boolean> {
		const added = await orStoreError(this.ids.add([String(id)]));
		return added.has(String(id));
	}

	/**
	 * Removes an ID for which nothing was sent.
	 *
	 * @throws IdempotencyStoreError
	 */
	async release(id: SendOnceId): Promise<void> {
		await orStoreError(this.ids.remove([String(id)]));
	}

	/**
	 * Waits until no ID can get lost any more. Call this after the last reservation.
	 *
	 * @throws IdempotencyStoreError
	 */
	async flush(): Promise<void> {
		await orStoreError(this.ids.settle());
	}
}

/**
 * The record also holds send keys that are needed after a crash: the first new ID must not push any of them out. Those in use
 * get room of their own, and are removed later: if they counted here as well, each execution would leave the record longer.
 */
async function findLimit(ids: ProcessedData): Promise<number> {
	return Math.max(MAX_IDS, await ids.countOthers());
}

async function orStoreError<T>(result: Promise<T>): Promise<T> {
	return await result.catch((error: unknown) => {
		throw new IdempotencyStoreError(error);
	});
}
