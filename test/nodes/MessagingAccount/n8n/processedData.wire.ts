/* eslint-disable @n8n/community-nodes/no-restricted-globals -- a timer plays the part of another process */
import { ProcessedData } from '../../../../nodes/MessagingAccount/n8n/processedData';
import { ProcessedDataStore } from '../../../support/processedDataStore';

const n8nStore = new ProcessedDataStore();
const create = (nodeId = 'n', limit = 1000) =>
	new ProcessedData(n8nStore.createContext(nodeId), 'node', () => limit, 'Check it.');

beforeEach(() => {
	n8nStore.reset();
});

test('tells which keys were not there', async () => {
	await create().add(['a', 'b']);
	expect(await create().add(['b', 'c'])).toEqual(new Set(['c']));
	expect(n8nStore.ids).toEqual(['a', 'b', 'c']);
});

test('finding keys leaves the record as it was', async () => {
	n8nStore.ids = ['a', 'b'];
	expect(await create().find(['b', 'c'])).toEqual(new Set(['b']));
	expect(n8nStore.ids).toEqual(['a', 'b']);
});

test('removing nothing does not call n8n', async () => {
	await create().remove([]);
	expect(n8nStore.calls).toBe(0);
});

describe('keys that were removed for good', () => {
	const MAX_SETTLE_MS = 3000;

	afterEach(() => {
		jest.restoreAllMocks();
	});

	test('are removed again if another process writes them back', async () => {
		n8nStore.ids = ['a', 'b'];
		await create('removes').removeForGood(['a']);
		n8nStore.ids = ['a', 'b', 'c'];
		await create('removes').removeForGood(['b']);
		expect(n8nStore.ids).toEqual(['c']);
	});

	test('are removed each time until other processes must have finished, then once more, and not again', async () => {
		const start = Date.now();
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		const data = create('removes later');
		const removeAfter = async (ms: number) => {
			now.mockReturnValue(start + ms);
			n8nStore.ids = ['a'];
			await data.removeForGood([]);
			return n8nStore.ids;
		};
		await data.removeForGood(['a']);
		expect(await removeAfter(MAX_SETTLE_MS - 1)).toEqual([]);
		expect(await removeAfter(MAX_SETTLE_MS)).toEqual([]);
		expect(await removeAfter(MAX_SETTLE_MS)).toEqual(['a']);
	});

	test('stay if they are added again', async () => {
		const data = create('adds again');
		await data.removeForGood(['a', 'b']);
		await data.add(['a']);
		await data.removeForGood(['c']);
		expect(n8nStore.ids).toEqual(['a']);
	});

	test('belong to one node', async () => {
		await create('one').removeForGood(['a']);
		n8nStore.ids = ['a'];
		await create('another').removeForGood(['b']);
		expect(n8nStore.ids).toEqual(['a']);
	});

	test('are repeated up to the latest 100', async () => {
		const keys = Array.from({ length: 101 }, (_, i) => `key-${i}`);
		await create('many').removeForGood(keys);
		n8nStore.ids = keys;
		await create('many').removeForGood([]);
		expect(n8nStore.ids).toEqual(['key-0']);
	});
});

test('of more keys than the limit, the oldest are dropped', async () => {
	await create('n', 2).add(['a', 'b', 'c']);
	expect(n8nStore.ids).toEqual(['b', 'c']);
});

