import { createBound, type Bound } from '../figures';

/** One after another. */
export interface WeekExecution {
	/** HTTP status of the answer. */
	status: number;
	ms: number;
	/** CPU time of n8n meanwhile. It depends less than `ms` on what else the machine does. */
	cpuMs: number;
	/** In n8n's record of processed data, after the answer. */
	entries: number;
}

export interface Week {
	/** Of each execution. */
	items: number;
	executions: WeekExecution[];
	twice: number;
	missing: number;
}

/** `MAX_IDS` of idempotencyStore.ts. */
export const MAX_IDS = 10_000;

/**
 * Returns the ms per send for every 10,000 sends, or for all of a shorter run. n8n's record is filled by the first of them, and
 * full from then on.
 */
export function timesPerSend({ items, executions }: Week, of: 'ms' | 'cpuMs' = 'ms'): number[] {
	const size = Math.min(MAX_IDS / items, executions.length);
	return Array.from({ length: executions.length / size }, (_, i) => {
		const part = executions.slice(i * size, (i + 1) * size);
		return part.reduce((sum, execution) => sum + execution[of], 0) / (part.length * items);
	});
}

/** @param isShort whether only bounds that make sense after a few sends are checked */
export function checkWeekBounds(week: Week, isShort: boolean): Bound[] {
	const { executions, twice, missing } = week;
	const unanswered = executions.filter(({ status }) => status !== 200).length;
	const always = [
		createBound('executions without an answer', unanswered, 0),
		createBound('numbers requested twice', twice, 0),
		createBound('numbers never requested', missing, 0),
		createBound(
			'entries on record',
			Math.max(...executions.map(({ entries }) => entries)),
			MAX_IDS,
		),
	];
	if (isShort) return always;
	const [, full, ...later] = timesPerSend(week);
	const growth = later.length > 0 ? later[later.length - 1] / full : undefined;
	return [
		...always,
		createBound('time per send at the end, against the first with a full record', growth, 1.2),
	];
}
