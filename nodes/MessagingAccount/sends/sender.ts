import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, NotStartedError, NotTriedError } from '../errors/errorClasses';
import { toOneText } from '../errors/itemErrors';
import { isOutageForAll } from '../errors/outage';
import type { DatabaseError } from '../n8n/databaseErrors';
import { log, showHint } from '../n8n/notify';
import { type Account, createAccountKey } from '../secrets/account';
import { type ApiRequest, type ServiceClient, STATUS_REQUEST } from '../transport/request';
import type { ApiResponse } from '../transport/exchange';
import { readStatus } from '../transport/statusResponse';
import { withRetries } from '../transport/retry';
import { mayBeSent, type Outcome } from './attempt';
import { getCircuitBreakers, type OutageHandling } from './circuitBreaker';
import { Ledger } from './ledger';
import { createSend, createSkipped, type Message, type Send, type SendOnceId } from './send';
import { SendLimit } from './sendLimit';
import type { RunOptions } from './sendOptions';
import { Throttle } from './throttle';
import * as sendErrors from './sendErrors';

/** What an operation that sends says about one item. */
export interface PreparedSend {
	message: Omit<Message, 'accountKey'>;
	/** What a dry run outputs. */
	preview: IDataObject;
	/** For a dry run: checks what `createRequest` would, and creates nothing. @throws InvalidInputError */
	check?(account: Account): void;
	/** Called right before each attempt. @throws InvalidInputError if the request cannot be made */
	createRequest(account: Account): ApiRequest | Promise<ApiRequest>;
	/** Returns the output item, without `pairedItem`. @throws ApiError if the response cannot be used */
	toItem(response: ApiResponse): INodeExecutionData;
}

/** The send of one item, with everything that its parameters say. The options of all sends are read in one place. */
export interface SendPlan extends PreparedSend {
	message: Message;
	/** In ms. */
	timeout: number;
	resendUncertain: boolean;
	sendOnceId?: SendOnceId;
}

/**
 * Sends the items of one run of the node, and prevents duplicate messages whatever happens to a request. If no earlier attempt decides
 * it: limit → circuit breaker → retries → throttle → `ledger.begin` → request → `ledger.settle`.
 *
 * This must always be true: no request is made unless the ledger allows it right before, and each one that was made has its outcome there.
 */
export class Sender {
	private readonly ledger: Ledger;
	private readonly throttle: Throttle;
	private readonly limit: SendLimit;
	private readonly breakerOf: ReturnType<typeof getCircuitBreakers>;
	private readonly changedRecipients = new Set<string>();

