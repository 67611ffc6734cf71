import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, NotStartedError, NotTriedError } from '../errors/errorClasses';
import { toOneText } from '../errors/itemErrors';
import { isOutageForAll } from '../errors/outage';
import type { DatabaseError } from '../n8n/databaseErrors';
import { type Account, createAccountKey } from '../secrets/account';
import { type ServiceClient, STATUS_REQUEST } from '../transport/request';
import { withRetries } from '../transport/retry';
import { readStatus } from '../transport/statusResponse';
import { mayBeSent } from './attempt';
import { getCircuitBreakers, type OutageHandling } from './circuitBreaker';
import type { Ledger } from './ledger';
import type { Send, SendPlan } from './send';
import * as sendErrors from './sendErrors';
import { openLimit } from './sendLimit';
import type { RunOptions } from './sendOptions';
import { Throttle } from './throttle';

type Breaker = ReturnType<ReturnType<typeof getCircuitBreakers>>;

/**
 * The way of a send to the service: limit → circuit breaker → retries → throttle → `ledger.begin` → request → `ledger.settle`.
 *
 * This must always be true: no request is made unless the ledger allows it right before, and each one that was made has its outcome there.
 */
export class SendPipeline {
	private readonly throttle: Throttle;
	private readonly limit: ReturnType<typeof openLimit>;
	private readonly breakerOf: (account: Account) => Breaker;

	/** @param signal once aborted, nothing new starts */
	constructor(
		context: IExecuteFunctions,
		private readonly client: ServiceClient,
		private readonly ledger: Ledger,
		private readonly options: RunOptions,
		private readonly signal: AbortSignal,
	) {
		this.throttle = new Throttle(options, signal);
		this.limit = openLimit(context);
		this.breakerOf = getCircuitBreakers(context);
	}

	/** Returns the output of a send; undefined if, as is known by now, the ledger does not allow it. */
	async run(send: Send, plan: SendPlan): Promise<INodeExecutionData[] | undefined> {
		const { client, ledger, limit, options } = this;
		const breaker = this.breakerOf(await client.getAccount(send.itemIndex));
		const earlier = ledger.log.earlierOf(send);
		if (await limit.take(options.maxSends, async () => await ledger.earlierOutcomes.countMade())) {
			return await this.sendWithinLimit(send, plan, breaker).finally(() =>
				limit.end(!mayBeSent(earlier) && mayBeSent(ledger.log.attemptOf(send).outcome)),
			);
		}
		// To resend it must not hide that it may have been sent.
		if (earlier?.is === 'unknown') throw sendErrors.createUnknownError(earlier.reason);
		if (await ledger.isSentUnderId(send)) return undefined;
		return [{ json: { skipped: true, reason: 'limit' } }];
	}

	/** Sends once the circuit breaker allows it, with retries. */
	private async sendWithinLimit(send: Send, plan: SendPlan, breaker: Breaker) {
		const { ledger, signal } = this;
		let lastError: ApiError | undefined;
		try {
			return await breaker.run(async (mayStart) => {
				const attempt = async () =>
					await this.sendOnce(send, plan, mayStart, breaker.isOpen()).catch((error: unknown) => {
						if (error instanceof ApiError) lastError = error;
						throw error;
					});
				return await withRetries(attempt, { isSend: true, signal });
			}, this.handlingOf(send.itemIndex));
		} catch (error) {
			if (!(error instanceof NotTriedError)) throw error as Error;
			// It was tried if another attempt was to follow.
			if (lastError) throw lastError;
			if (await ledger.isSentUnderId(send)) return undefined;
			throw error as Error;
		}
	}

	/** Waits for the throttle, then sends once. @returns undefined if the request may not be made */
	private async sendOnce(send: Send, plan: SendPlan, mayStart: () => boolean, isTrial: boolean) {
		const { client, ledger, options } = this;
		const { itemIndex } = send;
		const account = await client.getAccount(itemIndex);
		const paceKey = options.isPerAccount ? createAccountKey(account) : undefined;
		const request = await this.throttle.run(async () => {
			if (!mayStart()) return undefined;
			const created = await plan.createRequest(account);
			const maxBatch = isTrial ? 1 : this.limit.countLeft(options.maxSends) + 1;
			if (!(await ledger.begin(send, maxBatch))) return undefined;
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
		const settling = ledger.settle(send, is === 'unknown' ? { is, reason } : { is });
		await settling.catch((failure: DatabaseError) => void error.notes.push(toOneText(failure)));
		if (is === 'notSent' && ledger.log.mayHaveSent(send.itemIndex)) {
			error.delivery = 'unknown';
			error.notes.push(sendErrors.PREVIOUS_MAY_HAVE_SENT);
		}
	}

	/** What the circuit breakers of a send need. */
	private handlingOf(itemIndex: number): Omit<OutageHandling, 'account'> {
		const { client, ledger, options, signal } = this;
		return {
			itemIndex,
			waitMs: options.waitForService,
			signal,
			prepareToWait: async () => await ledger.withdrawUnbegun(),
			isReady: async (timeout, isForAll) =>
				await client
					.request(STATUS_REQUEST, timeout, itemIndex)
					.then((response) => readStatus(response).status.is_connected === true || isForAll)
					.catch((error) => isForAll && error instanceof ApiError && !isOutageForAll(error)),
		};
	}
}
