import { setTimeout as sleep } from 'node:timers/promises';

/** Ways to call a webhook again and again. */
export interface CallLoad {
	/** Clients that call again as soon as they are answered; undefined if the next call does not wait for an answer. */
	callers?: number;
	calls: number;
}

export interface Calls {
	/** From when each call was due to its answer. */
	ms: number[];
	/** Of all together. */
	seconds: number;
}

export function formatCallLoad({ callers }: CallLoad): string {
	if (callers === undefined) return 'half of what it can do';
	return callers === 1 ? '1 caller' : `${callers} callers`;
}

/** As people do who wait for the answer: the more callers, the less time n8n has for each. */
export async function callInClosedLoop(
	call: () => Promise<void>,
	callers: number,
	calls: number,
): Promise<Calls> {
	let started = 0;
	const ms: number[] = [];
	const start = performance.now();
	const caller = async () => {
		while (started++ < calls) {
			const due = performance.now();
			await call();
			ms.push(performance.now() - due);
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	return { ms, seconds: (performance.now() - start) / 1000 };
}

/** As events do, which come at their own pace: if n8n is slower than that, every call waits longer than the one before. */
export async function callInOpenLoop(
	call: () => Promise<void>,
	perSecond: number,
	calls: number,
): Promise<Calls> {
	const ms: number[] = [];
	const start = performance.now();
	const answers = Array.from({ length: calls }, async (_, i) => {
		const due = start + (i * 1000) / perSecond;
		await sleep(Math.max(due - performance.now(), 0));
		await call();
		ms.push(performance.now() - due);
	});
	await Promise.all(answers);
	return { ms, seconds: (performance.now() - start) / 1000 };
}

/** @param share from 0 to 1 */
export function percentile(values: number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.ceil(sorted.length * share) - 1];
}
