/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests read what earlier versions left behind */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import { PROJECT } from '../../tools/n8n/install';

/** What n8n has saved with an earlier version; see archive.ts. */
export interface Saved {
	/** That it was used with. */
	account: { baseUrl: string; clientId: string };
	/** Of workflows. */
	nodes: INode[];
	/** The messages that the trigger knows. */
	listed: IDataObject[];
	/** What the trigger remembers, by its event. */
	states: Record<string, Record<string, { account: string }>>;
	/** The node's context in an execution: of three sends to 1, 2 and 3 the second was refused, and ended it. */
	sends: IDataObject;
}

const ARCHIVE = join(PROJECT, 'test/upgrades');

export function folderOf(version: string): string {
	return join(ARCHIVE, version);
}

/** The versions that left something behind. */
export const EARLIER_VERSIONS = readdirSync(ARCHIVE).filter((name) =>
	statSync(folderOf(name)).isDirectory(),
);

export function readSaved(version: string): Saved {
	return JSON.parse(readFileSync(join(folderOf(version), 'saved.json'), 'utf8')) as Saved;
}
