import Table from 'cli-table3';

import type { Bound, Measurement, Series } from './figures';
import type { Load } from './plan';

/** No lines between rows; no colors, which not every log understands. */
const PLAIN = {
	chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
	style: { head: [], border: [] },
};

export function nameOf({ items, latency }: Load): string {
	return `${items.toLocaleString('en')}${latency > 0 ? `, ${latency} ms` : ''}`;
}

/** A row for each contender, a column for each load. */
export function tableOf(
	title: string,
	series: Series[],
	cell: (median: Measurement, load: Load) => string,
): string {
	const loads = [...new Map(series.map((one) => [nameOf(one), one])).values()];
	const contenders = [...new Set(series.map(({ contender }) => contender))];
	const table = new Table({
		head: [title, ...loads.map(nameOf)],
		colAligns: ['left', ...loads.map(() => 'right' as const)],
		...PLAIN,
	});
	for (const contender of contenders) {
		const cells = loads.map((load) => {
			const found = series.find(
				(one) => one.contender === contender && nameOf(one) === nameOf(load),
			);
			return found ? cell(found.median, load) : '';
		});
		table.push([contender, ...cells]);
	}
	return table.toString();
}

/** µs for each item, by whose code was at work; a row for each part, a column for each contender. */
export function profileTable(profiles: Record<string, Record<string, number>>): string {
	const contenders = Object.keys(profiles);
	const table = new Table({
		head: ['CPU profile, µs per item', ...contenders],
		colAligns: ['left', ...contenders.map(() => 'right' as const)],
		...PLAIN,
	});
	for (const part of Object.keys(Object.values(profiles)[0])) {
		table.push([part, ...contenders.map((contender) => profiles[contender][part].toFixed(0))]);
	}
	return table.toString();
}

export function boundsTable(bounds: Bound[]): string {
	const table = new Table({
		head: ['What must hold', 'measured', 'at most', ''],
		colAligns: ['left', 'right', 'right', 'left'],
		...PLAIN,
	});
	for (const { what, measured, atMost, holds } of bounds) {
		const verdict = holds === undefined ? 'not measured' : holds ? 'holds' : 'DOES NOT HOLD';
		const decimals = atMost < 10 ? 2 : 1;
		table.push([what, measured?.toFixed(decimals) ?? '', atMost, verdict]);
	}
	return table.toString();
}
