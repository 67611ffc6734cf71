import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, type DatabaseError, NotStartedError } from '../errors/errorClasses';
import type { ReadParameter } from '../parameters/parameterReader';
import type { ApiRequest } from '../transport/request';
import { withRetries } from '../transport/retry';
import { Ledger } from './ledger';
import { mayBeSent, type Message, type Send } from './send';
import { type Claim, describeSharedIds, SendOnceIds } from './sendOnceIds';
import { readSendOptions, type ThrottleOptions } from '../parameters/sendOptions';
import { Throttle } from '../transport/throttle';

/** The steps of one attempt at a send. */
interface SendSteps {
	/** If it throws, nothing was sent. */
	createRequest(): Promise<ApiRequest>;
	/** Makes the request once, and returns the output items. */
	attempt(request: ApiRequest): Promise<INodeExecutionData[]>;
}

export interface PlannedSend {
	/** Tells whether others with the same ID must end before; undefined if not. */
	waitsFor?(): Promise<unknown> | undefined;
	/** @throws ApiError, NotStartedError, DatabaseError, or what `createRequest` throws */
	run(): Promise<INodeExecutionData[]>;
}

/** Sends the items of one run of the node, and prevents duplicate messages whatever happens to a request. */
export class Sender {
	private readonly ledger: Ledger;

	private readonly throttle: Throttle;

	private readonly ids: SendOnceIds;

	/** @param signal once aborted, nothing new starts @param getAccountKey throws if the credential cannot be used */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly readParameter: ReadParameter,
		{ concurrency, isPerAccount, ...pace }: ThrottleOptions,
		private readonly signal: AbortSignal,
		getAccountKey: () => Promise<string>,
	) {
		this.ledger = new Ledger(context, concurrency);
		this.throttle = new Throttle(pace, signal, isPerAccount ? getAccountKey : undefined);
		this.ids = new SendOnceIds(context);
	}

	/** How many items to plan at a time. */
	get batchSize(): number {
		return this.ledger.batchSize;
	}

	/** Plans the send of one item. Call this in the order of the items. @throws InvalidInputError if an option cannot be used */
	plan(itemIndex: number, message: Message, steps: SendSteps): PlannedSend {
		const { resendUncertain, sendOnceId } = readSendOptions(this.readParameter, itemIndex);
		const send = this.ledger.plan(itemIndex, message);
		const claim = sendOnceId === undefined ? undefined : this.ids.claim(sendOnceId, send);
		// Most probably, it is skipped, and only keeps its number.
		if (claim?.earlier) send.fate = { is: 'notSent' };

		const run = async () => {
			const earlier = await this.ledger.lookUp(send);
			if (earlier?.is === 'sent') return sentEarlier(earlier);
			const isResend = earlier?.is === 'unknown';
			if (isResend && !resendUncertain) throw previousAttemptUnknown(earlier.reason);
			// An earlier item was skipped because this very send has reserved the ID.
			if (isResend && claim?.use && !mayBeSent(claim.use.first.fate)) claim.use = undefined;
			if (claim?.use) return this.ids.skip(claim);
			const sendOnce = async () => await this.sendOnce(send, claim, isResend, steps);
			const items = await withRetries(sendOnce, { isSend: true, signal: this.signal });
			if (items) return items;
			return send.earlier?.is === 'sent' ? sentEarlier(send.earlier) : this.ids.skip(claim!);
		};
		const work = async () => await (claim ? this.ids.takeTurn(claim, run) : run());
		return {
			waitsFor: () => claim?.earlier?.ended,
			run: async () => await work().finally(() => this.ledger.close(send)),
		};
	}

	/** Call this when all sends have ended. */
	async finish(): Promise<void> {
		// No send failed because of this.
		const isRecordFull = await this.ledger.finish().catch(({ message }: Error) => {
			this.context.logger.warn(
				`${message}. If n8n stops before this execution ends, a retry may report sent images as unknown.`,
			);
			return false;
		});
		// The IDs are on record already.
		const areIdsFull = await this.ids.finish().catch(() => false);
		const { size } = this.ledger.log.changedRecipients;
		const hints = [
			size > 0 && describeChanged(size),
			describeSharedIds(this.ids.shared),
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
		return createUnclear(message, [description, PREVIOUS_MAY_HAVE_SENT].filter(Boolean).join(' '));
	}

	/** Waits for the throttle, then sends once. @returns undefined without a request: it is on record as sent, or its ID is used up */
	private async sendOnce(
		send: Send,
		claim: Claim | undefined,
		isResend: boolean,
		{ createRequest, attempt }: SendSteps,
	): Promise<INodeExecutionData[] | undefined> {
		const request = await this.throttle.run(async () => {
			const created = await createRequest();
			if (!(await this.ledger.begin(send, isResend))) {
				if (send.earlier?.is === 'sent') return undefined;
				throw previousAttemptUnknown('another attempt is on record');
			}
			if (claim && !(await this.ids.reserve(claim))) return undefined;
			// Another item may have failed during the reservation.
			if (this.signal.aborted) {
				// Otherwise a retry would take it for that of another execution.
				if (!send.earlier) await this.release(send, claim);
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
			await this.recordError(send, claim, apiError);
			throw apiError;
		}
	}

	private async recordError(send: Send, claim: Claim | undefined, error: ApiError): Promise<void> {
		const { earlier } = send;
		if (earlier?.is === 'unknown') this.ledger.settle(send, earlier);
		else if (error.delivery === 'unknown') {
			this.ledger.settle(send, { is: 'unknown', reason: error.reason });
		} else {
			this.ledger.settle(send, { is: 'notSent' });
			const failure = await this.release(send, claim);
			if (failure) error.notes.push(`${failure.message}. ${failure.description}`);
		}
		if (error.delivery === 'notSent' && this.ledger.log.mayHaveSent(send.itemIndex)) {
			error.delivery = 'unknown';
			error.notes.push(PREVIOUS_MAY_HAVE_SENT);
		}
	}

	/** @returns why the ID stays reserved; it is then for the next attempt at this very send */
	private async release(send: Send, claim?: Claim): Promise<DatabaseError | undefined> {
		const keep = (error: DatabaseError) => {
			send.earlier ??= { is: 'notSent', idReserved: true };
			this.ledger.settle(send, send.earlier);
			return error;
		};
		const failure = claim && (await this.ids.release(claim).then(() => undefined, keep));
		if (!failure && send.earlier?.is === 'notSent') send.earlier = undefined;
		return failure;
	}
}

const RECORD_FULL =
	"n8n's record of sends is full, and the oldest ones were dropped. If one of these executions crashed, a retry of it may send again.";

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

function previousAttemptUnknown(reason: string): ApiError {
	return createUnclear(
		`An earlier attempt to send this item ended without a clear result (${reason})`,
		"Nothing was sent this time. Turn on 'Resend When Uncertain' to send it again, at the risk of a second message.",
	);
}

/** Once a request was made, no error may make it look as if nothing was sent. */
function unexpectedError(error: unknown): ApiError {
	return createUnclear('Unexpected error while sending', `n8n reports: ${(error as Error).name}.`);
}

/** Creates the error of a send that may have been carried out, now or by an earlier attempt. */
function createUnclear(message: string, description: string): ApiError {
	return new ApiError(message, { description, result: 'unusable' });
}
