/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests read archived files */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import { PROJECT } from '../../tools/n8n/install';

/**
 * Data that n8n saved with an earlier version; see archive.ts. What else a later version takes over needs no file: tests run the
 * archived tarball, in n8n's engine and in a real n8n, e.g. with IDs on record and in a crash.
 */
export interface SavedData {
	/** The account in the credential. */
	account: { baseUrl: string; clientId: string };
	/** Nodes of saved workflows. */
	nodes: INode[];
	/** Messages that the trigger knows. */
	listed: IDataObject[];
	/** Static data of the trigger, by event. */
	states: Record<string, Record<string, { account: string; nodeId: string }>>;
	/** Node context of an execution with sends to 49151, 49152 and 49153, which stopped when the second one was refused. */
	sends: IDataObject;
	/** The same with sends to 49151 and 49154; the connection of the second one was lost. */
	unknown: IDataObject;
	/** The same with the file to 49151 and 49152; the second one was refused. */
	files: { context: IDataObject; file: string };
}

const ARCHIVE = join(PROJECT, 'test/upgrades');

export function getArchiveFolder(version: string): string {
	return join(ARCHIVE, version);
}

/** All archived versions. */
export const EARLIER_VERSIONS = readdirSync(ARCHIVE).filter((name) =>
	statSync(getArchiveFolder(name)).isDirectory(),
);

export function readSavedData(version: string): SavedData {
	return JSON.parse(
		readFileSync(join(getArchiveFolder(version), 'saved.json'), 'utf8'),
	) as SavedData;
}
