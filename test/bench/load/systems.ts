/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not part of the published node: it reads n8n's logs */
import { readFile } from 'node:fs/promises';

import type { N8nRest } from '../../../tools/n8n/rest';
import { startRealN8n } from '../../n8n/realN8n';
import { startQueueMode } from '../../queue/queueMode';
import { INSPECT, Inspector } from '../inspector';
import { openPostgresRecord, openSqliteRecord, type ProcessedRecord } from './processedRecord';

/** An n8n whose processes can be watched. */
export interface System {
	rest: N8nRest;
	/** By name of the process. */
	inspectors: Record<string, Inspector>;
	record: ProcessedRecord;
	stop(): Promise<void>;
}

/** Starts n8n with its defaults: one process, with SQLite. */
export async function startOneN8n(): Promise<System> {
	const n8n = await startRealN8n(undefined, { nodeArgs: [INSPECT] });
	const inspectors = { n8n: await Inspector.connectByLog(await n8n.log()) };
	const record = openSqliteRecord(n8n.userFolder);
	return {
		rest: n8n.rest,
		inspectors,
		record,
		async stop() {
			closeAll(inspectors);
			await record.close();
			await n8n.stop();
		},
	};
}

/**
 * By default, n8n removes a job from Redis as soon as it has ended. If main begins to wait for its end only then, it waits
 * forever, and the webhook never answers: https://github.com/n8n-io/n8n/issues/30392.
 */
const MAIN_SETTINGS = { N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED: '1000' };

/** Starts n8n's queue mode with two workers, Redis and PostgreSQL, and n8n's defaults for workers. */
export async function startTwoWorkers(): Promise<System> {
	const queue = await startQueueMode([INSPECT], {}, MAIN_SETTINGS);
	try {
		const [first, second] = await queue.scaleWorkers(2);
		const processes = { main: queue.main, 'worker 1': first.process, 'worker 2': second.process };
		const inspectors: System['inspectors'] = {};
		for (const [name, { logFile }] of Object.entries(processes)) {
			inspectors[name] = await Inspector.connectByLog(await readFile(logFile, 'utf8'));
		}
		const record = await openPostgresRecord(queue.databaseSettings);
		return {
			rest: queue.rest,
			inspectors,
			record,
			async stop() {
				closeAll(inspectors);
				await record.close();
				await queue.stop();
			},
		};
	} catch (error) {
		await queue.stop();
		throw error;
	}
}

/** Before the processes are stopped: Node.js does not exit while a client of its inspector is connected. */
function closeAll(inspectors: System['inspectors']): void {
	for (const inspector of Object.values(inspectors)) inspector.close();
}
