import type { INode } from 'n8n-workflow';

import type { ScriptedServer } from '../../support/scriptedServer';
import type { RealN8n } from '../realN8n';

/** Responds as its test wants, and no other test makes requests to it. */
export interface Service {
	server: ScriptedServer;
	credentials: INode['credentials'];
}

/** What goes on with this version. */
export type GoOn = () => Promise<void>;

/** Begins something with an earlier version. n8n is then killed and upgraded, for all tests at once. */
export type UpgradeTest = (earlier: {
	/** Its `rest` is another one after the upgrade. */
	n8n: RealN8n;
	version: string;
	service: Service;
	/** Resolves when n8n is down, and this version is being installed. */
	whenDown: Promise<void>;
}) => Promise<GoOn>;
