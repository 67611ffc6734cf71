import installN8nAndPackage from '../n8n/install';
import { installDatabases } from './databases';

/** Once before the runs in queue mode: what every run in a real n8n needs, and Redis and PostgreSQL. */
export default async function install(): Promise<void> {
	await installDatabases();
	await installN8nAndPackage();
}
