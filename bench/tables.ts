import type { Series } from './figures';
import type { Load } from './plan';

/** Creates a table as this folder's README has it. All columns but the first have numbers. */
export function createTable(head: string[], rows: string[][]): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	const align = head.map((_, i) => (i === 0 ? '---' : '---:'));
	return [head, align, ...rows].map(line).join('\n');
}

/** Creates a table with a row for each contender and a column for each load. */
export function compareInTable<L extends string, F>(
	title: string,
	series: Array<Series<L, F>>,
	cell: (median: F, load: L) => string,
	formatHead: (load: L) => string = (load) => load,
): string {
	const loads = [...new Set(series.map(({ load }) => load))];
	const contenders = [...new Set(series.map(({ contender }) => contender))];
	const rows = contenders.map((contender) => [
		contender,
		...loads.map((load) => {
			const found = series.find((one) => one.contender === contender && one.load === load);
			return found ? cell(found.median, load) : '';
		}),
	]);
	return createTable([title, ...loads.map(formatHead)], rows);
}

export function formatLoad({ items, latency }: Load): string {
	return `${items.toLocaleString('en')}${latency > 0 ? `, ${latency} ms` : ''}`;
}
