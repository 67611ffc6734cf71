import type { CpuProfile } from './inspector';

/** Parts of the code, the first match counts. */
const PARTS: Array<[part: string, matches: (url: string, functionName: string) => boolean]> = [
	['waiting', (_url, name) => name === '(idle)'],
	['garbage collection', (_url, name) => name === '(garbage collector)'],
	['this package', (url) => url.includes('n8n-nodes-messaging-account/dist')],
	[
		'expressions and the rest of n8n-workflow',
		(url, name) =>
			/expression|tournament|luxon|n8n-workflow/.test(url) || name === 'evalClosureSync',
	],
	['database', (url, name) => /typeorm|sqlite3/.test(url) || name === 'Backup'],
	['request helper and axios', (url) => /axios|backend-network|proxy-from-env/.test(url)],
	['follow-redirects', (url) => url.includes('follow-redirects')],
	['the rest of n8n', (url) => url.includes('node_modules')],
	['Node.js', () => true],
];

/**
 * Sums up a CPU profile by part of the code.
 *
 * @param items number of items to divide the time by
 * @returns µs per item, by part
 */
export function timeByPart(profile: CpuProfile, items: number): Record<string, number> {
	const nodes = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
	const sums = new Map<string, number>(PARTS.map(([part]) => [part, 0]));
	profile.samples.forEach((id, i) => {
		const { url, functionName } = nodes.get(id)!;
		const [part] = PARTS.find(([, matches]) => matches(url, functionName))!;
		sums.set(part, sums.get(part)! + profile.timeDeltas[i]);
	});
	return Object.fromEntries([...sums].map(([part, time]) => [part, time / items]));
}
