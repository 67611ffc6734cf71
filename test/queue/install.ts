import installN8nAndPackage from '../n8n/install';
import { installDatabases } from './databases';

/** Global setup of the queue mode tests: Redis, PostgreSQL, and everything that tests in a real n8n need. */
export default async function install(): Promise<void> {
	await installDatabases();
	await installN8nAndPackage();
}
