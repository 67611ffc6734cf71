import { cpus } from 'node:os';

import { Listr } from 'listr2';

import { N8N_VERSION } from '../tools/n8n/versions';
import { renderChart } from './chart';
import { FLOOR, HTTP_REQUEST, thisNode, type Contender, type NodeContender } from './contenders';
import { checkBounds, createSeries, median, type Figures, type Measurement } from './figures';
import { Harness } from './harness';
import { measureLoadTime } from './loading';
import { measureOneItem, startQueue, startSqlite } from './oneItem';
import { FULL, isWorthMeasuring, SHORT, shuffle, type Load } from './plan';
import { timeByPart } from './profile';
import {
	INSTALL,
	INSTALL_DATABASES,
	LISTR_OPTIONS,
	writeResults,
	type CleanUp,
	type Installed,
} from './setup';
import {
	createBoundsTable,
	createOneItemTable,
	createProfileTable,
	createTable,
	formatLoad,
} from './tables';
import { measureExecutionsPerSecond } from './workers';

let plan = FULL;

/** Ways in which n8n runs. */
const ONE_ITEM_MODES = { SQLite: startSqlite, 'Queue mode': startQueue };

/**
 * Compares this node with others.
 *
 * @param isShort whether only to show that it works
 * @returns whether every bound holds; a short run does not check them
 */
export async function compare(isShort: boolean, cleanUps: CleanUp[]): Promise<boolean> {
	if (isShort) plan = SHORT;
	const harness = new Harness();
	cleanUps.push(async () => await harness.stop());
	const { nodesFolder } = await new Listr<Installed>(
		[
			INSTALL_DATABASES,
			...INSTALL,
			{
				title: 'Start n8n and the embedded service',
				task: async (context) => await harness.start(context.bin, context.nodesFolder),
			},
		],
		LISTR_OPTIONS,
	).run();
	const { figures, profiles } = await measure(harness, nodesFolder);
	return await report(isShort, figures, profiles);
}

type Profiles = Record<string, Record<string, number>>;

async function measure(
	harness: Harness,
	nodesFolder: string,
): Promise<{ figures: Figures; profiles: Profiles }> {
	const { contenders } = harness;
	const byName = (name: string) =>
		contenders.find((contender) => contender.name === name) as NodeContender;
	const rounds = new Map<string, Measurement[]>();
	const key = (load: Load, name: string) => JSON.stringify([load, name]);
	const measureRound = async (load: Load, contender: Contender) => {
		const id = key(load, contender.name);
		rounds.set(id, [...(rounds.get(id) ?? []), await harness.run(contender, load)]);
	};
	const files: Load = { items: plan.files, latency: 0 };
	const profiles: Profiles = {};
	const figures: Figures = {
		series: [],
		files: [],
		oneItem: {},
		keptPerItem: NaN,
		loading: NaN,
		perSecond: {},
	};

	await new Listr(
		[
			{
				title: 'Warm up',
				task: async () => {
					for (const contender of contenders) {
						await harness.run(contender, { items: plan.warmUp, latency: 0 });
					}
				},
			},
			...Array.from({ length: plan.rounds }, (_, round) => ({
				title: `Round ${round + 1} of ${plan.rounds}`,
				task: async (_context: unknown, task: { title: string }) => {
					const { title } = task;
					for (const load of plan.loads) {
						for (const contender of shuffle(round, contenders)) {
							if (!isWorthMeasuring(load, contender)) continue;
							task.title = `${title}: ${formatLoad(load)} items, ${contender.name}`;
							await measureRound(load, contender);
						}
					}
					task.title = title;
				},
			})),
			{
				title: 'Measure the heap',
				task: async () => {
					const kept: number[] = [];
					for (let round = 0; round <= plan.heapRounds; round++) {
						kept.push(
							(await harness.measureHeapPerItem(byName(thisNode(1)), plan.heapItems)) -
								(await harness.measureHeapPerItem(harness.outputOnly, plan.heapItems)),
						);
					}
					// Excludes the first round, in which V8 still discards unused code.
					figures.keptPerItem = median(kept.slice(1));
				},
			},
			// Not in turns: n8n keeps the memory that the last one needs.
			...harness.fileContenders.map((contender) => ({
				title: `${files.items} items, ${contender.name}, ${plan.fileRounds} times`,
				task: async () => {
					for (let i = 0; i < plan.fileRounds; i++) await measureRound(files, contender);
				},
			})),
			{
				title: 'Profile',
				task: async () => {
					for (const name of [thisNode(1), HTTP_REQUEST, FLOOR]) {
						const profile = await harness.profile(byName(name), plan.profileItems);
						profiles[name] = timeByPart(profile, plan.profileItems);
					}
				},
			},
			{
				title: 'Load the package in new processes',
				task: async () => {
					figures.loading = await measureLoadTime(nodesFolder);
				},
			},
			{
				title: 'Queue mode with two workers, then one',
				task: async () => {
					await harness.stop();
					figures.perSecond = await measureExecutionsPerSecond(plan.queue);
				},
			},
			...Object.entries(ONE_ITEM_MODES).map(([mode, start]) => ({
				title: `One item, ${mode}`,
				task: async (_context: unknown, task: { output: string }) => {
					figures.oneItem[mode] = await measureOneItem(start, plan.oneItem, (text) => {
						task.output = text;
					});
				},
			})),
		],
		LISTR_OPTIONS,
	).run();

	figures.series = contenders.flatMap(({ name }) =>
		plan.loads.flatMap((load) => {
			const measured = rounds.get(key(load, name));
			return measured ? [createSeries(load, name, measured)] : [];
		}),
	);
	figures.files = harness.fileContenders.map(({ name }) =>
		createSeries(files, name, rounds.get(key(files, name))!),
	);
	return { figures, profiles };
}

function formatMb(bytes: number | undefined): string {
	return bytes === undefined ? '' : (bytes / 1e6).toFixed(0);
}

/** @returns whether every bound holds; a short run does not check them */
async function report(isShort: boolean, figures: Figures, profiles: Profiles): Promise<boolean> {
	const { series, files } = figures;
	const bounds = checkBounds(figures);
	console.log(`
Medians of ${plan.rounds} interleaved rounds in n8n ${N8N_VERSION}, Node.js ${process.version}, ${cpus().length} cores.
${createTable('ms per item', series, ({ ms }, { items }) => (ms / items).toFixed(2))}
Empty cells: contenders that would mostly wait for the service.
${Object.entries(figures.oneItem)
	.map(([mode, oneItem]) => createOneItemTable(mode, oneItem))
	.join('\n')}
${createTable('Peak memory over idle, MB', series, ({ peakMemory }) => formatMb(peakMemory))}
${createTable('Connections opened', series, ({ connections }) => String(connections))}
${createTable('Files of 500 kB, ms per item of all nodes', files, ({ ms }, { items }) => (ms / items).toFixed(2))}
${createTable('Files of 500 kB, peak memory over idle, MB', files, ({ peakMemory }) => formatMb(peakMemory))}
${createTable('Files of 500 kB, peak memory of n8n, MB', files, ({ wholePeakMemory }) => formatMb(wholePeakMemory))}
${createProfileTable(profiles)}
${isShort ? 'Only a full run checks the bounds.' : createBoundsTable(bounds)}`);

	await writeResults(isShort, { bounds, profiles, ...figures }, renderChart(series));
	return isShort || bounds.every(({ holds }) => holds === true);
}
