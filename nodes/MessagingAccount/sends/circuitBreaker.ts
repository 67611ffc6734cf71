import type { IExecuteFunctions } from 'n8n-workflow';

import { ApiError, NotStartedError, NotTriedError } from '../errors/errorClasses';
import { isOutage, isOutageForAll } from '../errors/outage';
import { sleepUnlessAborted } from '../n8n/sleep';
import type { Account } from '../secrets/account';
import { hash } from '../shared/hash';
import { Mutex } from '../shared/mutex';

const MAX_FAILURES = 3;
const MAX_TRIALS = 3;
/** The delays before the status is read. The last one goes on. */
const PROBE_DELAYS_MS = [0, 5000, 10_000, 20_000, 40_000, 60_000];
/** A service that does not answer must not keep the status from being read again. */
const MAX_PROBE_MS = 15_000;

/** An outage as it is in the node's context, so that it goes on in the next round of a loop. A retry is another execution: it begins anew. */
export const createOutage = () => ({
	/** The number of sends in a row that failed because of the service or the account, and of those that were tried alone. */
	failures: 0,
	trials: 0,
	/** The first item among these, of any round, and up to two of their accounts. */
	firstItem: 0,
	accounts: [] as string[],
	/** When the first of these failed, in ISO 8601, and what the last one reported. */
	since: '',
	reason: '',
	/** Once it is `over`, nothing is tried any more, but a later run takes a `lastLook` at the status: after a Wait, all may be well again. */
	phase: 'trying' as 'trying' | 'over' | 'lastLook',
	/** Until when the service asks to wait, in ms since 1970: a later run does not look before. */
	retryAt: 0,
});
type Outage = ReturnType<typeof createOutage>;

/** Sends, unless it may not start, which it must ask right before: then it returns undefined. */
type SendIf<T> = (mayStart: () => boolean) => Promise<T | undefined>;

/** What a run of the node offers for a send while the circuit is open. */
export interface OutageHandling {
	itemIndex: number;
	account: string;
	/** How long to wait at most, in ms, and what ends a wait before. */
	waitMs: number;
	signal: AbortSignal;
	prepareToWait(): Promise<void>;
	/** Reads the status, within `timeout` ms. Never rejects. @returns whether the account is connected or, for all accounts, the service answers */
	isReady(timeout: number, isForAll: boolean): Promise<boolean>;
}

/**
 * The circuit breaker of an account in an execution, or of all accounts of a service. This must always be true: an outage of the account
 * or the service costs at most three sends, those under way when the third one fails, and three trials. If accounts send one after another,
 * one of the service costs six sends of the first, one of the second, those under way, and three trials. What was not tried is `notSent`.
 *
 * | circuit | the next send | ends well | fails because of the service | is refused |
 * | --- | --- | --- | --- | --- |
 * | closed | starts | the count ends | the third in a row opens it | – |
 * | open | waits for the account to be connected, then is tried alone | closed | the third trial ends it | the next one is tried |
 * | over | fails with NotTriedError; unless trials ended it, a later run looks at the status once, as if it were open | | | |
 *
 * That of all accounts counts only failures of the service, and opens when two accounts have some: one that fails alone stops no other.
 */
export class CircuitBreaker {
	private readonly oneTrial = new Mutex();
	private isKnownReady = false;
	private probes = 0;
	private waitedMs = 0;
	private retryAfterMs = 0;

	constructor(
		private readonly outage: Outage,
		private readonly isForAll = false,
	) {}

	get isOpen(): boolean {
		const { failures, accounts } = this.outage;
		return failures >= MAX_FAILURES && (accounts.length > 1 || !this.isForAll);
	}

	/** Sends, now or after the outage. @throws NotTriedError, NotStartedError if the wait was stopped, and what `send` throws */
	async run<T>(send: SendIf<T>, handling: OutageHandling): Promise<T | undefined> {
		if (!this.isOpen) {
			const sending = send(() => !this.isOpen);
			const result = await this.noteOutcome(sending, handling);
			// Undefined: it has opened before the send could start.
			if (result !== undefined || !this.isOpen) return result;
		}
		return await this.oneTrial.runExclusive(async () => {
			await this.wait(handling);
			const isTrial = this.isOpen;
			const sending = send(() => true);
			return await this.noteOutcome(sending, handling, isTrial);
		});
	}

