import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, NotStartedError } from '../errors/errorClasses';
import * as uncertain from '../errors/uncertainSend';
import type { DatabaseError } from '../n8n/databaseErrors';
import { log, showHint } from '../n8n/plainText';
import { type Account, createAccountKey } from '../secrets/account';
import { type ApiRequest, type ServiceClient, STATUS_REQUEST } from '../transport/request';
import { type ApiResponse, readStatus } from '../transport/responses';
import { withRetries } from '../transport/retry';
import { Throttle } from '../transport/throttle';
import { mayBeSent, type Message, type Send, type SendOnceId } from './attempt';
import { getCircuitBreakers } from './circuitBreaker';
import { Ledger } from './ledger';
import { decide } from './rule';
import { SENDS_FAILED } from './sendRecord';
import { SendLimit } from './sendLimit';
import { SendOnceIds } from './sendOnceIds';
import type { RunOptions } from './sendOptions';

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
	/** Whether to send although an earlier attempt may have. */
	resendUncertain: boolean;
	/** Undefined if the check is off. */
	sendOnceId?: SendOnceId;
}

export interface PlannedSend {
	/** Returns a promise for the end of an earlier send with the same ID; undefined if there is none. */
	waitsFor?(): Promise<unknown> | undefined;
	/** Whether it certainly fails without a request. @throws DatabaseError */
	mustFail?(): Promise<boolean>;
	/** @throws ApiError, NotStartedError, DatabaseError, or what the plan's `createRequest` throws */
	run(): Promise<INodeExecutionData[]>;
}

/** Sends the items of one run of the node, and prevents duplicate messages whatever happens to a request. */
export class Sender {
	private readonly ledger: Ledger;
	private readonly throttle: Throttle;
	private readonly ids: SendOnceIds;
	private readonly limit: SendLimit;
	private readonly breakerOf: ReturnType<typeof getCircuitBreakers>;
	private changedCount = 0;

