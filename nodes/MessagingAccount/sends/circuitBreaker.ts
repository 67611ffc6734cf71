import type { IExecuteFunctions } from 'n8n-workflow';

import { type ApiError, NotStartedError, NotTriedError } from '../errors/errorClasses';
import { isOutage } from '../errors/outage';
import { sleepUnlessAborted } from '../n8n/sleep';

/** An outage of the service or the account costs this many sends, and this many trials. */
const MAX_FAILURES = 3;
const MAX_TRIALS = 3;

/** The delays before the status is read, the first one at once. The last one goes on. */
const PROBE_DELAYS_MS = [0, 5000, 10_000, 20_000, 40_000, 60_000];

/** An outage as it is in the node's context: it goes on in the next round of a loop. A retry is another execution, and begins anew. */
export const createOutage = () => ({
	/** The number of sends in a row that did not succeed because of the service or the account. */
	failures: 0,
	/** The time of the first one, in ISO 8601. */
	since: '',
	/** What the last one reported. */
	reason: '',
	trials: 0,
	/** Whether nothing is tried any more in this execution. */
	isOver: false,
});
export type Outage = ReturnType<typeof createOutage>;

/** What a run of the node offers to whom the breaker lets wait. */
export interface Service {
	/** The ms to wait until the account is connected. */
	waitMs: number;
	/** Reads the status, within `timeout` ms. Never rejects. */
	isConnected(timeout: number): Promise<boolean>;
	/** Ends a wait. */
	signal: AbortSignal;
	/** Called before a wait. */
	prepareToWait(): Promise<void>;
}

/**
 * The circuit breaker of one account in one execution. This must always be true: an outage of the service or the account costs at most three
 * sends, plus those under way when the third one fails, and at most three trials. What was not tried is `notSent`.
 *
 * | state | a send | it succeeds | it fails because of the service | it is refused |
 * | --- | --- | --- | --- | --- |
 * | closed | starts | counts from 0 again | third in a row: open | stays |
 * | open | waits until the account is connected or the time is over | under way: closed | stays open | stays |
 * | half-open: connected | starts alone, as a trial | closed | open; third trial: over | the next one is the trial |
 * | over | fails: `NotTriedError` | under way: closed | | |
 */
export class CircuitBreaker {
	/** The send that is tried alone. */
	private trial?: { send: object; ended: Promise<void>; end: () => void };
	private isConnected = false;
	private waiting?: Promise<void>;
	private probes = 0;
	private waitedMs = 0;

	constructor(private readonly outage: Outage) {}

	get isOpen(): boolean {
		return this.outage.failures >= MAX_FAILURES;
	}

	/** Whether a send may start now. */
	admits(send: object): boolean {
		return !this.isOpen || this.trial?.send === send;
	}

	/** Waits until a send may start. @throws NotTriedError if it may not, NotStartedError if the execution is stopped */
	async enter(send: object, service: Service): Promise<void> {
		while (!this.admits(send)) {
			if (this.outage.isOver) throw new NotTriedError(this.outage);
			if (this.trial) await this.trial.ended;
			else if (this.isConnected) this.startTrial(send);
			else await (this.waiting ??= this.wait(service).finally(() => (this.waiting = undefined)));
		}
	}

	succeed(): void {
		Object.assign(this.outage, createOutage());
		[this.probes, this.waitedMs] = [0, 0];
	}

	/** Call this once all attempts at a send have failed. */
	fail(send: object, error: ApiError): void {
		if (!isOutage(error)) return;
		const { outage } = this;
		if (outage.failures === 0) outage.since = new Date().toISOString();
		outage.failures++;
		outage.reason = error.message;
		if (this.trial?.send !== send) return;
		this.isConnected = false;
		outage.trials++;
		outage.isOver = outage.trials >= MAX_TRIALS;
	}

	/** Call this when the work on a send has ended in any way. */
	leave(send: object): void {
		if (this.trial?.send !== send) return;
		const { end } = this.trial;
		this.trial = undefined;
		end();
	}

	private startTrial(send: object): void {
		let end!: () => void;
		const ended = new Promise<void>((resolve) => (end = resolve));
		this.trial = { send, ended, end };
	}

	/** Waits for the next time to read the status, then reads it. Waits count by what was slept: a clock may be set back. */
	private async wait(service: Service): Promise<void> {
		await service.prepareToWait();
		const left = service.waitMs - this.waitedMs;
		if (left <= 0) {
			this.outage.isOver = true;
			return;
		}
		const delay = Math.min(PROBE_DELAYS_MS[this.probes++] ?? PROBE_DELAYS_MS.at(-1)!, left);
		const start = performance.now();
		if (!(await sleepUnlessAborted(delay, service.signal))) throw new NotStartedError();
		if (!this.isOpen) return;
		this.isConnected = await service.isConnected(Math.max(left - delay, 1000));
		this.waitedMs += Math.max(performance.now() - start, delay);
	}
}

/** The breakers of executions in this process, by outage: runs of the node share them, in a loop or as a tool at the same time. */
const breakers = new WeakMap<Outage, CircuitBreaker>();

/** Opens the circuit breaker of an account. @param accountKey empty if all items have the same account */
export function openCircuitBreaker(context: IExecuteFunctions, accountKey: string): CircuitBreaker {
	const executionId = String(context.getExecutionId());
	const nodeContext: { outages?: { executionId: string; of: Record<string, Outage> } } =
		context.getContext('node');
	if (nodeContext.outages?.executionId !== executionId)
		nodeContext.outages = { executionId, of: {} };
	const outages = nodeContext.outages.of;
	const key = `account ${accountKey}`;
	outages[key] ??= createOutage();
	const outage = outages[key];
	const breaker = breakers.get(outage) ?? new CircuitBreaker(outage);
	breakers.set(outage, breaker);
	return breaker;
}
