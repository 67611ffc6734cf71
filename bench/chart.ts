import { BarChart } from 'echarts/charts';
import { GridComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

import type { Measurement, Series } from './figures';
import type { Load } from './plan';

use([BarChart, GridComponent, TitleComponent, SVGRenderer]);

const WIDTH = 900;
const BAR_HEIGHT = 26;
const LABEL_WIDTH = 230;
const THIS_NODE_COLOR = '#2f6fde';
const OTHER_COLOR = '#b5bdc9';

interface Panel {
	title: string;
	load: Load;
	/** Returns undefined if it was not measured. */
	value(median: Measurement): number | undefined;
	format(value: number): string;
}

const PANELS: Panel[] = [
	{
		title: '1,000 sends, no latency: ms per item',
		load: { items: 1000, latency: 0 },
		value: ({ ms }) => ms / 1000,
		format: (ms) => `${ms.toFixed(2)} ms`,
	},
	{
		title: '500 sends, 50 ms latency: ms per item',
		load: { items: 500, latency: 50 },
		value: ({ ms }) => ms / 500,
		format: (ms) => `${ms.toFixed(2)} ms`,
	},
	{
		title: '10,000 sends, no latency: peak memory of n8n over its idle',
		load: { items: 10_000, latency: 0 },
		value: ({ peakMemory }) => peakMemory && peakMemory / 1e6,
		format: (megabytes) => `${megabytes.toFixed(0)} MB`,
	},
];

/** Renders the results of the nodes as an SVG. undici, which is not a node, is only in the table. */
export function renderChart(series: Series[]): string {
	const panels = PANELS.map((panel) => ({
		...panel,
		bars: series.filter(
			({ items, latency, contender, median }) =>
				items === panel.load.items &&
				latency === panel.load.latency &&
				!contender.startsWith('undici') &&
				panel.value(median) !== undefined,
		),
	})).filter(({ bars }) => bars.length > 0);

	let top = 0;
	const boxes = panels.map(({ bars }) => {
		const box = { title: top + 12, top: top + 44, height: bars.length * BAR_HEIGHT };
		top += box.height + 64;
		return box;
	});
	const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: top });
	chart.setOption({
		animation: false,
		backgroundColor: '#ffffff',
		title: panels.map(({ title }, i) => ({
			text: title,
			top: boxes[i].title,
			left: 16,
			textStyle: { fontSize: 15 },
		})),
		grid: boxes.map(({ top: gridTop, height }) => ({
			top: gridTop,
			height,
			left: LABEL_WIDTH,
			right: 90,
		})),
		xAxis: panels.map((_panel, gridIndex) => ({ gridIndex, type: 'value', show: false })),
		yAxis: panels.map(({ bars }, gridIndex) => ({
			gridIndex,
			type: 'category',
			inverse: true,
			axisTick: { show: false },
			axisLine: { show: false },
			axisLabel: { fontSize: 13 },
			data: bars.map(({ contender }) => contender),
		})),
		series: panels.map(({ bars, value, format }, i) => ({
			type: 'bar',
			xAxisIndex: i,
			yAxisIndex: i,
			label: {
				show: true,
				position: 'right',
				formatter: ({ data }: { data: { value: number } }) => format(data.value),
			},
			data: bars.map(({ contender, median }) => ({
				value: value(median),
				itemStyle: { color: contender.startsWith('This node') ? THIS_NODE_COLOR : OTHER_COLOR },
			})),
		})),
	});
	const svg = chart.renderToSVGString();
	chart.dispose();
	return svg;
}
