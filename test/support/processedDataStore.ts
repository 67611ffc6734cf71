import { setImmediate as nextTurn } from 'node:timers/promises';

import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IExecuteFunctions,
} from 'n8n-workflow';

import { currentWorkflowId, startNewProcess } from './singleNodeWorkflow';

/** Where the keys of a scope are. */
const FIELDS = { node: 'nodeKeys', workflow: 'keys' } as const;

/**
 * Stands in for n8n's record of processed data, which needs n8n's database. Like the real one, it reads, yields, and writes
 * everything back, and cuts the oldest keys. It also counts overlapping calls, which the real one only shows by losing data.
 */
export class ProcessedDataStore implements IDataDeduplicator {
	/** The keys of sends, which are kept for a workflow, oldest first. The real store has hashes of them. */
	keys: DeduplicationItemTypes[] = [];
	/** Keys of "Send Once per ID", which are kept for a node. */
	nodeKeys: DeduplicationItemTypes[] = [];
	/** How many calls began during another call that concerns the same keys. */
	overlaps = 0;
	calls = 0;
	/** How long a call takes: a turn of the event loop, unless a test decides. */
	waitForTurn: () => Promise<void> = nextTurn;
	/** Called between reading and writing. If it throws, the call fails. */
	onCall: (keys: DeduplicationItemTypes[]) => void = () => {};
	private readonly pending = { node: 0, workflow: 0 };

	/** IDs of "Send Once per ID", oldest first. */
	get ids(): string[] {
		return this.idsAfter('id:');
	}

	/** Their images were sent for certain. */
	set ids(ids: string[]) {
		this.nodeKeys = ids.flatMap((id) => [`id:${id}`, `sent:id:${id}`, `sent:id:${id}:sure`]);
	}

	/** Those IDs of which nobody knows whether the image was sent. */
	get unknownIds(): string[] {
		const sent = new Set(this.idsAfter('sent:id:'));
		return this.ids.filter((id) => !sent.has(`${id}:sure`));
	}

	private idsAfter(prefix: string): string[] {
		const keys = this.nodeKeys.map(String).filter((key) => key.startsWith(prefix));
		return keys.map((key) => key.slice(prefix.length));
	}

	/** Makes n8n-core use this store. n8n-core keeps one per process, and a process may run several test files. */
	async install(): Promise<void> {
		Object.assign(DataDeduplicationService, { instance: undefined });
		await DataDeduplicationService.init(this);
	}

	/** The part of n8n's context for a node that has to do with processed data. */
	createContext(nodeId: string): IExecuteFunctions {
		const workflow = { id: currentWorkflowId(), active: true };
		return {
			helpers: {
				checkProcessedAndRecord: async (
					keys: DeduplicationItemTypes[],
					scope: DeduplicationScope,
					options: ICheckProcessedOptions,
				) => await this.checkProcessedAndRecord(keys, scope, { workflow }, options),
				removeProcessed: async (keys: DeduplicationItemTypes[], scope: DeduplicationScope) =>
					await this.removeProcessed(keys, scope, { workflow }),
				getProcessedDataCount: this.getProcessedDataCount.bind(this),
			},
			getWorkflow: () => workflow,
			getNode: () => ({ id: nodeId, name: 'Node' }),
		} as unknown as IExecuteFunctions;
	}

	/** How long a call takes stays as it is. */
	reset(): void {
		startNewProcess();
		this.keys = [];
		this.nodeKeys = [];
		this.overlaps = 0;
		this.calls = 0;
		Object.assign(this.pending, { node: 0, workflow: 0 });
		this.onCall = () => {};
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		{ workflow }: ICheckProcessedContextData,
		{ mode, maxEntries = Infinity }: Partial<ICheckProcessedOptions> = {},
	) {
		// In the other mode, n8n keeps only the latest key.
		if (mode !== 'entries') throw new Error(`Keys cannot be added in the mode ${mode}`);
		return await this.change(items, scope, workflow, (keys) => {
			const known = new Set(keys);
			const added = items.filter((item) => !known.has(item));
			const all = [...keys, ...added];
			this[FIELDS[scope]] = all.slice(Math.max(0, all.length - maxEntries));
			return { new: added, processed: items.filter((item) => known.has(item)) };
		});
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		{ workflow }: ICheckProcessedContextData,
	): Promise<void> {
		await this.change(items, scope, workflow, (keys) => {
			const removed = new Set(items);
			this[FIELDS[scope]] = keys.filter((key) => !removed.has(key));
		});
	}

	async clearAllProcessedItems(): Promise<void> {
		this.keys = [];
	}

	async getProcessedDataCount(scope: DeduplicationScope): Promise<number> {
		return this[FIELDS[scope]].length;
	}

	private async change<T>(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		{ id }: ICheckProcessedContextData['workflow'],
		write: (keys: DeduplicationItemTypes[]) => T,
	): Promise<T> {
		const haltIfEnded = async () => {
			// A process that has ended does nothing any more.
			if (id !== currentWorkflowId()) await new Promise(() => {});
		};
		await haltIfEnded();
		this.calls++;
		if (this.pending[scope]++ > 0) this.overlaps++;
		const read = this[FIELDS[scope]];
		try {
			await this.waitForTurn();
			await haltIfEnded();
			this.onCall(items);
			return write(read);
		} finally {
			this.pending[scope]--;
		}
	}
}

/**
 * Installs an empty store for each test.
 *
 * @returns always the same store
 */
export function useProcessedDataStore(): ProcessedDataStore {
	const store = new ProcessedDataStore();
	beforeAll(async () => await store.install());
	beforeEach(() => store.reset());
	return store;
}
