import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

import type { SavedWorkflow } from '../../tools/n8n/rest';
import type { RealN8n } from './realN8n';

export const openDatabase = (n8n: RealN8n, options: DatabaseSyncOptions) =>
	new DatabaseSync(join(n8n.userFolder, '.n8n/database.sqlite'), options);

/** How many keys n8n has on record of the sends of a workflow. */
export function countKeys(n8n: RealN8n, { id }: Pick<SavedWorkflow, 'id'>): number {
	const database = openDatabase(n8n, { readOnly: true });
	const sql = "select value from processed_data where workflowId = ? and context = ''";
	const row = database.prepare(sql).get(id) as { value: string } | undefined;
	database.close();
	return row ? (JSON.parse(row.value) as { data: string[] }).data.length : 0;
}
