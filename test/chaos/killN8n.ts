import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { Listr } from 'listr2';

import install from '../n8n/install';
import { rejectWhenInterrupted } from '../../tools/interruption';
import { Harness, type Aim, type Conditions, type JudgedList } from './harness';

const { values: flags } = parseArgs({ options: { count: { type: 'string', default: '100' } } });
const count = Number(flags.count);

const LONG = { lists: 4, people: 200 };
const SHORT = { lists: 20, people: 10 };

/** Taken in turns. */
const CONDITIONS: Conditions[] = [
	{ ...LONG, latency: 0, concurrency: 1 },
	{ ...SHORT, latency: 20, concurrency: 1 },
	{ ...LONG, latency: 20, concurrency: 5 },
	{ ...SHORT, latency: 0, concurrency: 1 },
	{ ...LONG, latency: 0, concurrency: 5 },
	{ ...LONG, latency: 20, concurrency: 1 },
];

/** About as long as n8n takes from a webhook to the first request, and from the last request to the end of the execution. */
const EDGE_MS = { before: 200, after: 500 };

/** Longer than a request takes. */
const REQUEST_MS = 25;

/** A list, and how it was sent. */
type Killed = JudgedList & { conditions: Conditions };

void main();

async function main(): Promise<void> {
	const harness = new Harness();
	const interrupted = rejectWhenInterrupted();
	const killed: Killed[] = [];
	let exitCode = 1;
	try {
		if (!(count >= 1)) throw new Error('Pass how many times to kill n8n, e.g. --count 100.');
		await Promise.race([interrupted, killRepeatedly(harness, killed)]);
		const { twice, lost, notSent } = sums(killed);
		exitCode = twice + lost + notSent > 0 ? 1 : 0;
	} catch (error) {
		console.error(`\nThe run did not complete. ${(error as Error).message}`);
	} finally {
		await harness.stop();
	}
	report(killed);
	process.exit(exitCode);
}

/** @param killed each killed list is added to it */
async function killRepeatedly(harness: Harness, killed: Killed[]): Promise<void> {
	await new Listr(
		[
			{ title: 'Install n8n and the packed package', task: async () => await install() },
			{ title: 'Start n8n', task: async () => await harness.start([1, 5]) },
			{
				title: `Kill n8n ${count} times while it sends lists`,
				task: async (_context, task) => {
					for (let round = 0; round < count; round++) {
						const conditions = CONDITIONS[round % CONDITIONS.length];
						const lists = await harness.kill(conditions, chooseAim(conditions));
						killed.push(...lists.map((list) => ({ ...list, conditions })));
						const { crashed, twice, lost, unknown } = sums(killed);
						task.output = `${round + 1} of ${count}: ${crashed} executions crashed, ${twice} people twice, ${lost} lost, ${unknown} unknown`;
					}
				},
			},
		],
		// Otherwise Listr would exit on Ctrl-C and leave n8n running.
		{ registerSignalListeners: false },
	).run();
}

function chooseAim({ lists, people }: Conditions): Aim {
	const all = lists * people;
	const choice = randomInt(20);
	if (choice < 3) return { requests: 0, delay: randomInt(EDGE_MS.before) };
	if (choice < 6) return { requests: all, delay: randomInt(EDGE_MS.after) };
	return { requests: randomInt(1, all), delay: randomInt(REQUEST_MS) };
}

function report(killed: Killed[]): void {
	const rows = CONDITIONS.map((conditions) => {
		const { lists, people, latency, concurrency } = conditions;
		const ofRow = killed.filter((list) => list.conditions === conditions);
		const sent = `${lists} lists of ${people}`;
		return { sent, 'latency, ms': latency, 'at once': concurrency, ...sums(ofRow) };
	});
	console.table([...rows, { sent: 'all', ...sums(killed) }]);
}

function sums(lists: JudgedList[]) {
	const sum = (of: (list: JudgedList) => number) =>
		lists.reduce((total, list) => total + of(list), 0);
	return {
		lists: lists.length,
		crashed: sum(({ crashed }) => Number(crashed)),
		twice: sum(({ twice }) => twice),
		lost: sum(({ lost }) => lost),
		notSent: sum(({ notSent }) => notSent),
		unknown: sum(({ unknown }) => unknown),
		'unknown of a list, most': Math.max(0, ...lists.map(({ unknown }) => unknown)),
	};
}
