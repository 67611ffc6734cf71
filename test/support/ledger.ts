import { UnfinishedExecution } from './engine';
import type { Script } from './scriptedServer';
import { CONTINUE, useSends } from './sends';
import { until } from './simulation';

export const RETRY = { mode: 'retry', settings: CONTINUE } as const;
export const PASTED = { ...CONTINUE, id: 'pasted' };
export const SENT: Script = { body: { id: 'm' } };
/** A credential with which no request can be made. */
export const UNUSABLE = { baseUrl: 'none' };

export const failToStore = () => {
	throw new Error('The database is locked');
};

/** For tests of what an execution has on record, which stays there until they store the execution. */
export function useLedger() {
	/** Each test has its own executions: n8n-core's memory of the node is shared by all. */
	const origin = { resumeToken: '' };
	beforeEach(() => (origin.resumeToken = expect.getState().currentTestName!));
	const sends = useSends(() => ({ mode: 'webhook', hooks: new UnfinishedExecution(), ...origin }));
	const { store } = sends;

	/** Returns one key of each send. */
	const keysOf = (kind: string) => {
		const pattern = new RegExp(`:${kind}:\\d+:[^:.]+\\.[^:]+:\\d+$`);
		return store.keys.filter((key) => pattern.test(String(key)));
	};

	/** What nobody waits for is done within a second. */
	const untilThereAre = async (count: number, kind?: string) =>
		await until(`${count} keys`, (saw) => saw(kind ? keysOf(kind) : store.keys).length === count);

	const untilRemoved = async (end: string) =>
		await until('the removal', (saw) => !saw(store.keys).some((key) => String(key).endsWith(end)));

	/** Another worker writes back whatever this one removes. */
	const writeBackRemovals = () => jest.spyOn(store, 'removeProcessed').mockResolvedValue();

	return { ...sends, origin, keysOf, untilThereAre, untilRemoved, writeBackRemovals };
}
