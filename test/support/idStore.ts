/* eslint-disable @n8n/community-nodes/no-restricted-imports -- the store yields to the event loop */
import { setImmediate as nextTurn } from 'node:timers/promises';

import { DataDeduplicationService } from 'n8n-core';
import type { DeduplicationItemTypes, DeduplicationScope, IDataDeduplicator } from 'n8n-workflow';

/**
 * Stands in for n8n's store of processed data, which needs n8n's database. Like the real one, it reads, yields, and writes
 * everything back. It also counts overlapping calls, which the real one only shows by losing data.
 */
export class IdStore implements IDataDeduplicator {
	ids: DeduplicationItemTypes[] = [];

	/** How many calls began during another call. */
	overlaps = 0;

	/** Thrown by the following calls, if set. */
	error?: Error;

	/** The scopes of all calls so far: a node, or a whole workflow. */
	readonly scopes = new Set<string>();

	/** Called between reading and writing. */
	onCall = () => {};

	private calls = 0;

	/** Makes n8n-core use this store. n8n-core keeps one per process, and a process may run several test files. */
	async install(): Promise<void> {
		Object.assign(DataDeduplicationService, { instance: undefined });
		await DataDeduplicationService.init(this);
	}

	reset(): void {
		this.ids = [];
		this.overlaps = 0;
		this.error = undefined;
		this.scopes.clear();
		this.onCall = () => {};
	}

	async checkProcessedAndRecord(items: DeduplicationItemTypes[], scope: DeduplicationScope) {
		this.scopes.add(scope);
		return await this.change((ids) => {
			const added = items.filter((item) => !ids.includes(item));
			this.ids = [...ids, ...added];
			return { new: added, processed: items.filter((item) => ids.includes(item)) };
		});
	}

	async removeProcessed(items: DeduplicationItemTypes[], scope: DeduplicationScope): Promise<void> {
		this.scopes.add(scope);
		await this.change((ids) => {
			this.ids = ids.filter((id) => !items.includes(id));
		});
	}

	async clearAllProcessedItems(): Promise<void> {
		this.ids = [];
	}

	async getProcessedDataCount(): Promise<number> {
		return this.ids.length;
	}

	private async change<T>(write: (ids: DeduplicationItemTypes[]) => T): Promise<T> {
		if (this.calls++ > 0) this.overlaps++;
		const read = this.ids;
		await nextTurn();
		this.onCall();
		this.calls--;
		if (this.error) throw this.error;
		return write(read);
	}
}
