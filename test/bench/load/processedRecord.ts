/* eslint-disable @n8n/community-nodes/no-restricted-imports -- it reads n8n's database */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { fromGlobalSetup } from '../../n8n/realN8n';

/** Reads n8n's record of processed data, in its database. */
export interface ProcessedRecord {
	/** How many entries all nodes of a workflow have. */
	count(workflowId: string): Promise<number>;
	close(): Promise<void>;
}

/** @param userFolder of an n8n with SQLite */
export function openSqliteRecord(userFolder: string): ProcessedRecord {
	const database = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'), {
		readOnly: true,
		timeout: 5000,
	});
	const query = database.prepare('SELECT value FROM processed_data WHERE "workflowId" = ?');
	return {
		count: async (workflowId) =>
			countEntries(query.all(workflowId).map(({ value }) => String(value))),
		close: async () => database.close(),
	};
}

/** The part of n8n's PostgreSQL client that is used here. */
interface PostgresClient {
	connect(): Promise<void>;
	query(text: string, values: string[]): Promise<{ rows: Array<{ value: string }> }>;
	end(): Promise<void>;
}

/** @param settings environment variables that lead n8n to its database */
export async function openPostgresRecord(
	settings: Record<string, string>,
): Promise<ProcessedRecord> {
	const { Client } = createRequire(realpathSync(fromGlobalSetup('TEST_N8N_BIN')))('pg') as {
		Client: new (config: object) => PostgresClient;
	};
	const client = new Client({
		host: settings.DB_POSTGRESDB_HOST,
		port: Number(settings.DB_POSTGRESDB_PORT),
		database: settings.DB_POSTGRESDB_DATABASE,
		user: settings.DB_POSTGRESDB_USER,
		password: settings.DB_POSTGRESDB_PASSWORD,
	});
	await client.connect();
	return {
		async count(workflowId) {
			const { rows } = await client.query(
				'SELECT value::text FROM processed_data WHERE "workflowId" = $1',
				[workflowId],
			);
			return countEntries(rows.map(({ value }) => value));
		},
		close: async () => await client.end(),
	};
}

function countEntries(values: string[]): number {
	return values
		.map((value) => (JSON.parse(value) as { data: unknown[] }).data.length)
		.reduce((sum, count) => sum + count, 0);
}
