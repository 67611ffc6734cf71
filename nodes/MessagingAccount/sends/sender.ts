import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, type DatabaseError, NotStartedError } from '../errors/errorClasses';
import type { ReadParameter } from '../parameters/parameterReader';
import type { ApiRequest } from '../transport/request';
import { withRetries } from '../transport/retry';
import { Ledger } from './ledger';
import { ProcessedData } from '../n8n/processedData';
import type { Message, Send } from './send';
import { readSendOptions, type SendOnceId, type ThrottleOptions } from '../parameters/sendOptions';
import { Throttle } from './throttle';

/** The steps of one attempt at a send. */
export interface SendSteps {
	/** If it throws, nothing was sent. */
	createRequest(): Promise<ApiRequest>;
	/** Makes the request once, and returns the output items. */
	attempt(request: ApiRequest): Promise<INodeExecutionData[]>;
}

/** Sends the items of one run of the node, and prevents duplicate messages whatever happens to a request. */
export class Sender {
	private readonly ledger: Ledger;

	private readonly throttle: Throttle;

	/** If another process undoes a release, the ID is skipped later, and nobody gets a message twice. */
	private readonly ids: ProcessedData;

	/** "Send Once per ID" of all earlier items of this run. */
	private readonly seenIds = new Set<string>();

