/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests wait for turns of the event loop */
import { setImmediate as nextTurn } from 'node:timers/promises';

import { DataDeduplicationService } from 'n8n-core';
import type { DeduplicationItemTypes, DeduplicationScope, IDataDeduplicator } from 'n8n-workflow';

/**
 * Stands in for n8n's store of processed data, which needs its database. Like that one it reads, lets time pass, and
 * writes everything back; it tells when two calls overlap, which the real one only shows by what it loses.
 */
export class IdStore implements IDataDeduplicator {
	ids: DeduplicationItemTypes[] = [];

	/** How many calls began while another one was under way. */
	overlaps = 0;

	/** What the following calls end in. */
	failure?: Error;

	/** For what the following calls were: for a node, or for a whole workflow. */
	readonly scopes = new Set<string>();

	/** Called between reading and writing. */
	whileCalled = () => {};

	private calls = 0;

	/** Makes n8n-core use this store. It takes one for the life of the process, in which tests may run more than once. */
	async install(): Promise<void> {
		Object.assign(DataDeduplicationService, { instance: undefined });
		await DataDeduplicationService.init(this);
	}

	reset(): void {
		this.ids = [];
		this.overlaps = 0;
		this.failure = undefined;
		this.scopes.clear();
		this.whileCalled = () => {};
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
		this.whileCalled();
		this.calls--;
		if (this.failure) throw this.failure;
		return write(read);
	}
}
