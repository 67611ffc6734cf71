import Table from 'cli-table3';

import type { Bound, Measurement, OneItemFigures, Series } from './figures';
import type { Load } from './plan';

/** No lines between rows, and no colors, which logs may not support. */
const PLAIN = {
	chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
	style: { head: [], border: [] },
};

export function formatLoad({ items, latency }: Load): string {
	return `${items.toLocaleString('en')}${latency > 0 ? `, ${latency} ms` : ''}`;
}

/** Creates a table with a row for each contender and a column for each load. */
export function createTable(
	title: string,
	series: Series[],
	cell: (median: Measurement, load: Load) => string,
): string {
	const loads = [...new Map(series.map((one) => [formatLoad(one), one])).values()];
	const contenders = [...new Set(series.map(({ contender }) => contender))];
	const table = new Table({
		head: [title, ...loads.map(formatLoad)],
		colAligns: ['left', ...loads.map(() => 'right' as const)],
		...PLAIN,
	});
	for (const contender of contenders) {
		const cells = loads.map((load) => {
			const found = series.find(
				(one) => one.contender === contender && formatLoad(one) === formatLoad(load),
			);
			return found ? cell(found.median, load) : '';
		});
		table.push([contender, ...cells]);
	}
	return table.toString();
}

/** Creates a table with rows for each load and contender. */
export function createOneItemTable(mode: string, { byLoad }: OneItemFigures): string {
	const table = new Table({
		head: [`${mode}, one item`, '', 'calls a second', 'median, ms', 'p95, ms', 'CPU, ms'],
		colAligns: ['left', 'left', 'right', 'right', 'right', 'right'],
		...PLAIN,
	});
	for (const [load, byContender] of Object.entries(byLoad)) {
		for (const [contender, { perSecond, median, p95, cpu }] of Object.entries(byContender)) {
			table.push([load, contender, ...[perSecond, median, p95, cpu].map((one) => one.toFixed(1))]);
		}
	}
	return table.toString();
}

/** Creates a table of µs per item, with a row for each part of the code and a column for each contender. */
export function createProfileTable(profiles: Record<string, Record<string, number>>): string {
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

export function createBoundsTable(bounds: Bound[]): string {
	const table = new Table({
		head: ['Bound', 'measured', 'at most', ''],
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