	/** @param signal once aborted, nothing new starts */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly readParameter: ReadParameter,
		{ concurrency, ...pace }: ThrottleOptions,
		private readonly signal: AbortSignal,
	) {
		this.ledger = new Ledger(context, concurrency);
		this.throttle = new Throttle(pace, signal);
		this.ids = new ProcessedData(context, 'node', () => MAX_IDS, IDS_NEEDED);
	}

	/** How many items to plan at a time. */
	get batchSize(): number {
		return this.ledger.batchSize;
	}

	/**
	 * Plans the send of one item. Call this in the order of the items: of two with the same ID, the second is skipped.
	 *
	 * @returns carries out the plan; throws ApiError, NotStartedError, DatabaseError, or what `createRequest` throws
	 * @throws InvalidInputError if an option cannot be used
	 */
	plan(itemIndex: number, message: Message, steps: SendSteps): () => Promise<INodeExecutionData[]> {
		const { resendUncertain, sendOnceId } = readSendOptions(this.readParameter, itemIndex);
		const ids = sendOnceId === undefined ? [] : [String(sendOnceId)];
		const isDuplicate = ids.some((id) => this.seenIds.has(id));
		for (const id of ids) this.seenIds.add(id);
		const send = this.ledger.plan(itemIndex, message);
		// It only keeps its number.
		if (isDuplicate) send.fate = { is: 'notSent' };

		const run = async () => {
			const earlier = await this.ledger.lookUp(send);
			if (earlier?.is === 'sent') return sentEarlier(earlier);
			const isResend = earlier?.is === 'unknown';
			if (isResend && !resendUncertain) throw previousAttemptUnknown(earlier.reason);
			if (isDuplicate) return skipped(sendOnceId);
			const sendOnce = async () => await this.sendOnce(send, ids, isResend, steps);
			const items = await withRetries(sendOnce, { isSend: true, signal: this.signal });
			if (items) return items;
			return send.earlier?.is === 'sent' ? sentEarlier(send.earlier) : skipped(sendOnceId);
		};
		return async () => await run().finally(() => this.ledger.close(send));
	}

	/** Call this when all sends have ended. */
	async finish(): Promise<void> {
		// No send failed because of this.
		const orWarn = async <T>(work: Promise<T>, consequence: string) =>
			await work.catch(({ message }: Error) => {
				this.context.logger.warn(`${message}. ${consequence}`);
				return undefined;
			});
		const isRecordFull = await orWarn(
			this.ledger.finish(),
			'If n8n stops before this execution ends, a retry may report sent images as unknown.',
		);
		const areIdsFull = await orWarn(
			this.flushIds(),
			'Some IDs of this execution may be missing: later executions may send these images again.',
		);
		const { size } = this.ledger.log.changedRecipients;
		const hints = [
			size > 0 && describeChanged(size),
			isRecordFull && RECORD_FULL,
			areIdsFull && IDS_FULL,
		];
		for (const message of hints) {
			if (!message) continue;
			this.context.addExecutionHints({ message, location: 'outputPane' });
			this.context.logger.warn(message);
		}
	}

	/**
	 * Returns the error of a failed item, taking earlier attempts into account: an error before the request says nothing about
	 * whether these sent something.
	 *
	 * @param error of any type
	 */
	async withPreviousAttempt(itemIndex: number, error: unknown): Promise<unknown> {
		// Without the record, nobody knows.
		const mayHaveSent = async () => await this.ledger.mayHaveSent(itemIndex).catch(() => true);
		if (error instanceof ApiError || !(await mayHaveSent())) return error;
		const { message, description } = error as { message: string; description?: string | null };
		return new ApiError(message, {
			description: [description, PREVIOUS_MAY_HAVE_SENT].filter(Boolean).join(' '),
			result: 'unusable',
		});
	}

	/**
	 * Waits for the throttle, then sends once.
	 *
	 * @param ids that of Send Once per ID, if there is one
	 * @returns undefined if the send is on record as sent, or its ID is reserved already: no request was made
	 */
	private async sendOnce(
		send: Send,
		ids: string[],
		isResend: boolean,
		{ createRequest, attempt }: SendSteps,
	): Promise<INodeExecutionData[] | undefined> {
		const request = await this.throttle.run(async () => {
			const created = await createRequest();
			if (!(await this.ledger.begin(send, isResend))) {
				if (send.earlier?.is === 'sent') return undefined;
				throw previousAttemptUnknown('another attempt is on record');
			}
			const isNew = ids.length === 0 || (await this.ids.add(ids)).size > 0;
			// After an earlier attempt of this very send, the reservation is its own.
			if (!isNew && !send.earlier) return undefined;
			// Another item may have failed during the reservation.
			if (this.signal.aborted) {
				// Otherwise a retry would take it for that of another execution.
				if (isNew) await this.release(send, ids);
				throw new NotStartedError();
			}
			this.ledger.settle(send, { is: 'begun' });
			return created;
		});
		if (!request) return undefined;
		try {
			const items = await attempt(request);
			this.ledger.settle(send, { is: 'sent', id: items[0].json.id as string | number });
			return items;
		} catch (error) {
			const apiError = error instanceof ApiError ? error : unexpectedError(error);
			await this.recordError(send, ids, apiError);
			throw apiError;
		}
	}

	private async recordError(send: Send, ids: string[], error: ApiError): Promise<void> {
		const { earlier } = send;
		if (earlier?.is === 'unknown') this.ledger.settle(send, earlier);
		else if (error.delivery === 'unknown') {
			this.ledger.settle(send, { is: 'unknown', reason: error.reason });
		} else {
			this.ledger.settle(send, { is: 'notSent' });
			const failure = await this.release(send, ids);
			if (failure) error.notes.push(`${failure.message}. ${failure.description}`);
		}
		if (error.delivery === 'notSent' && this.ledger.log.mayHaveSent(send.itemIndex)) {
			error.delivery = 'unknown';
			error.notes.push(PREVIOUS_MAY_HAVE_SENT);
		}
	}

	/** @returns why the ID stays reserved; it is then for the next attempt at this very send */
	private async release(send: Send, ids: string[]): Promise<DatabaseError | undefined> {
		const keep = (error: DatabaseError) => {
			send.earlier ??= { is: 'notSent', idReserved: true };
			this.ledger.settle(send, send.earlier);
			return error;
		};
		return await this.ids.remove(ids).then(() => undefined, keep);
	}

	/** @returns whether n8n has dropped the oldest IDs */
	private async flushIds(): Promise<boolean> {
		await this.ids.settle();
		return this.seenIds.size > 0 && (await this.ids.count()) >= MAX_IDS;
	}
}

/** As many as n8n's Remove Duplicates keeps. Every record of IDs is full in the end. */
const MAX_IDS = 10_000;

const IDS_NEEDED =
	"Check it, then try again. The ID of 'Send Once per ID' may be stored already: later executions then skip it.";

const RECORD_FULL =
	"n8n's record of sends is full: the oldest ones of executions that did not end were dropped. A retry of these may send them again.";

const IDS_FULL =
	"The record of 'Send Once per ID' is full: it keeps the last 10,000 IDs, and older ones were dropped. An image with such an ID would be sent again.";

function describeChanged(count: number): string {
	const recipients = count === 1 ? '1 recipient' : `${count} recipients`;
	return `${recipients} had received an earlier version in this execution. To send them the new one, start the workflow again.`;
}

const PREVIOUS_MAY_HAVE_SENT = 'This attempt sent nothing, but an earlier one may have.';

/** After a crash of n8n, the id of the message is not known. */
function sentEarlier({ id }: { id: string | number | null }): INodeExecutionData[] {
	return [{ json: id === null ? { id, sent: true } : { id } }];
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
