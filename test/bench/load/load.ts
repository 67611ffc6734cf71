/* eslint-disable no-console -- the bench prints to the terminal */
import { Listr } from 'listr2';

import { HTTP_REQUEST, httpRequest, sendImage, type BenchNode } from '../contenders';
import {
	INSTALL,
	INSTALL_DATABASES,
	LISTR_OPTIONS,
	writeResults,
	type CleanUp,
	type Installed,
} from '../setup';
import { createBoundsTable } from '../tables';
import { checkLoadBounds, createLoadTable, ONE_N8N, THIS_NODE, type LoadRun } from './loadFigures';
import { runAtRate, type LoadPlan } from './loadRun';
import { startOneN8n, startTwoWorkers, type System } from './systems';

const FULL: LoadPlan = { perSecond: 20, seconds: 600, warmUpSeconds: 60 };

/** Only shows that it works. */
const SHORT: LoadPlan = { perSecond: 5, seconds: 5, warmUpSeconds: 2 };

const SYSTEMS: Record<string, () => Promise<System>> = {
	[ONE_N8N]: startOneN8n,
	'queue mode with two workers': startTwoWorkers,
};

/** Dragged from the body of the webhook. */
const FIELDS = {
	number: '={{ $json.body.number }}',
	url: '={{ $json.body.url }}',
	caption: '={{ $json.body.caption }}',
};

const SENDERS: Record<string, (baseUrl: string) => BenchNode> = {
	[THIS_NODE]: () => sendImage(FIELDS),
	[HTTP_REQUEST]: (baseUrl) => httpRequest(baseUrl, FIELDS),
};

/**
 * Calls webhooks at a steady rate, each of which sends one image.
 *
 * @param isShort whether only to show that it works
 * @returns whether every bound holds
 */
export async function runLoad(isShort: boolean, cleanUps: CleanUp[]): Promise<boolean> {
	const plan = isShort ? SHORT : FULL;
	const runs: LoadRun[] = [];
	const combinations = Object.keys(SYSTEMS).flatMap((system) =>
		Object.keys(SENDERS).map((sender) => ({ system, sender })),
	);
	await new Listr<Installed>(
		[
			INSTALL_DATABASES,
			...INSTALL,
			...combinations.map(({ system, sender }) => ({
				title: `${sender}, ${system}`,
				task: async (_context: Installed, task: { title: string }) => {
					const { title } = task;
					const report = (progress: string) => {
						task.title = `${title}: ${progress}`;
					};
					const stops: CleanUp[] = [];
					const stop = async () => {
						for (const one of stops.splice(0).toReversed()) await one();
					};
					cleanUps.push(stop);
					const run = await runAtRate(plan, SYSTEMS[system], SENDERS[sender], stops, report);
					runs.push({ system, sender, ...run });
					await stop();
					task.title = title;
				},
			})),
		],
		LISTR_OPTIONS,
	).run();
	const bounds = checkLoadBounds(runs, isShort);
	console.log(`\n${createLoadTable(runs)}\n\n${createBoundsTable(bounds)}`);
	await writeResults(isShort, { 'load.json': { ...plan, bounds, runs } });
	return bounds.every(({ holds }) => holds === true);
}