describe('settling', () => {
	test('a key that is removed during another call is not stored again, even if another process had removed it', async () => {
		const data = create();
		await data.add(['A']);
		n8nStore.ids = [];
		let removal: Promise<void> | undefined;
		n8nStore.onCall = () => {
			removal ??= data.remove(['A']);
		};
		await data.add(['B']);
		await removal;
		await data.settle();
		expect(n8nStore.ids).toEqual(['B']);
	});

	test('stores a key again that another process removes soon after it was seen', async () => {
		const data = create();
		await data.add(['A']);
		await data.add(['B']);
		n8nStore.ids = ['B'];
		await data.settle();
		expect(n8nStore.ids).toEqual(['B', 'A']);
	});

	test.each([
		[0, 299, true],
		[0, 300, false],
		[100, 999, true],
		[100, 1000, false],
		[400, 2999, true],
		[400, 3000, false],
	])(
		'if a call took %d ms, a key that is lost %d ms later is stored again: %j',
		async (took, later, isStored) => {
			let now = Date.now();
			jest.spyOn(Date, 'now').mockImplementation(() => now);
			const data = create();
			n8nStore.onCall = () => {
				now += took;
			};
			await data.add(['A']);
			n8nStore.onCall = () => {};
			now += later;
			await data.add(['B']);
			n8nStore.ids = ['B'];
			await data.add(['C']);
			jest.restoreAllMocks();
			expect(n8nStore.ids.includes('A')).toBe(isStored);
		},
	);

	test('fails if other processes keep removing a key', async () => {
		const data = create();
		await data.add(['A']);
		const removal = setInterval(() => (n8nStore.ids = []), 10);
		const settled = data.settle().finally(() => clearInterval(removal));
		await expect(settled).rejects.toThrow(
			"n8n's database cannot be used: other processes keep removing them",
		);
	});

	test('takes no time if nothing was added', async () => {
		n8nStore.error = new Error('called without need');
		await create().settle();
	});
});

test('an error of n8n is thrown, after one call', async () => {
	n8nStore.onCall = () => {
		throw new Error('The disk is full');
	};
	await expect(create().add(['a'])).rejects.toMatchObject({
		message: "n8n's database cannot be used: The disk is full",
		description: 'Check it.',
	});
	expect(n8nStore.calls).toBe(1);
});

describe('a busy database', () => {
	const BUSY = 'SQLITE_BUSY: database is locked';

	afterEach(() => {
		jest.restoreAllMocks();
	});

	/** Lets calls of n8n fail, by their number. */
	const failIn = (message: string, isFailing: (call: number) => boolean) => {
		let calls = 0;
		n8nStore.onCall = () => {
			if (isFailing(++calls)) throw new Error(message);
		};
	};

	test.each([
		BUSY,
		'canceling statement due to lock timeout',
		'deadlock detected',
		'could not serialize access due to concurrent update',
		// Another process creates the row of the node at the same time.
		'UNIQUE constraint failed: processed_data.context',
	])('is waited for: %s', async (message) => {
		failIn(message, (call) => call <= 2);
		expect(await create().add(['a'])).toEqual(new Set(['a']));
		expect(n8nStore.calls).toBe(3);
		expect(n8nStore.ids).toEqual(['a']);
	});

	test('costs no key of what is done already: each call is repeated by itself', async () => {
		n8nStore.ids = ['a'];
		failIn(BUSY, (call) => call === 2);
		expect(await create().find(['a', 'b'])).toEqual(new Set(['a']));
		expect(n8nStore.ids).toEqual(['a']);
	});

	test('is waited for no longer than 30 s', async () => {
		const start = Date.now();
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		failIn(BUSY, (call) => {
			now.mockReturnValue(start + (call === 1 ? 29_999 : 30_000));
			return true;
		});
		await expect(create().add(['a'])).rejects.toThrow(BUSY);
		expect(n8nStore.calls).toBe(2);
	});

	test('is not waited for in an execution that was stopped', async () => {
		const stop = new AbortController();
		const context = n8nStore.createContext('n');
		Object.assign(context, { getExecutionCancelSignal: () => stop.signal });
		n8nStore.onCall = () => {
			stop.abort();
			throw new Error(BUSY);
		};
		const data = new ProcessedData(context, 'node', () => 1000, 'Check it.');
		await expect(data.add(['a'])).rejects.toThrow(BUSY);
		expect(n8nStore.calls).toBe(1);
	});
});