	private async noteOutcome<T>(sending: Promise<T>, handling: OutageHandling, isTrial = false) {
		try {
			const result = await sending;
			if (result !== undefined) {
				Object.assign(this.outage, createOutage());
				this.isKnownReady = false;
			}
			return result;
		} catch (error) {
			const isCounted = this.isForAll ? isOutageForAll : isOutage;
			if (error instanceof ApiError && isCounted(error)) this.noteFailure(error, handling, isTrial);
			throw error as Error;
		}
	}

	private noteFailure(error: ApiError, handling: OutageHandling, isTrial: boolean): void {
		const { outage } = this;
		const { itemIndex, account } = handling;
		if (outage.failures++ === 0) {
			Object.assign(outage, { since: new Date().toISOString(), firstItem: itemIndex });
			[this.probes, this.waitedMs] = [0, 0];
		}
		outage.firstItem = Math.min(outage.firstItem, itemIndex);
		outage.accounts = [...new Set([...outage.accounts, account])].slice(0, 2);
		outage.reason = error.message;
		this.retryAfterMs = error.retryAfter ?? 0;
		outage.retryAt = Date.now() + this.retryAfterMs;
		if (!isTrial) return;
		this.isKnownReady = false;
		if (++outage.trials >= MAX_TRIALS) outage.phase = 'over';
	}

	/** Waits until a send may be tried. Adds up what each wait has taken, as the system's clock may be set back. */
	private async wait(handling: OutageHandling): Promise<void> {
		const { outage } = this;
		const mustLook = () => this.isOpen && !this.isKnownReady;
		if (mustLook() && outage.phase === 'trying') await handling.prepareToWait();
		while (mustLook()) {
			const left = handling.waitMs - this.waitedMs;
			const isLastLook = outage.phase === 'lastLook';
			if (isLastLook || left <= this.retryAfterMs) outage.phase = 'over';
			if (outage.phase === 'over' && !isLastLook) throw new NotTriedError(outage);
			const pause = PROBE_DELAYS_MS[this.probes++] ?? PROBE_DELAYS_MS.at(-1)!;
			const delay = isLastLook ? 0 : Math.min(Math.max(pause, this.retryAfterMs), left);
			this.retryAfterMs = 0;
			const start = performance.now();
			if (!(await sleepUnlessAborted(delay, handling.signal))) throw new NotStartedError();
			const timeout = isLastLook
				? MAX_PROBE_MS
				: Math.max(Math.min(left - delay, MAX_PROBE_MS), 1000);
			if (this.isOpen) this.isKnownReady = await handling.isReady(timeout, this.isForAll);
			this.waitedMs += Math.max(performance.now() - start, delay);
		}
	}
}

/** The breakers in this process: runs of the node share them, in a loop or as a tool at the same time. */
const breakers = new WeakMap<Outage, CircuitBreaker>();

/** Returns what gives an account's circuit breaker, around that of all accounts of its service. */
export function getCircuitBreakers(context: IExecuteFunctions) {
	const executionId = String(context.getExecutionId());
	const nodeContext: { outages?: { executionId: string; of: Record<string, Outage> } } =
		context.getContext('node');
	if (nodeContext.outages?.executionId !== executionId)
		nodeContext.outages = { executionId, of: {} };
	const outages = nodeContext.outages.of;
	for (const one of Object.values(outages)) {
		const mayLook = one.trials < MAX_TRIALS && Date.now() >= one.retryAt;
		if (one.phase !== 'trying') one.phase = mayLook ? 'lastLook' : 'over';
	}
	const getBreaker = (key: string, isForAll = false) => {
		const outage = outages[key] ?? createOutage();
		outages[key] = outage;
		const breaker = breakers.get(outage) ?? new CircuitBreaker(outage, isForAll);
		breakers.set(outage, breaker);
		return breaker;
	};
	return ({ baseUrl, clientId, token }: Account) => {
		// Another token is no other account, but it may be refused alone.
		const account = hash(JSON.stringify([baseUrl, clientId, token]));
		const [ofAll, ofAccount] = [getBreaker(hash(baseUrl), true), getBreaker(account)];
		return {
			isOpen: () => ofAll.isOpen || ofAccount.isOpen,
			run: async <T>(send: SendIf<T>, facts: Omit<OutageHandling, 'account'>) => {
				const handling = { ...facts, account };
				// Outside: an account that is logged out must not keep the others waiting.
				const run = async (mayStart: () => boolean) =>
					await ofAll.run(async (may) => await send(() => mayStart() && may()), handling);
				return await ofAccount.run(run, handling);
			},
		};
	};
}
