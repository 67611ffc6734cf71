import {
	type ProcessedDataRow,
	REPEAT_MS,
	REPEATED_FOR_MS,
	type WriteTarget,
} from './processedDataRow';
import { sleep } from './sleep';

/** The most keys in one call: n8n searches its whole record for each key that it removes, and does nothing else meanwhile. */
export const MAX_KEYS_AT_ONCE = 500;
/** The longest wait for a database that is locked: a backup, for example, takes some seconds. */
export const MAX_BUSY_MS = 30_000;

/** The time for which work that nobody waits for is collected, for all executions: a crash loses less than a second's worth. */
const COLLECT_MS = 700;

/** The most removals to repeat: those of a list would take too long, and lists rarely end at the same time. */
const MAX_REPEATED_REMOVALS = 100;

/** Does the work that nobody waits for, within a second, with the context of the latest execution. */
export function startBackgroundWrites(target: WriteTarget): void {
	const { row } = target;
	const isRunning = row.target !== undefined;
	row.target = target;
	if (!isRunning) void writeInBackground(row);
}

async function writeInBackground(row: ProcessedDataRow): Promise<void> {
	while (row.work.some(({ size }) => size > 0)) {
		await sleep(COLLECT_MS);
		await catchUp(row.target!);
	}
	row.target = undefined;
}

/** Does the work that nobody waits for, once. Never throws. */
export async function catchUp(target: WriteTarget): Promise<void> {
	const { row } = target;
	try {
		const keys = [...row.toRemove];
		for (let i = 0; i < keys.length; i += MAX_KEYS_AT_ONCE)
			await removeAndRepeat(target, keys.slice(i, i + MAX_KEYS_AT_ONCE));
		const now = performance.now();
		const removals = [...row.removedLately.values()];
		if (removals.some((since) => now - since >= REPEATED_FOR_MS)) await removeAndRepeat(target, []);
		const isDue = row.addedLately.size > 0 && now - row.lastRepeat >= REPEAT_MS;
		if (isDue || row.toAdd.size > 0) await target.add([]);
		row.failingSince = undefined;
	} catch (error) {
		row.failingSince ??= performance.now();
		if (performance.now() - row.failingSince < MAX_BUSY_MS) return;
		target.warn(error as Error);
		for (const left of row.work) left.clear();
	}
}

/** Removes keys, and once more those of the last seconds: another process may have written them back. */
async function removeAndRepeat(target: WriteTarget, keys: string[]): Promise<void> {
	const { row } = target;
	await row.mutex.runExclusive(async () => {
		const start = performance.now();
		const earlier = [...row.removedLately];
		// Keys that were added again meanwhile stay.
		const current = keys.filter((key) => row.toRemove.has(key));
		await target.erase([...earlier.map(([key]) => key), ...current]);
		for (const key of current) row.toRemove.delete(key);
		row.stopAdding(current);
		const latest = [
			...earlier.filter(([, since]) => start - since < REPEATED_FOR_MS),
			...current.map((key): [string, number] => [key, performance.now()]),
		];
		row.removedLately = new Map(latest.slice(-MAX_REPEATED_REMOVALS));
	});
}