	/** @param signal once aborted, nothing new starts */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly client: ServiceClient,
		private readonly pace: RunOptions,
		private readonly signal: AbortSignal,
	) {
		const isOneAtATime = pace.isPerAccount || pace.delay + pace.randomExtraDelay > 0;
		this.ids = new SendOnceIds(context);
		this.ledger = new Ledger(context, isOneAtATime ? 1 : pace.concurrency, this.ids);
		this.throttle = new Throttle(pace, signal);
		this.limit = new SendLimit(pace.maxSends, this.ledger.log.runs);
		this.breakerOf = getCircuitBreakers(context);
	}

	get batchSize(): number {
		return this.ledger.batchSize;
	}

	/** Plans the send of one item. Call this in the order of the items. */
	plan(itemIndex: number, plan: SendPlan): PlannedSend {
		const { message, resendUncertain, sendOnceId } = plan;
		const send = this.ledger.plan(itemIndex, message, resendUncertain, sendOnceId);
		const takeTurn = sendOnceId === undefined ? undefined : this.ids.claim(send);
		const run = async () => {
			await this.ledger.lookUp();
			this.ids.reclaim(send);
			return (
				this.withoutRequest(send) ??
				(await this.sendWithinLimit(send, plan)) ??
				this.withoutRequest(send)!
			);
		};
		const work = async () => await (takeTurn ? takeTurn(run) : run());
		return {
			waitsFor: () => send.previous?.ended,
			run: async () => await work().finally(() => this.ledger.close(send)),
			mustFail: async () => await this.ledger.lookUp().then(() => decide(send) === 'unknown'),
		};
	}

	/** Completes the record, and shows hints. Call this when all sends have ended. */
	async finish(): Promise<void> {
		// No send failed because of this.
		await this.ledger.finish().catch(({ message }: Error) => {
			log(this.context, `${message}. ${SENDS_FAILED}`);
		});
		const changed = uncertain.describeChanged(this.changedCount);
		for (const message of [...changed, ...(await this.ids.finish())]) {
			showHint(this.context, message);
			log(this.context, message);
		}
	}

	/** Returns the error of a failed item. One before its request says nothing about images that earlier attempts may have sent. */
	async withPreviousAttempt(itemIndex: number, error: unknown): Promise<unknown> {
		if (error instanceof ApiError) return error;
		const { ledger } = this;
		const isKnown = ledger.log.mayHaveSent(itemIndex) || ledger.log.hasUnknownCall();
		if (!isKnown && (await ledger.isComplete())) return error;
		return uncertain.addEarlierAttempt(error, isKnown);
	}

	/** Returns the output of a send that may not be made; undefined if it may. @throws ApiError if an earlier attempt is unknown */
	private withoutRequest(send: Send): INodeExecutionData[] | undefined {
		const verdict = decide(send);
		const { earlierOutcome } = send;
		if (verdict === 'idUsed') return this.ids.skip(send);
		if (verdict === 'changed') return this.skipChanged(send);
		if (earlierOutcome?.is === 'unknown' && verdict === 'unknown')
			throw uncertain.createUnknownError(earlierOutcome.reason);
		if (earlierOutcome?.is !== 'sent') return undefined;
		const { id } = earlierOutcome;
		return [{ json: id === null ? { id, sent: true } : { id } }];
	}

	private skipChanged({ id, earlierOutcome }: Send): INodeExecutionData[] {
		this.changedCount++;
		const ofId = id === undefined ? {} : { sendOnceId: id };
		const isSent = earlierOutcome?.is === 'changed' && earlierOutcome.isSent;
		const delivery = isSent ? {} : { delivery: 'unknown' };
		return [{ json: { skipped: true, ...ofId, reason: 'changed', ...delivery } }];
	}

	/** Sends unless the limit is reached. @returns undefined if the request may not be made */
	private async sendWithinLimit(send: Send, plan: SendPlan) {
		const { ledger, limit } = this;
		if (this.pace.maxSends < Infinity) ledger.log.runs.made ??= ledger.log.countMade();
		if (!(await limit.take())) return [{ json: { skipped: true, reason: 'limit' } }];
		const wasMade = mayBeSent(send.earlierOutcome);
		try {
			return await this.sendWithRetries(send, plan);
		} finally {
			limit.end(!wasMade && mayBeSent(send.outcome));
		}
	}

	/** Sends once the circuit breaker allows it, with retries. @returns as above */
	private async sendWithRetries(send: Send, plan: SendPlan) {
		const { client, ledger, pace, signal } = this;
		const breaker = this.breakerOf(send.accountKey);
		const readStatusOnce = async (timeout: number) =>
			readStatus(await client.request(STATUS_REQUEST, timeout, send.itemIndex)).status;
		const service = {
			waitMs: pace.waitForService,
			signal,
			prepareToWait: async () => await ledger.standBy(),
			isConnected: async (timeout: number) =>
				await readStatusOnce(timeout).then(
					(status) => status.is_connected === true,
					() => false,
				),
		};
		return await breaker.run(async (mayStart) => {
			const sendOnce = async () => await this.sendOnce(send, plan, mayStart, breaker.isOpen);
			return await withRetries(sendOnce, { isSend: true, signal });
		}, service);
	}

	/** Waits for the throttle, then sends once. @returns undefined if the request may not be made */
	private async sendOnce(send: Send, plan: SendPlan, mayStart: () => boolean, isTrial: boolean) {
		const { client, pace } = this;
		const { itemIndex } = send;
		const account = await client.getAccount(itemIndex);
		const paceKey = pace.isPerAccount ? createAccountKey(account) : undefined;
		const request = await this.throttle.run(async () => {
			if (!mayStart()) return undefined;
			const created = await plan.createRequest(account);
			const maxBatch = isTrial ? 1 : this.limit.left + 1;
			if (!(await this.ledger.begin(send, maxBatch))) return undefined;
			// Another item may have failed meanwhile.
			if (this.signal.aborted) throw new NotStartedError();
			this.ledger.settle(send, { is: 'begun' });
			return created;
		}, paceKey);
		if (!request) return undefined;
		try {
			const item = plan.toItem(await client.request(request, plan.timeout, itemIndex));
			this.ledger.settle(send, { is: 'sent', id: item.json.id as string | number });
			return [item];
		} catch (error) {
			const apiError = error instanceof ApiError ? error : uncertain.createUnexpectedError(error);
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
			error.notes.push(uncertain.PREVIOUS_MAY_HAVE_SENT);
		}
	}
}
