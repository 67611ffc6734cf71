import { HOSTS } from './hosts';
import type { Fault, Host } from './host';
import type { SoakResult } from './soak';

const FAULTS: Fault[] = ['untold', 'passedOver', 'twice', 'old', 'outOfOrder', 'falseGaps'];

/** Lists what went wrong at a host, except what cannot be had there. */
export function listFaults({ limit }: Host, result: SoakResult): Fault[] {
	return FAULTS.filter((fault) => {
		const bound = limit?.allows[fault] ?? 0;
		const all = fault === 'falseGaps' ? result.polls : result.new;
		const most = typeof bound === 'function' ? bound(all) : bound < 1 ? bound * all : bound;
		return result[fault] > Math.max(0, most);
	});
}

type Column = [title: string, value: (result: SoakResult) => number];

const COLUMNS: Column[] = [
	['polls', ({ polls }) => polls],
	['new', (result) => result.new],
	['out', ({ out }) => out],
	['never out', ({ neverOut }) => neverOut],
	['untold', ({ untold }) => untold],
	['passed over', ({ passedOver }) => passedOver],
	['twice', ({ twice }) => twice],
	['old out', ({ old }) => old],
	['out of order', ({ outOfOrder }) => outOfOrder],
	['gaps told', ({ gapsTold }) => gapsTold],
	['false', ({ falseGaps }) => falseGaps],
];

/** Creates the page with the table of a soak: the sums of all seeds. */
export function createSoakTable(
	results: Record<string, SoakResult[]>,
	{ days, seeds }: { days: number; seeds: number },
): string {
	const sum = (runs: SoakResult[], value: Column[1]) =>
		runs.reduce((total, run) => total + value(run), 0).toLocaleString('en-US');
	const mean = (runs: SoakResult[], value: Column[1]) =>
		runs.reduce((total, run) => total + value(run), 0) / runs.length;
	const row = (name: string, runs: SoakResult[]) => [
		name,
		HOSTS[name].about,
		...COLUMNS.map(([, value]) => sum(runs, value)),
		Math.round(mean(runs, ({ bytes }) => bytes)).toLocaleString('en-US'),
		mean(runs, ({ msPerPoll }) => msPerPoll).toFixed(1),
	];
	const titles = [
		'host',
		'what is special',
		...COLUMNS.map(([title]) => title),
		'bytes',
		'ms a poll',
	];
	const names = Object.keys(results).sort();
	const limits = names.flatMap((name) => {
		const { limit } = HOSTS[name];
		return limit ? [`- **${name}**: ${limit.about}`] : [];
	});
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return `# The soak

\`npm run soak\` has played ${days} days at each simulated host, with ${seeds} seeds: polls, bursts, outages of the host, restarts of n8n
with what it has really stored, and times during which the workflow is off. The wire tests play six hours.

- **untold**: messages that never came out, and no gap that was reported can have missed them. **passed over**: messages that were
  listed and never came out. **old out**: messages that were there before the first poll, or moved into the list later. **out of
  order** does not count what was reported as missing and came up later. **false**: gaps reported that cannot have missed anything.
- **bytes** of the stored state; **ms a poll**, with n8n-core's own HTTP request over a real socket.

${line(titles)}
${line(titles.map((_, i) => (i < 2 ? '---' : '---:')))}
${names.map((name) => line(row(name, results[name]))).join('\n')}

What the trigger cannot do at some hosts, and how the user is told:

${limits.join('\n')}
`;
}
