import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Scheduler } from 'fast-check';

import * as exchanging from '../../nodes/MessagingAccount/transport/exchange';
import fc, { type Drawn } from './fastCheck';
import type { ProcessedDataStore } from './processedDataStore';
import { type Saw, waitUntil } from './waitUntil';

type Send = Parameters<typeof exchanging.exchange>[0];
type Response = Awaited<ReturnType<Send>>;

export const courses = fc.record({
	/** The seed of the order in which things happen that are waited for at the same time. */
	order: fc.nat(),
	/** How many ms pass before each of them, over and over again; 1 ms if there are none. */
	durations: fc.array(fc.constantFrom<number>(0, 0, 1, 1, 5, 30, 150, 800, 3000), { maxLength: 8 }),
});

/** Order and time in a history. */
export type Course = Drawn<typeof courses>;

/** For tests of what happens in any order, and at any time. */
const PLAIN_COURSE: Course = { order: 1, durations: [] };

/** All but the clock and `setTimeout`. n8n has intervals of its own, which would let time pass for ever. */
export const NOT_SIMULATED = [
	'clearImmediate',
	'clearInterval',
	'hrtime',
	'nextTick',
	'performance',
	'queueMicrotask',
	'setImmediate',
	'setInterval',
] as const satisfies FakeableAPI[];

/** Enough for all that n8n does in memory between two calls of its database or the service. */
const QUIET_TURNS = 5;

/** More than any history takes. */
const MAX_STEPS = 100_000;

/**
 * Makes order and time in a history part of what is drawn, so that no verdict depends on how fast a machine is. What the node and
 * n8n wait for (a call of the database, a request, its response) waits here for its turn, and what they do at a time is set by
 * jest's fake timers.
 *
 * This must always be true: the next turn is only given, and time only passes, when everything in the process waits.
 */
class Simulation {
	private scheduler!: Scheduler;
	private durations: number[] = [];
	private turnCount = 0;
	private stepCount = 0;
	/** How many turns were waited for so far. */
	private waitCount = 0;
	/** How many requests are on a real socket: the event loop alone does not show when these have ended. */
	private openRequests = 0;

	/** Call this before each test. @returns a function to call after it */
	install(store?: ProcessedDataStore): () => void {
		jest.useFakeTimers({ doNotFake: NOT_SIMULATED });
		const spy = interceptRequests(async (send, signal) => await this.request(send, signal));
		const clock = jest.spyOn(performance, 'now').mockImplementation(() => Date.now());
		const waitForTurn = store?.waitForTurn;
		if (store) store.waitForTurn = async () => await this.waitForTurn('database');
		this.begin(PLAIN_COURSE);
		return () => {
			if (store && waitForTurn) store.waitForTurn = waitForTurn;
			spy.mockRestore();
			clock.mockRestore();
			jest.useRealTimers();
		};
	}

	/** Begins a history. What an earlier one has left to do is never done. */
	begin({ order, durations }: Course): void {
		// Without the path of a replay, which is that of the property.
		[this.scheduler] = fc.sample(fc.scheduler(), { seed: order, path: '', numRuns: 1 });
		this.durations = durations;
		this.turnCount = 0;
		this.stepCount = 0;
		jest.clearAllTimers();
	}

	/** Waits until it is the turn of this, or the signal is aborted. */
	async waitForTurn(what: string, signal?: AbortSignal): Promise<void> {
		this.waitCount++;
		const turn = this.scheduler.schedule(Promise.resolve(), what);
		if (!signal) return await turn;
		signal.throwIfAborted();
		await new Promise<void>((resolve, reject) => {
			signal.addEventListener('abort', () => reject(new Error('Aborted')));
			void turn.then(resolve);
		});
	}

	/** Goes on until the work has ended. @returns what it gives */
	async runUntil<T>(work: Promise<T>): Promise<T> {
		let hasEnded = false;
		const end = () => void (hasEnded = true);
		work.then(end, end);
		await this.until(() => hasEnded);
		return await work;
	}

	/** Goes on until something holds. */
	async until(condition: () => boolean): Promise<void> {
		await this.untilQuiet();
		while (!condition()) if (!(await this.step())) throw new Error('Nothing is left to happen');
	}

	/** Goes on until nothing is left to do, so also what nobody waits for is done. */
	async runToEnd(): Promise<void> {
		await this.untilQuiet();
		while (await this.step());
	}

	/** Lets one thing happen while all is quiet. @returns false if nothing is left to happen */
	private async step(): Promise<boolean> {
		const hasHappened = await this.next();
		await this.untilQuiet();
		return hasHappened;
	}

	/** @returns false if nothing is left to happen */
	private async next(): Promise<boolean> {
		if (this.stepCount++ > MAX_STEPS) throw new Error('A timer is set again and again');
		const timerCount = jest.getTimerCount();
		if (this.scheduler.count() === 0) {
			jest.advanceTimersToNextTimer();
			return timerCount > 0;
		}
		jest.advanceTimersByTime(this.durations[this.turnCount++ % this.durations.length] ?? 1);
		if (jest.getTimerCount() < timerCount) await this.untilQuiet();
		await this.scheduler.waitOne();
		return true;
	}

	private async untilQuiet(): Promise<void> {
		let { waitCount } = this;
		for (let turns = 0; turns < QUIET_TURNS; turns++) {
			await nextTurn();
			if (this.openRequests === 0 && waitCount === this.waitCount) continue;
			({ waitCount } = this);
			turns = -1;
		}
	}

	/** Makes a real request in its turn, and gives the response to the node in another one. */
	private async request(send: Send, signal: AbortSignal): Promise<Response> {
		await this.waitForTurn('request', signal);
		this.openRequests++;
		const response = readToEnd(send(signal)).finally(() => this.openRequests--);
		await response.catch(() => {});
		await this.waitForTurn('response', signal);
		return await response;
	}
}

/** Reads the body, so that nothing of the response is on the socket any more. */
async function readToEnd(send: Promise<Response>): Promise<Response> {
	const response = await send;
	const chunks: Buffer[] = [];
	let failure: unknown;
	try {
		for await (const chunk of response.body) chunks.push(chunk);
	} catch (error) {
		failure = error;
	}
	async function* body() {
		yield* chunks;
		if (failure) throw failure;
	}
	return { ...response, body: body() };
}

/** Lets a function make the requests of the nodes, until the spy is restored. */
export function interceptRequests(request: (send: Send, signal: AbortSignal) => Promise<Response>) {
	const { exchange } = exchanging;
	const intercepted: typeof exchange = async (send, ...more) =>
		await exchange(async (signal) => await request(send, signal), ...more);
	return jest.spyOn(exchanging, 'exchange').mockImplementation(intercepted);
}

let current: Simulation | undefined;

/**
 * Each test has a clock of its own.
 *
 * @param store whose calls wait for their turn
 * @returns always the same simulation
 */
export function useSimulation(store?: ProcessedDataStore): Simulation {
	const simulation = new Simulation();
	let uninstall: () => void;
	beforeEach(() => {
		uninstall = simulation.install(store);
		current = simulation;
	});
	afterEach(() => {
		uninstall();
		current = undefined;
	});
	return simulation;
}

/** Awaits work: in simulated time where a test has it. */
export async function finish<T>(work: Promise<T>): Promise<T> {
	return current ? await current.runUntil(work) : await work;
}

/** Waits until something holds: in simulated time where a test has it. For the rest, see `waitUntil`. */
export async function until(what: string, condition: (saw: Saw) => boolean): Promise<void> {
	if (current) await current.until(() => condition((seen) => seen));
	else await waitUntil(what, condition);
}
