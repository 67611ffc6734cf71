import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { LOCAL } from '../tools/n8n/install';
import { N8N_VERSION } from '../tools/n8n/versions';
import { renderChart } from './chart';
import { thisNode, type Contender } from './contenders';
import { checkBounds, median, medianOf, type Figures, type Series } from './figures';
import { startHarness, type CleanUp, type Harness } from './harness';
import { FULL, SHORT, shuffle, type LoadName, type Plan } from './plan';
import { compareInTable, createTable, formatLoad } from './tables';

/**
 * Compares this node with others.
 *
 * @param isShort whether only to show that it works
 * @returns whether every bound holds; a short run does not check them
 */
export async function compare(isShort: boolean, cleanUps: CleanUp[]): Promise<boolean> {
	const plan = isShort ? SHORT : FULL;
	const harness = await startHarness(cleanUps);
	const figures: Figures = {
		calls: await measureInTurns(
			{ ...plan, loads: plan.calls, warmUp: plan.callWarmUp },
			harness.calls,
			async (contender, load) => await harness.call(contender, load),
		),
		lists: await measureInTurns(
			{ ...plan, loads: plan.lists, warmUp: plan.listWarmUp },
			harness.lists,
			async (contender, load) => await harness.sendList(contender, load),
		),
		keptPerItem: await measureKeptPerItem(harness, plan),
	};
	reportFigures(plan, figures);
	// The documentation shows that of a full run.
	const chart = join(isShort ? LOCAL : join(__dirname, 'results'), 'chart.svg');
	await writeFile(chart, renderChart(plan, figures.lists));
	return isShort || reportBounds(figures);
}

/** Runs all contenders under all loads in each round: whatever changes meanwhile, it changes for all. */
async function measureInTurns<N extends string, L, F extends object>(
	{ rounds, loads, warmUp }: { rounds: number; loads: Record<N, L>; warmUp: L },
	contenders: Contender[],
	measure: (contender: Contender, load: L) => Promise<F>,
): Promise<Array<Series<N, F>>> {
	for (const contender of contenders) await measure(contender, warmUp);
	const names = Object.keys(loads) as N[];
	const series = names.flatMap((load) =>
		contenders
			.filter(({ skips = [] }) => !skips.some((one) => one === load))
			.map((contender) => ({ load, contender, measured: [] as F[] })),
	);
	for (let round = 0; round < rounds; round++) {
		for (const name of names) {
			const turns = series.filter(({ load }) => load === name);
			for (const { contender, measured } of shuffle(round, turns)) {
				console.log(`Round ${round + 1} of ${rounds}, ${name}, ${contender.name}`);
				measured.push(await measure(contender, loads[name]));
			}
		}
	}
	return series.map(({ load, contender, measured }) => ({
		load,
		contender: contender.name,
		median: medianOf(measured),
	}));
}

async function measureKeptPerItem(
	harness: Harness,
	{ heapItems, heapRounds }: Plan,
): Promise<number> {
	const one = harness.lists.find(({ name }) => name === thisNode(1))!;
	const kept: number[] = [];
	for (let round = 0; round <= heapRounds; round++) {
		console.log(`Round ${round + 1} of ${heapRounds + 1}, heap`);
		const whole = await harness.measureHeapPerItem(one, heapItems);
		kept.push(whole - (await harness.measureHeapPerItem(harness.outputOnly, heapItems)));
	}
	// Excludes the first round, in which V8 still discards unused code.
	return median(kept.slice(1));
}

function reportFigures(plan: Plan, { lists, calls }: Figures): void {
	const formatHead = (name: LoadName) => formatLoad(plan.lists[name]);
	const tables = [
		compareInTable(
			'ms per item',
			lists,
			({ ms }, name) => (ms / plan.lists[name].items).toFixed(2),
			formatHead,
		),
		compareInTable(
			'peak memory over idle, MB',
			lists,
			({ peakMemory }) => (peakMemory / 1e6).toFixed(0),
			formatHead,
		),
		compareInTable('calls a second', calls, ({ perSecond }) => perSecond.toFixed(1)),
		compareInTable('ms for each call', calls, ({ ms }) => ms.toFixed(0)),
	];
	console.log(
		`\nMedians of ${plan.rounds} rounds in n8n ${N8N_VERSION}, Node.js ${process.version}, ${cpus().length} cores.\n`,
	);
	console.log(tables.join('\n\n'));
}

/** @returns whether every bound holds */
function reportBounds(figures: Figures): boolean {
	const bounds = checkBounds(figures);
	const rows = bounds.map(({ what, measured, atMost, holds }) => [
		what,
		measured.toFixed(2),
		`${atMost}${holds ? '' : ', DOES NOT HOLD'}`,
	]);
	console.log(`\n${createTable(['bound', 'measured', 'at most'], rows)}`);
	return bounds.every(({ holds }) => holds);
}
