/* eslint-disable @n8n/community-nodes/no-restricted-imports -- the store yields to the event loop */
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

/**
 * Stands in for n8n's record of processed data, which needs n8n's database. Like the real one, it reads, yields, and writes
 * everything back, and cuts the oldest keys. It also counts overlapping calls, which the real one only shows by losing data.
 */
export class ProcessedDataStore implements IDataDeduplicator {
	/** All keys of one node, oldest first. The real store has hashes of them. */
	keys: DeduplicationItemTypes[] = [];

	/** How many calls began during another call. */
	overlaps = 0;

	/** How many calls were made. */
	calls = 0;

	/** Thrown by the following calls that are about IDs of "Send Once per ID", if set. */
	error?: Error;

	/** Of the last call that adds keys: how many are kept at most. */
	limit?: number;

	/** The scopes of all calls so far: a node, or a whole workflow. */
	readonly scopes = new Set<string>();

	/** Called between reading and writing. If it throws, the call fails. */
	onCall: (keys: DeduplicationItemTypes[]) => void = () => {};

	private pending = 0;

	/** Makes n8n-core use this store. n8n-core keeps one per process, and a process may run several test files. */
	async install(): Promise<void> {
		Object.assign(DataDeduplicationService, { instance: undefined });
		await DataDeduplicationService.init(this);
	}

	/** The part of n8n's context for a node that has to do with processed data. */
	createContext(nodeId: string): IExecuteFunctions {
		const context = {
			helpers: {
				checkProcessedAndRecord: async (
					keys: DeduplicationItemTypes[],
					scope: DeduplicationScope,
					options: ICheckProcessedOptions,
				) => await this.checkProcessedAndRecord(keys, scope, undefined, options),
				removeProcessed: this.removeProcessed.bind(this),
				getProcessedDataCount: this.getProcessedDataCount.bind(this),
			},
			getWorkflow: () => ({ id: 'w' }),
			getNode: () => ({ id: nodeId }),
		};
		return context as unknown as IExecuteFunctions;
	}

	/** The keys that are IDs of "Send Once per ID". The others are those of the write-ahead log. */
	get ids(): DeduplicationItemTypes[] {
		return this.keys.filter(isId);
	}

	reset(): void {
		this.keys = [];
		this.overlaps = 0;
		this.calls = 0;
		this.error = undefined;
		this.limit = undefined;
		this.scopes.clear();
		this.onCall = () => {};
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		_contextData?: ICheckProcessedContextData,
		{ mode, maxEntries = Infinity }: Partial<ICheckProcessedOptions> = {},
	) {
		// In the other mode, n8n keeps only the latest key.
		if (mode !== 'entries') throw new Error(`Keys cannot be added in the mode ${mode}`);
		this.scopes.add(scope);
		this.limit = maxEntries;
		return await this.change(items, (keys) => {
			const known = new Set(keys);
			const added = items.filter((item) => !known.has(item));
			const all = [...keys, ...added];
			this.keys = all.slice(Math.max(0, all.length - maxEntries));
			return { new: added, processed: items.filter((item) => known.has(item)) };
		});
	}

	async removeProcessed(items: DeduplicationItemTypes[], scope: DeduplicationScope): Promise<void> {
		this.scopes.add(scope);
		await this.change(items, (keys) => {
			const removed = new Set(items);
			this.keys = keys.filter((key) => !removed.has(key));
		});
	}

	async clearAllProcessedItems(): Promise<void> {
		this.keys = [];
	}

	async getProcessedDataCount(): Promise<number> {
		return this.keys.length;
	}

	private async change<T>(
		items: DeduplicationItemTypes[],
		write: (keys: DeduplicationItemTypes[]) => T,
	): Promise<T> {
		this.calls++;
		if (this.pending++ > 0) this.overlaps++;
		const read = this.keys;
		try {
			await nextTurn();
			this.onCall(items);
			if (this.error && items.some(isId)) throw this.error;
			return write(read);
		} finally {
			this.pending--;
		}
	}
}

function isId(key: DeduplicationItemTypes): boolean {
	return !/:(run|begun|sent|look-up)/.test(String(key));
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
