import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, type DatabaseError, NotStartedError } from '../errors/errorClasses';
import type { ReadParameter } from '../parameters/parameterReader';
import type { ApiRequest } from '../transport/request';
import { withRetries } from '../transport/retry';
import { IdempotencyStore } from './idempotencyStore';
import { isSent, isUnknown } from './outcome';
import { SendLog, type SendLogEntry } from './sendLog';
import { readSendOptions, type SendOnceId, type ThrottleOptions } from './sendOptions';
import { Throttle } from './throttle';
import { BATCH_MS, WriteAheadLog } from './writeAheadLog';

/** The steps of one attempt at a send. */
export interface SendSteps {
	/** If it throws, nothing was sent. */
	createRequest(): Promise<ApiRequest>;
	/** Makes the request once, and returns the output items. */
	attempt(request: ApiRequest): Promise<INodeExecutionData[]>;
}

/** Sends the items of one run of the node, and prevents duplicate messages whatever happens to a request. */
export class Sender {
	private readonly log: SendLog;

	private readonly writeAheadLog: WriteAheadLog;

	private readonly throttle: Throttle;

	private readonly idempotencyStore: IdempotencyStore;

	/** Whether outcomes go on record at once, because the next send comes much later. */
	private readonly isPaced: boolean;

	/** "Send Once per ID" of all earlier items of this run. */
	private readonly seenIds = new Set<string>();

