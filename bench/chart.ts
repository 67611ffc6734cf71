import type { Figures, ListFigures } from './figures';
import type { Load, LoadName, Plan } from './plan';

const WIDTH = 900;
const LABEL_WIDTH = 230;
const MAX_BAR_WIDTH = 560;
const ROW_HEIGHT = 26;
const BAR_HEIGHT = 18;
const TITLE_HEIGHT = 44;
const MARGIN = 20;

interface Panel {
	name: LoadName;
	title: string;
	value(median: ListFigures, load: Load): number;
	format(value: number): string;
}

const perItem: Pick<Panel, 'value' | 'format'> = {
	value: ({ ms }, { items }) => ms / items,
	format: (ms) => `${ms.toFixed(2)} ms`,
};

const PANELS: Panel[] = [
	{ name: 'list', title: 'ms per item', ...perItem },
	{ name: 'slow', title: 'ms per item', ...perItem },
	{
		name: 'longList',
		title: 'peak memory of n8n over its idle',
		value: ({ peakMemory }) => peakMemory / 1e6,
		format: (megabytes) => `${megabytes.toFixed(0)} MB`,
	},
];

/** Renders the figures of lists as an SVG: a panel of bars for each of three loads. */
export function renderChart(plan: Plan, lists: Figures['lists']): string {
	let height = 0;
	const panels = PANELS.map(({ name, title, value, format }) => {
		const load = plan.lists[name];
		const { items, latency } = load;
		const bars = lists
			.filter((one) => one.load === name)
			.map(({ contender, median }) => ({ contender, value: value(median, load) }));
		const top = height;
		height += TITLE_HEIGHT + bars.length * ROW_HEIGHT + MARGIN;
		const max = Math.max(...bars.map((bar) => bar.value));
		const sends = `${items.toLocaleString('en')} sends, ${latency > 0 ? `${latency} ms` : 'no'} latency`;
		const heading = `<text x="16" y="${top + 26}" font-size="15" font-weight="bold">${sends}: ${title}</text>`;
		return [
			heading,
			...bars.map((bar, i) =>
				renderBar(
					top + TITLE_HEIGHT + i * ROW_HEIGHT,
					bar.contender,
					bar.value / max,
					format(bar.value),
				),
			),
		].join('\n');
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13" fill="#333">
<rect width="100%" height="100%" fill="#fff"/>
${panels.join('\n')}
</svg>
`;
}

/** @param share of the longest bar */
function renderBar(top: number, contender: string, share: number, value: string): string {
	const width = Math.round(share * MAX_BAR_WIDTH);
	const color = contender.startsWith('This node') ? '#2f6fde' : '#b5bdc9';
	const y = top + 14;
	return [
		`<text x="${LABEL_WIDTH - 8}" y="${y}" text-anchor="end">${contender}</text>`,
		`<rect x="${LABEL_WIDTH}" y="${top}" width="${width}" height="${BAR_HEIGHT}" fill="${color}"/>`,
		`<text x="${LABEL_WIDTH + width + 6}" y="${y}">${value}</text>`,
	].join('');
}
