import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError } from '../errors/apiError';
import type { IdempotencyStoreError } from '../errors/idempotencyStoreError';
import { NotStartedError } from '../errors/notStartedError';
import type { ReadParameter } from '../parameters/parameterReader';
import { withRetries } from '../transport/retry';
import { IdempotencyStore } from './idempotencyStore';
import { SendLog, type SendLogEntry } from './sendLog';
import { readSendOptions, type SendOnceId } from './sendOptions';
import { Throttle } from './throttle';

/** Makes the request of one item once, and returns its output items. */
export type Attempt = () => Promise<INodeExecutionData[]>;

/** Sends the items of one run of the node, and prevents duplicate messages whatever happens to a request. */
export class Sender {
	private readonly log: SendLog;

	private readonly throttle: Throttle;

	private readonly idempotencyStore: IdempotencyStore;

	/** "Send Once per ID" of all earlier items of this run. */
	private readonly seenIds = new Set<string>();

	/**
	 * @param delay ms between the starts of two sends
	 * @param signal once aborted, nothing new starts
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly readParameter: ReadParameter,
		delay: number,
		private readonly signal: AbortSignal,
	) {
		this.log = new SendLog(context);
		this.throttle = new Throttle(delay, signal);
		this.idempotencyStore = new IdempotencyStore(context);
	}

	/**
	 * Plans the send of one item. Call this in the order of the items: of two with the same ID, the second is skipped.
	 *
	 * @param request the body of the request
	 * @param steps `loadCredential` runs first; if it throws, nothing was sent. `attempt` makes the request.
	 * @returns carries out the plan; throws ApiError, NotStartedError,
	 * IdempotencyStoreError, or what `loadCredential` throws
	 * @throws InvalidInputError if an option cannot be used
	 */
	plan(
		itemIndex: number,
		request: IDataObject,
		{ loadCredential, attempt }: { loadCredential: () => Promise<unknown>; attempt: Attempt },
	): Attempt {
		const { resendUncertain, sendOnceId } = readSendOptions(this.readParameter, itemIndex);
		const entry = this.log.entryFor(itemIndex, request);
		const isDuplicate = sendOnceId !== undefined && this.seenIds.has(String(sendOnceId));
		if (sendOnceId !== undefined) this.seenIds.add(String(sendOnceId));

		return async () => {
			const { previous } = entry;
			if (previous && 'id' in previous) return [{ json: { id: previous.id } }];
			if (previous && 'unknownReason' in previous && !resendUncertain) {
				throw previousAttemptUnknown(previous.unknownReason);
			}
			if (isDuplicate) return skipped(sendOnceId);
			await loadCredential();
			const items = await withRetries(async () => await this.sendOnce(entry, sendOnceId, attempt), {
				isSend: true,
				signal: this.signal,
			});
			return items ?? skipped(sendOnceId);
		};
	}

	/** Call this when all sends have ended. */
	async finish(): Promise<void> {
		try {
			await this.idempotencyStore.flush();
		} catch (error) {
			// No send failed because of this.
			this.context.logger.warn(
				`${(error as Error).message}. Some IDs of this execution may be missing: later executions may send these images again.`,
			);
		}
	}

	/**
	 * Returns the error of a failed item, taking an earlier attempt into account: an error before the request says nothing
	 * about whether that attempt sent something.
	 *
	 * @param error of any type
	 */
	withPreviousAttempt(itemIndex: number, error: unknown): unknown {
		if (error instanceof ApiError || !this.log.mayHaveSent(itemIndex)) return error;
		const { message, description } = error as { message: string; description?: string | null };
		return new ApiError(message, {
			description: [description, PREVIOUS_MAY_HAVE_SENT].filter(Boolean).join(' '),
			result: 'unusable',
		});
	}

	/**
	 * Waits for the throttle, then sends once.
	 *
	 * @returns undefined if the ID is reserved already and nothing was sent
	 */
	private async sendOnce(
		entry: SendLogEntry,
		id: SendOnceId | undefined,
		attempt: Attempt,
	): Promise<INodeExecutionData[] | undefined> {
		const isStarted = await this.throttle.run(async () => {
			const isNew = id === undefined || (await this.idempotencyStore.reserve(id));
			// After an earlier attempt of this very send, the reservation is its own.
			if (!isNew && !entry.previous) return false;
			// Another item may have failed during the reservation.
			if (this.signal.aborted) {
				if (isNew && id !== undefined) await this.idempotencyStore.release(id);
				throw new NotStartedError();
			}
			entry.begin();
			return true;
		});
		if (!isStarted) return undefined;
		try {
			const items = await attempt();
			entry.sent(items[0].json.id as string | number);
			return items;
		} catch (error) {
			const apiError = error instanceof ApiError ? error : unexpectedError(error);
			await this.recordError(entry, id, apiError);
			throw apiError;
		}
	}

	private async recordError(
		entry: SendLogEntry,
		id: SendOnceId | undefined,
		error: ApiError,
	): Promise<void> {
		const { previous } = entry;
		if (error.delivery === 'unknown') return entry.unknown(error.reason);
		if (previous && 'unknownReason' in previous) {
			error.delivery = 'unknown';
			error.notes.push(PREVIOUS_MAY_HAVE_SENT);
			return entry.unknown(previous.unknownReason);
		}
		entry.notSent();
		try {
			if (id !== undefined) await this.idempotencyStore.release(id);
		} catch (releaseError) {
			const { message, description } = releaseError as IdempotencyStoreError;
			entry.notSentIdReserved();
			error.notes.push(`${message}. ${description}`);
		}
	}
}

const PREVIOUS_MAY_HAVE_SENT = 'This attempt sent nothing, but an earlier one may have.';

function skipped(sendOnceId: SendOnceId | undefined): INodeExecutionData[] {
	return [{ json: { skipped: true, sendOnceId } }];
}

function previousAttemptUnknown(reason: string): ApiError {
	return new ApiError(
		`An earlier attempt to send this item ended without a clear result (${reason})`,
		{
			description:
				"Nothing was sent this time. Turn on 'Resend When Uncertain' to send it again, at the risk of a second message.",
			result: 'unusable',
		},
	);
}

/** Once a request was made, no error may make it look as if nothing was sent. */
function unexpectedError(error: unknown): ApiError {
	return new ApiError('Unexpected error while sending', {
		description: `n8n reports: ${(error as Error).name}.`,
		result: 'unusable',
	});
}