	/** @param signal once aborted, nothing new starts */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly readParameter: ReadParameter,
		{ concurrency, ...pace }: ThrottleOptions,
		private readonly signal: AbortSignal,
	) {
		this.log = new SendLog(context);
		this.writeAheadLog = new WriteAheadLog(context, this.log, concurrency);
		this.isPaced = pace.delay + pace.randomExtraDelay >= BATCH_MS;
		this.throttle = new Throttle(pace, signal);
		this.idempotencyStore = new IdempotencyStore(context);
	}

	/** How many items to plan at a time. */
	get batchSize(): number {
		return this.writeAheadLog.batchSize;
	}

	/**
	 * Plans the send of one item. Call this in the order of the items: of two with the same ID, the second is skipped.
	 *
	 * @param content what identifies the send
	 * @returns carries out the plan; throws ApiError, NotStartedError, DatabaseError, or what `createRequest` throws
	 * @throws InvalidInputError if an option cannot be used
	 */
	plan(
		itemIndex: number,
		content: IDataObject,
		steps: SendSteps,
	): () => Promise<INodeExecutionData[]> {
		const { resendUncertain, sendOnceId } = readSendOptions(this.readParameter, itemIndex);
		const entry = this.log.entryFor(itemIndex, content);
		const isDuplicate = sendOnceId !== undefined && this.seenIds.has(String(sendOnceId));
		if (sendOnceId !== undefined) this.seenIds.add(String(sendOnceId));
		if (!isDuplicate && !isSent(entry.previous)) this.writeAheadLog.plan(entry);

		const run = async () => {
			await this.writeAheadLog.lookUp(entry);
			const { previous } = entry;
			if (isSent(previous)) {
				entry.end(previous);
				return [{ json: describeSent(previous.id) }];
			}
			const isResend = isUnknown(previous);
			if (isUnknown(previous) && !resendUncertain) {
				entry.end(previous);
				throw previousAttemptUnknown(previous.unknownReason);
			}
			if (isDuplicate) return skipped(sendOnceId);
			const sendOnce = async () => await this.sendOnce(entry, sendOnceId, isResend, steps);
			const items = await withRetries(sendOnce, { isSend: true, signal: this.signal });
			return items ?? skipped(sendOnceId);
		};
		return async () => await run().finally(() => this.writeAheadLog.close(entry));
	}

	/** Call this when all sends have ended. */
	async finish(): Promise<void> {
		// No send failed because of this.
		const orWarn = async (work: Promise<void>, consequence: string) =>
			await work.catch(({ message }: Error) =>
				this.context.logger.warn(`${message}. ${consequence}`),
			);
		await orWarn(
			this.writeAheadLog.finish(),
			'If n8n stops before this execution ends, a retry may report sent images as unknown.',
		);
		await orWarn(
			this.idempotencyStore.flush(),
			'Some IDs of this execution may be missing: later executions may send these images again.',
		);
	}

	/**
	 * Returns the error of a failed item, taking earlier attempts into account: an error before the request says nothing about
	 * whether these sent something.
	 *
	 * @param error of any type
	 */
	async withPreviousAttempt(itemIndex: number, error: unknown): Promise<unknown> {
		if (error instanceof ApiError || !(await this.mayHaveSent(itemIndex))) return error;
		const { message, description } = error as { message: string; description?: string | null };
		return new ApiError(message, {
			description: [description, PREVIOUS_MAY_HAVE_SENT].filter(Boolean).join(' '),
			result: 'unusable',
		});
	}

	private async mayHaveSent(itemIndex: number): Promise<boolean> {
		if (this.log.mayHaveSent(itemIndex) || this.log.hasUnknownCall()) return true;
		// Without the record, nobody knows.
		return await this.writeAheadLog.isLogIncomplete().catch(() => true);
	}

	/**
	 * Waits for the throttle, then sends once.
	 *
	 * @returns undefined if the ID is reserved already and nothing was sent
	 */
	private async sendOnce(
		entry: SendLogEntry,
		id: SendOnceId | undefined,
		isResend: boolean,
		{ createRequest, attempt }: SendSteps,
	): Promise<INodeExecutionData[] | undefined> {
		const request = await this.throttle.run(async () => {
			const created = await createRequest();
			if (!(await this.writeAheadLog.begin(entry, isResend))) {
				throw previousAttemptUnknown('another attempt is on record');
			}
			const isNew = id === undefined || (await this.idempotencyStore.reserve(id));
			// After an earlier attempt of this very send, the reservation is its own.
			if (!isNew && !entry.previous) return undefined;
			// Another item may have failed during the reservation.
			if (this.signal.aborted) {
				if (isNew && id !== undefined) {
					// Otherwise a retry would take it for that of another execution.
					await this.idempotencyStore.release(id).catch(() => entry.end({ idReserved: true }));
				}
				throw new NotStartedError();
			}
			entry.begin();
			return created;
		});
		if (!request) return undefined;
		try {
			const items = await attempt(request);
			entry.end({ id: items[0].json.id as string | number });
			this.writeAheadLog.sent(entry);
			return items;
		} catch (error) {
			const apiError = error instanceof ApiError ? error : unexpectedError(error);
			await this.recordError(entry, id, apiError);
			throw apiError;
		} finally {
			// If this fails, the next write does it.
			if (this.isPaced) await this.writeAheadLog.flush().catch(() => {});
		}
	}

	private async recordError(
		entry: SendLogEntry,
		id: SendOnceId | undefined,
		error: ApiError,
	): Promise<void> {
		const { previous } = entry;
		const wasUnknown = isUnknown(previous);
		if (error.delivery === 'unknown' || wasUnknown) {
			entry.end(wasUnknown ? previous : { unknownReason: error.reason });
			this.writeAheadLog.unknown(entry);
		} else {
			entry.notSent();
			this.writeAheadLog.notSent(entry);
			if (id !== undefined) {
				await this.idempotencyStore.release(id).catch(({ message, description }: DatabaseError) => {
					entry.end({ idReserved: true });
					error.notes.push(`${message}. ${description}`);
				});
			}
		}
		if (error.delivery === 'notSent' && (wasUnknown || this.log.mayHaveSent(entry.itemIndex))) {
			error.delivery = 'unknown';
			error.notes.push(PREVIOUS_MAY_HAVE_SENT);
		}
	}
}

const PREVIOUS_MAY_HAVE_SENT = 'This attempt sent nothing, but an earlier one may have.';

/** After a crash of n8n, the id of the message is not known. */
function describeSent(id: string | number | null): IDataObject {
	return id === null ? { id, sent: true } : { id };
}

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