	/** @param signal once aborted, nothing new starts */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly client: ServiceClient,
		private readonly options: RunOptions,
		private readonly signal: AbortSignal,
	) {
		this.ledger = new Ledger(context, options.maxSends < Infinity);
		this.throttle = new Throttle(options, signal);
		const countMade = async () => await this.ledger.earlierOutcomes.countMade();
		this.limit = new SendLimit(context, options.maxSends, countMade);
		this.breakerOf = getCircuitBreakers(context);
	}

	/** Whether all sends must be planned before one is made. */
	get needsAll(): boolean {
		return this.ledger.needsAll;
	}

	/** Plans the work on one item. Call this in the order of the items. */
	plan(itemIndex: number, plan: SendPlan) {
		const { ledger } = this;
		const send = createSend(itemIndex, plan.message, plan.resendUncertain, plan.sendOnceId);
		ledger.plan(send);
		const run = async () => {
			await ledger.earlierOutcomes.resolve();
			let output = this.outputWithoutRequest(send);
			// Each round sends it, or learns why it may not be sent.
			while (!output) output = (await this.send(send, plan)) ?? this.outputWithoutRequest(send);
			return output;
		};
		return {
			itemIndex,
			orderingKey: plan.message.recipient,
			isRepeated: ledger.ids.isRepeated(send),
			mustFail: async () => {
				await ledger.earlierOutcomes.resolve();
				return ledger.decide(send) === 'unknown';
			},
			run: async () => await run().finally(async () => await ledger.close(send)),
		};
	}

	/** Completes the record, and shows hints. Call this when all sends have ended. */
	async finish(): Promise<void> {
		// No send failed because of this.
		const tell = (error: DatabaseError) => log(this.context, toOneText(error));
		await this.ledger.finish().catch(tell);
		const changed = sendErrors.describeChanged(this.changedRecipients.size);
		for (const message of [...changed, ...(await this.ledger.ids.finish())]) {
			showHint(this.context, message);
			log(this.context, message);
		}
	}

	/** Returns the error of a failed item. One before its request says nothing about images that earlier attempts may have sent. */
	async withEarlierAttempt(itemIndex: number, error: unknown): Promise<unknown> {
		if (error instanceof ApiError) return error;
		const { earlierOutcomes, log: sendLog } = this.ledger;
		const isOwn = sendLog.mayHaveSent(itemIndex);
		// It was planned, so everything known of earlier attempts allowed it.
		if (error instanceof NotTriedError && !isOwn) return error;
		const isKnown = isOwn || sendLog.hasUnknownCall();
		if (!isKnown && (await earlierOutcomes.isComplete())) return error;
		return sendErrors.addEarlierAttempt(error, isKnown);
	}

	/** Returns the output of a send that may not be made; undefined if it may. @throws ApiError if an earlier attempt is unknown */
	private outputWithoutRequest(send: Send): INodeExecutionData[] | undefined {
		const verdict = this.ledger.decide(send);
		if (verdict === 'send') return undefined;
		if (verdict === 'idUsed') return this.ledger.ids.skip(send);
		const earlier = this.ledger.log.earlierOf(send)!;
		if (earlier.is === 'unknown') throw sendErrors.createUnknownError(earlier.reason);
		if (earlier.is === 'changed') {
			this.changedRecipients.add(send.recipientHash);
			return createSkipped(send, 'changed', earlier.isSent);
		}
		const { id } = earlier;
		return [{ json: id === null ? { id, sent: true } : { id } }];
	}

	/** Sends within the limit, once the circuit breaker allows it, with retries. @returns undefined if the request may not be made */
	private async send(send: Send, plan: SendPlan) {
		const { client, ledger, limit, signal } = this;
		const breaker = this.breakerOf(await client.getAccount(send.itemIndex));
		const earlier = ledger.log.earlierOf(send);
		if (!(await limit.take())) {
			// To resend it must not hide that it may have been sent.
			if (earlier?.is === 'unknown') throw sendErrors.createUnknownError(earlier.reason);
			if (await ledger.isSentUnderId(send)) return undefined;
			return [{ json: { skipped: true, reason: 'limit' } }];
		}
		let lastError: ApiError | undefined;
		try {
			return await breaker.run(async (mayStart) => {
				const sendOnce = async () =>
					await this.makeRequest(send, plan, mayStart, breaker.isOpen()).catch((error: unknown) => {
						if (error instanceof ApiError) lastError = error;
						throw error;
					});
				return await withRetries(sendOnce, { isSend: true, signal });
			}, this.handlingOf(send.itemIndex));
		} catch (error) {
			if (!(error instanceof NotTriedError)) throw error as Error;
			// It was tried if another attempt was to follow.
			if (lastError) throw lastError;
			if (await ledger.isSentUnderId(send)) return undefined;
			throw error as Error;
		} finally {
			limit.end(!mayBeSent(earlier) && mayBeSent(ledger.log.attemptOf(send).outcome));
		}
	}

	/** What the circuit breakers of a send need. */
	private handlingOf(itemIndex: number): Omit<OutageHandling, 'account'> {
		const { client, ledger, options, signal } = this;
		return {
			itemIndex,
			waitMs: options.waitForService,
			signal,
			prepareToWait: async () => await ledger.withdrawUpcoming(),
			isReady: async (timeout, isForAll) =>
				await client
					.request(STATUS_REQUEST, timeout, itemIndex)
					.then((response) => readStatus(response).status.is_connected === true || isForAll)
					.catch((error) => isForAll && error instanceof ApiError && !isOutageForAll(error)),
		};
	}

	/** Waits for the throttle, then sends once. @returns undefined if the request may not be made */
	private async makeRequest(send: Send, plan: SendPlan, mayStart: () => boolean, isTrial: boolean) {
		const { client, ledger, options } = this;
		const { itemIndex } = send;
		const account = await client.getAccount(itemIndex);
		const paceKey = options.isPerAccount ? createAccountKey(account) : undefined;
		const request = await this.throttle.run(async () => {
			if (!mayStart()) return undefined;
			const created = await plan.createRequest(account);
			if (!(await ledger.begin(send, isTrial ? 1 : this.limit.left + 1))) return undefined;
			// Another item may have failed meanwhile.
			if (this.signal.aborted) throw new NotStartedError();
			await ledger.settle(send, { is: 'begun' });
			return created;
		}, paceKey);
		if (!request) return undefined;
		try {
			const item = plan.toItem(await client.request(request, plan.timeout, itemIndex));
			await ledger.settle(send, { is: 'sent', id: item.json.id as string | number });
			return [item];
		} catch (error) {
			const apiError = error instanceof ApiError ? error : sendErrors.createUnexpectedError(error);
			await this.recordError(send, apiError);
			throw apiError;
		}
	}

	private async recordError(send: Send, error: ApiError): Promise<void> {
		const { ledger } = this;
		const { delivery: is, reason } = error;
		const outcome: Outcome = is === 'unknown' ? { is, reason } : { is };
		await ledger.settle(send, outcome).catch((failure: DatabaseError) => {
			error.notes.push(toOneText(failure));
		});
		if (is === 'notSent' && ledger.log.mayHaveSent(send.itemIndex)) {
			error.delivery = 'unknown';
			error.notes.push(sendErrors.PREVIOUS_MAY_HAVE_SENT);
		}
	}
}
