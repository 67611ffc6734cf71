import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { Listr } from 'listr2';

import install from '../n8n/install';
import { rejectWhenInterrupted } from '../../tools/interruption';
import { Harness, type Aim, type Conditions, type JudgedList } from './harness';
import { momentOf, perSecond, type Moment } from './verdict';

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

const MOMENTS: Moment[] = [
	'before the first request',
	'among the requests',
	'after the last request',
];

/** About as long as n8n takes from a webhook to the first request, and from the last request to the end of the execution. */
const EDGE_MS = { before: 200, after: 500 };

/** Longer than a request takes. */
const REQUEST_MS = 25;

void main();

async function main(): Promise<void> {
	const harness = new Harness();
	const interrupted = rejectWhenInterrupted();
	const killed: Array<JudgedList & Conditions> = [];
	let exitCode = 1;
	try {
		if (!(count >= 1)) throw new Error('Pass how many times to kill n8n, e.g. --count 100.');
		await Promise.race([interrupted, killRepeatedly(harness, killed)]);
		exitCode = killed.some(isViolation) ? 1 : 0;
	} catch (error) {
		console.error(`\nThe run did not complete. ${(error as Error).message}`);
	} finally {
		await harness.stop();
	}
	report(killed);
	process.exit(exitCode);
}

/** @param killed each killed list is added to it */
async function killRepeatedly(
	harness: Harness,
	killed: Array<JudgedList & Conditions>,
): Promise<void> {
	await new Listr(
		[
			{ title: 'Install n8n and the packed package', task: async () => await install() },
			{
				title: 'Start n8n',
				task: async () => await harness.start([1, 5]),
			},
			{
				title: `Kill n8n ${count} times while it sends lists`,
				task: async (_context, task) => {
					for (let round = 0; round < count; round++) {
						const conditions = CONDITIONS[round % CONDITIONS.length];
						const lists = await harness.kill(conditions, chooseAim(conditions));
						killed.push(...lists.map((list) => ({ ...list, ...conditions })));
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

function report(killed: Array<JudgedList & Conditions>): void {
	const rows = CONDITIONS.flatMap(({ lists, people, latency, concurrency }) =>
		MOMENTS.map((moment) => {
			const ofRow = killed.filter(
				(list) =>
					list.people === people &&
					list.latency === latency &&
					list.concurrency === concurrency &&
					momentOf(list) === moment,
			);
			return {
				sent: `${lists} lists of ${people}`,
				'latency, ms': latency,
				'at once': concurrency,
				killed: moment,
				...figures(ofRow),
			};
		}),
	);
	console.table([...rows, { killed: 'all', ...figures(killed) }]);
	console.log(
		`Mean and most are for each list. In flight: requests without a response at the kill.`,
	);
}

function figures(lists: JudgedList[]): Record<string, number | string> {
	const { crashed, twice, lost, notSent, unknown, inFlight } = sums(lists);
	const mean = (sum: number) => (lists.length === 0 ? '' : (sum / lists.length).toFixed(1));
	const seconds = lists.map((list) => list.unknown / (perSecond(list) ?? Infinity));
	return {
		lists: lists.length,
		crashed,
		retried: crashed,
		twice,
		lost,
		'not sent': notSent,
		'unknown, mean': mean(unknown),
		'unknown, most': Math.max(0, ...lists.map((list) => list.unknown)),
		'in seconds of sends, most': Math.max(0, ...seconds).toFixed(2),
		'in flight, mean': mean(inFlight),
	};
}

function sums(lists: JudgedList[]) {
	const sum = (of: (list: JudgedList) => number) =>
		lists.reduce((total, list) => total + of(list), 0);
	return {
		crashed: sum(({ crashed }) => Number(crashed)),
		twice: sum(({ twice }) => twice),
		lost: sum(({ lost }) => lost),
		notSent: sum(({ notSent }) => notSent),
		unknown: sum(({ unknown }) => unknown),
		inFlight: sum(({ inFlight }) => inFlight),
	};
}

function isViolation({ twice, lost, notSent }: JudgedList): boolean {
	return twice + lost + notSent > 0;
}
