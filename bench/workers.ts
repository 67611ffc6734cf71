import { saveCredential } from '../test/n8n/realN8n';
import { startQueueMode } from '../test/queue/queueMode';
import { numberOf } from '../test/support/sendService';
import { startScriptedServer } from '../test/support/scriptedServer';
import { runBatch } from './batch';
import type { Plan } from './plan';

/** Latency of the service. */
const LATENCY_MS = 50;

/**
 * Measures the executions per second in n8n's queue mode, by number of workers: two and one.
 * The best of several rounds counts, because the first executions of a worker are slower.
 */
export async function measureExecutionsPerSecond({
	rounds,
	...load
}: Plan['queue']): Promise<Record<number, number>> {
	const server = await startScriptedServer();
	const queue = await startQueueMode();
	try {
		server.onRequest((request) => (response) => {
			setTimeout(() => {
				response.writeHead(200, { 'content-type': 'application/json' });
				response.end(JSON.stringify({ id: `m${numberOf(request)}` }));
			}, LATENCY_MS);
		});
		const credential = { baseUrl: server.url, clientId: 'bench-client', token: 'bench-token' };
		const credentials = await saveCredential(queue.rest, credential);
		const perSecond: Record<number, number> = {};
		for (const count of [2, 1]) {
			const workers = await queue.scaleWorkers(count);
			for (let round = 0; round < rounds; round++) {
				const { seconds } = await runBatch(queue, workers, server, credentials, load);
				perSecond[count] = Math.max(perSecond[count] ?? 0, load.executions / seconds);
			}
		}
		return perSecond;
	} finally {
		await queue.stop();
		await server.close();
	}
}
