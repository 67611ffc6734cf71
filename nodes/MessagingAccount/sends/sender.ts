import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { SENDS_FAILED } from '../errors/databaseErrors';
import { ApiError, type DatabaseError, NotStartedError } from '../errors/errorClasses';
import {
	addEarlierAttempt,
	createUnexpectedError,
	createUnknownError,
	describeChanged,
	PREVIOUS_MAY_HAVE_SENT,
} from '../errors/uncertainSend';
import { Throttle } from '../transport/throttle';
import type { ReadParameter } from '../parameters/parameterReader';
import { readSendOptions, type ThrottleOptions } from '../parameters/sendOptions';
import type { ApiRequest } from '../transport/request';
import { withRetries } from '../transport/retry';
import type { Message, Send } from './attempt';
import { Ledger } from './ledger';
import { decide } from './rule';
import { SendOnceIds } from './sendOnceIds';

/** The steps of one attempt at a send. */
interface SendSteps {
	/** If it throws, nothing was sent. */
	createRequest(): Promise<ApiRequest>;
	/** Makes the request once, and returns the output items. */
	attempt(request: ApiRequest): Promise<INodeExecutionData[]>;
}

export interface PlannedSend {
	/** Returns the end of another send with the same ID that must come first; undefined if there is none. */
	waitsFor?(): Promise<unknown> | undefined;
	/** Whether it certainly fails without a request. @throws DatabaseError */
	mustFail?(): Promise<boolean>;
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
		const isOneAtATime = isPerAccount || pace.delay + pace.randomExtraDelay > 0;
		this.ids = new SendOnceIds(context);
		this.ledger = new Ledger(context, isOneAtATime ? 1 : concurrency, this.ids);
		this.throttle = new Throttle(pace, signal, isPerAccount ? getAccountKey : undefined);
	}

	/** The number of items to plan at a time. */
	get batchSize(): number {
		return this.ledger.batchSize;
	}

	/** Plans the send of one item. Call this in the order of the items. @throws InvalidInputError if an option cannot be used */
	plan(itemIndex: number, message: Message, steps: SendSteps): PlannedSend {
		const { resendUncertain, sendOnceId } = readSendOptions(
			this.readParameter,
			itemIndex,
			message.recipient,
		);
		const send = this.ledger.plan(itemIndex, message, resendUncertain);
		const claim = sendOnceId === undefined ? undefined : this.ids.claim(sendOnceId, send);
		send.claim = claim;
		// It is most probably skipped, and only keeps its place.
		if (claim?.previous) send.outcome = { is: 'notSent' };

		const run = async () => {
			await this.ledger.lookUp();
			this.ids.reclaim(send);
			const sendOnce = async () => await this.sendOnce(send, steps);
			return (
				this.withoutRequest(send) ??
				(await withRetries(sendOnce, { isSend: true, signal: this.signal })) ??
				this.withoutRequest(send)!
			);
		};
		const work = async () => await (claim ? this.ids.takeTurn(claim, run) : run());
		return {
			waitsFor: () => claim?.previous?.ended,
			run: async () => await work().finally(() => this.ledger.close(send)),
			mustFail: async () => await this.ledger.lookUp().then(() => decide(send) === 'unknown'),
		};
	}

	/** Completes the record, and shows hints. Call this when all sends have ended. */
	async finish(): Promise<void> {
		// No send failed because of this.
		await this.ledger.finish().catch(({ message }: Error) => {
			this.context.logger.warn(`${message}. ${SENDS_FAILED}`);
		});
		const changed = describeChanged(this.ledger.log.changedRecipients.size);
		for (const message of [...changed, ...(await this.ids.finish())]) {
			this.context.addExecutionHints({ message, location: 'outputPane' });
			this.context.logger.warn(message);
		}
	}

	/** Returns the error of a failed item. One before its request says nothing about images that earlier attempts may have sent. */
	async withPreviousAttempt(itemIndex: number, error: unknown): Promise<unknown> {
		if (error instanceof ApiError) return error;
		const { log } = this.ledger;
		const isKnown = log.mayHaveSent(itemIndex) || log.hasUnknownCall();
		if (!isKnown && (await this.ledger.isComplete())) return error;
		return addEarlierAttempt(error, isKnown);
	}

	/** Returns the output of a send that may not be made; undefined if it may. @throws ApiError if an earlier attempt is unknown */
	private withoutRequest(send: Send): INodeExecutionData[] | undefined {
		const verdict = decide(send);
		const { claim, earlierOutcome } = send;
		if (verdict === 'idUsed') return this.ids.skip(claim!);
		if (earlierOutcome?.is === 'unknown' && verdict === 'unknown')
			throw createUnknownError(earlierOutcome.reason);
		if (earlierOutcome?.is !== 'sent') return undefined;
		const { id } = earlierOutcome;
		return [{ json: id === null ? { id, sent: true } : { id } }];
	}

	/** Waits for the throttle, then sends once. @returns undefined if the request may not be made */
	private async sendOnce(
		send: Send,
		{ createRequest, attempt }: SendSteps,
	): Promise<INodeExecutionData[] | undefined> {
		const request = await this.throttle.run(async () => {
			const created = await createRequest();
			if ((await this.ledger.begin(send)) !== 'send') return undefined;
			// Another item may have failed meanwhile.
			if (this.signal.aborted) throw new NotStartedError();
			this.ledger.settle(send, { is: 'begun' });
			return created;
		});
		if (!request) return undefined;
		try {
			const items = await attempt(request);
			this.ledger.settle(send, { is: 'sent', id: items[0].json.id as string | number });
			return items;
		} catch (error) {
			const apiError = error instanceof ApiError ? error : createUnexpectedError(error);
			await this.recordError(send, apiError);
			throw apiError;
		}
	}

	private async recordError(send: Send, error: ApiError): Promise<void> {
		const { earlierOutcome } = send;
		if (earlierOutcome?.is === 'unknown') this.ledger.settle(send, earlierOutcome);
		else if (error.delivery === 'unknown') {
			this.ledger.settle(send, { is: 'unknown', reason: error.reason });
		} else {
			this.ledger.settle(send, { is: 'notSent' });
			// Immediately: the item may come again in this execution, or in another one.
			await this.ids.release([send]).catch(({ message, description }: DatabaseError) => {
				error.notes.push(`${message}. ${description}`);
			});
		}
		if (error.delivery === 'notSent' && this.ledger.log.mayHaveSent(send.itemIndex)) {
			error.delivery = 'unknown';
			error.notes.push(PREVIOUS_MAY_HAVE_SENT);
		}
	}
}
