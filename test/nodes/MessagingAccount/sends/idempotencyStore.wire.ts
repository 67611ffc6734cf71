/* eslint-disable @n8n/community-nodes/no-restricted-globals -- a timer plays the part of another process */
import { IdempotencyStore } from '../../../../nodes/MessagingAccount/sends/idempotencyStore';
import { ProcessedData } from '../../../../nodes/MessagingAccount/sends/processedData';
import { ProcessedDataStore } from '../../../support/processedDataStore';

const n8nStore = new ProcessedDataStore();

const context = n8nStore.createContext('n');

beforeEach(() => {
	n8nStore.reset();
});

test('an ID that is released during another reservation is not stored again, even if another process had removed it', async () => {
	const store = new IdempotencyStore(context);
	await store.reserve('A');
	n8nStore.keys = [];
	let release: Promise<void> | undefined;
	n8nStore.onCall = () => {
		release ??= store.release('A');
	};
	await store.reserve('B');
	await release;
	await store.flush();
	expect(n8nStore.ids).toEqual(['B']);
});

test('an ID that another process removes soon after it was seen is stored again', async () => {
	const store = new IdempotencyStore(context);
	await store.reserve('A');
	await store.reserve('B');
	n8nStore.keys = ['B'];
	await store.flush();
	expect(n8nStore.ids).toEqual(['B', 'A']);
});

test('an ID that other processes keep removing is an error', async () => {
	const store = new IdempotencyStore(context);
	await store.reserve('A');
	const removal = setInterval(() => (n8nStore.keys = []), 10);
	const flush = store.flush().finally(() => clearInterval(removal));
	await expect(flush).rejects.toThrow(
		"n8n's database cannot be used: other processes keep removing them",
	);
});

test('flushes at once if nothing was reserved', async () => {
	n8nStore.error = new Error('called without need');
	await new IdempotencyStore(context).flush();
});

test('of more than 10,000 IDs, the oldest are dropped', async () => {
	n8nStore.keys = Array.from({ length: 10_000 }, (_, i) => `id-${i}`);
	const store = new IdempotencyStore(context);
	await store.reserve('new');
	expect(n8nStore.keys).toHaveLength(10_000);
	expect(n8nStore.keys).not.toContain('id-0');
	expect(n8nStore.keys).toContain('id-1');
});

test('of the keys of a long list that crashed, an ID drops no more than two', async () => {
	n8nStore.keys = Array.from({ length: 16_000 }, (_, i) => `origin:begun:${i}`);
	const store = new IdempotencyStore(context);
	await store.reserve('new');
	await store.reserve('newer');
	// One less with each call, until there are no more than 10,000 again.
	expect(n8nStore.keys).toHaveLength(15_998);
});

test('a record with too many keys shrinks to 10,000, and no further', async () => {
	n8nStore.keys = Array.from({ length: 10_003 }, (_, i) => `id-${i}`);
	for (let i = 0; i < 5; i++) await new IdempotencyStore(context).reserve(`new-${i}`);
	expect(n8nStore.keys).toHaveLength(10_000);
	expect(n8nStore.keys).toContain('id-8');
	expect(n8nStore.keys).not.toContain('id-7');
});

test('keys in use leave no more IDs on record when they are removed', async () => {
	n8nStore.keys = Array.from({ length: 10_000 }, (_, i) => `id-${i}`);
	const log = new ProcessedData(context, async () => 50_000);
	await log.add(['origin:run:1', 'origin:begun:1']);
	log.countInUse(2);
	await new IdempotencyStore(context).reserve('new');
	expect(n8nStore.keys).toHaveLength(10_002);
	await log.remove(['origin:run:1', 'origin:begun:1']);
	log.countInUse(-2);
	expect(n8nStore.keys).toHaveLength(10_000);
	expect(n8nStore.ids).toContain('new');
});

test('a run counts the keys once, which takes n8n as long as reading all of them', async () => {
	const count = jest.spyOn(n8nStore, 'getProcessedDataCount');
	const store = new IdempotencyStore(n8nStore.createContext('n'));
	await store.reserve('A');
	await store.reserve('B');
	expect(count).toHaveBeenCalledTimes(1);
	count.mockRestore();
});
