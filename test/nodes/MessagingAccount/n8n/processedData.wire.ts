import type { IExecuteFunctions } from 'n8n-workflow';

import { ProcessedData } from '../../../../nodes/MessagingAccount/n8n/processedData';
import type { ProcessedDataRow } from '../../../../nodes/MessagingAccount/n8n/processedDataRow';
import { ProcessedDataStore } from '../../../support/processedDataStore';
import { useSimulation } from '../../../support/simulation';

const n8nStore = new ProcessedDataStore();
const simulation = useSimulation();
const warn = jest.fn();

function open(context: IExecuteFunctions, limit = 1000, room = 0): ProcessedData {
	Object.assign(context, { logger: { warn } });
	return new ProcessedData(context, 'node', limit, room, 'Check it.', 'Some may be missing.');
}

/** What the process remembers of the record. */
const rowOf = (data: ProcessedData) => (data as unknown as { row: ProcessedDataRow }).row;

const create = (limit?: number, room?: number) => open(n8nStore.createContext('n'), limit, room);

const untilThereAre = async (count: number) =>
	await simulation.until(() => n8nStore.nodeKeys.length === count);

beforeEach(() => {
	n8nStore.reset();
	warn.mockReset();
});

afterEach(() => {
	jest.restoreAllMocks();
});

test('tells which keys were not there', async () => {
	await create().add(['a', 'b']);
	expect(await create().add(['b', 'c'])).toEqual(new Set(['c']));
	expect(n8nStore.nodeKeys).toEqual(['a', 'b', 'c']);
});

test('finding keys leaves the record as it was', async () => {
	n8nStore.nodeKeys = ['a', 'b'];
	expect(await create().find(['b', 'c'])).toEqual(new Set(['b']));
	expect(n8nStore.nodeKeys).toEqual(['a', 'b']);
});

test('removing nothing does not call n8n', async () => {
	await create().remove([]);
	expect(n8nStore.calls).toBe(0);
});

describe('keys that are removed soon', () => {
	const MAX_SETTLE_MS = 3000;

	test('count as removed at once, and are removed in one call', async () => {
		n8nStore.nodeKeys = ['a', 'b', 'c', 'd'];
		const data = create();
		data.removeSoon(['a']);
		create().removeSoon(['b', 'c']);
		expect(await create().find(['a', 'd'])).toEqual(new Set(['d']));
		n8nStore.calls = 0;
		await untilThereAre(1);
		expect(n8nStore.nodeKeys).toEqual(['d']);
		expect(n8nStore.calls).toBe(1);
	});

	test('are new if they are added before, and stay', async () => {
		n8nStore.nodeKeys = ['a', 'b'];
		create().removeSoon(['a', 'b']);
		expect(await create().add(['a'])).toEqual(new Set(['a']));
		await untilThereAre(1);
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('stay if they are added while the removal waits for its turn', async () => {
		n8nStore.nodeKeys = ['a'];
		const data = create();
		data.removeSoon(['a']);
		await Promise.all([data.add(['a']), data.catchUp()]);
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('are removed again if another process writes them back', async () => {
		n8nStore.nodeKeys = ['a', 'b'];
		const data = create();
		data.removeSoon(['a']);
		await data.catchUp();
		n8nStore.nodeKeys = ['a', 'b', 'c'];
		data.removeSoon(['b']);
		await data.catchUp();
		expect(n8nStore.nodeKeys).toEqual(['c']);
	});

	test('are removed once more when other processes must have finished, and not again', async () => {
		const start = Date.now();
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		const data = create();
		const catchUpAfter = async (ms: number) => {
			now.mockReturnValue(start + ms);
			n8nStore.nodeKeys = ['a'];
			await data.catchUp();
			return n8nStore.nodeKeys;
		};
		data.removeSoon(['a']);
		expect(await catchUpAfter(0)).toEqual([]);
		expect(await catchUpAfter(MAX_SETTLE_MS - 1)).toEqual(['a']);
		expect(await catchUpAfter(MAX_SETTLE_MS)).toEqual([]);
		expect(await catchUpAfter(MAX_SETTLE_MS)).toEqual(['a']);
	});

	test('stay if they are added again', async () => {
		const data = create();
		data.removeSoon(['a', 'b']);
		await data.catchUp();
		await data.add(['a']);
		data.removeSoon(['c']);
		await data.catchUp();
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('belong to one node', async () => {
		const data = create();
		data.removeSoon(['a']);
		await data.catchUp();
		n8nStore.nodeKeys = ['a'];
		const another = open(n8nStore.createContext('another'));
		another.removeSoon(['b']);
		await another.catchUp();
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('are repeated up to the latest 100', async () => {
		const keys = Array.from({ length: 101 }, (_, i) => `key-${i}`);
		const data = create();
		data.removeSoon(keys);
		await data.catchUp();
		n8nStore.nodeKeys = keys;
		data.removeSoon(['more']);
		await data.catchUp();
		expect(n8nStore.nodeKeys).toEqual(['key-0']);
	});
});

describe('what nobody waits for', () => {
	const locked = () => {
		throw new Error('It is locked');
	};

	test('is done later if it fails', async () => {
		const data = create();
		n8nStore.nodeKeys = ['a'];
		data.removeSoon(['a']);
		data.addSoon(['b']);
		n8nStore.onCall = locked;
		await data.catchUp();
		n8nStore.onCall = () => {};
		await data.catchUp();
		expect(n8nStore.nodeKeys).toEqual(['b']);
		expect(warn).not.toHaveBeenCalled();
	});

	test('is given up, with a warning, if it fails for 30 s', async () => {
		const start = Date.now();
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		const data = create();
		n8nStore.nodeKeys = ['a'];
		data.removeSoon(['a']);
		data.addSoon(['b']);
		n8nStore.onCall = locked;
		for (const ms of [0, 29_999]) {
			now.mockReturnValue(start + ms);
			await data.catchUp();
		}
		now.mockReturnValue(start + 30_000);
		await data.catchUp();
		expect(warn.mock.calls).toEqual([
			["n8n's database cannot be used: It is locked. Some may be missing."],
		]);
		n8nStore.calls = 0;
		await data.catchUp();
		expect(n8nStore.calls).toBe(0);
	});

	test('keeps the contexts of executions no longer than it takes', async () => {
		const data = create();
		data.addSoon(['a']);
		await untilThereAre(1);
		expect(rowOf(data).user).toBe(data);
		await simulation.until(() => rowOf(data).user === undefined);
	});
});

describe('keys that are added soon', () => {
	test('are added by themselves', async () => {
		create().addSoon(['a']);
		await untilThereAre(1);
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('are added with the next call, for whatever execution it is', async () => {
		await create().add(['earlier']);
		create().addSoon(['a']);
		expect(await create().add(['b'])).toEqual(new Set(['b']));
		expect(n8nStore.nodeKeys).toEqual(['earlier', 'b', 'a']);
	});

	test('are added also if a call is under way', async () => {
		const data = create();
		n8nStore.onCall = () => {
			n8nStore.onCall = () => {};
			data.addSoon(['a']);
		};
		await data.add(['b']);
		await data.catchUp();
		expect(n8nStore.nodeKeys).toEqual(['b', 'a']);
	});

	test('are not added if they are removed before', async () => {
		const data = create();
		data.addSoon(['a', 'b']);
		data.removeSoon(['a']);
		await data.catchUp();
		expect(n8nStore.nodeKeys).toEqual(['b']);
	});
});

describe('the question whether the record is full', () => {
	test.each([
		[999, false],
		[1000, true],
	])('with %d keys of 1,000: %j', async (count, isFull) => {
		n8nStore.nodeKeys = Array.from({ length: count }, (_, i) => `key-${i}`);
		expect(await create().isFull()).toBe(isFull);
	});

	test('is asked again when 300 keys were added', async () => {
		const data = create();
		expect(await data.isFull()).toBe(false);
		n8nStore.nodeKeys = Array.from({ length: 700 }, (_, i) => `key-${i}`);
		const add = async (from: number, to: number) =>
			await data.add(Array.from({ length: to - from }, (_, i) => `new-${from + i}`));
		await add(0, 299);
		n8nStore.nodeKeys.push('one more');
		expect(await data.isFull()).toBe(false);
		await add(299, 300);
		expect(await data.isFull()).toBe(true);
		expect(await create().isFull()).toBe(true);
	});
});

test('of more keys than the limit, the oldest are dropped, unless an execution has needed more room', async () => {
	await create(2, 1).add(['a', 'b', 'c']);
	expect(n8nStore.nodeKeys).toEqual(['a', 'b', 'c']);
	await create(2).add(['d']);
	expect(n8nStore.nodeKeys).toEqual(['b', 'c', 'd']);
});

test('a key that is watched counts as not there if another process has removed it', async () => {
	await create().add(['owner', 'a'], 'owner');
	expect(await create().add(['owner', 'b'], 'owner')).toEqual(new Set(['b']));
	n8nStore.nodeKeys = ['a', 'b'];
	expect(await create().add(['owner', 'a'], 'owner')).toEqual(new Set(['owner']));
});

describe('settling', () => {
	test('a key that is removed during another call is not stored again, even if another process had removed it', async () => {
		const data = create();
		await data.add(['A']);
		n8nStore.nodeKeys = [];
		let removal: Promise<void> | undefined;
		n8nStore.onCall = () => {
			removal ??= data.remove(['A']);
		};
		await data.add(['B']);
		await removal;
		await data.add(['C']);
		expect(n8nStore.nodeKeys).toEqual(['B', 'C']);
	});

	test('stores a key again that another process removes soon after it was seen, without another call', async () => {
		const data = create();
		await data.add(['A']);
		await data.add(['B']);
		n8nStore.nodeKeys = ['B'];
		await untilThereAre(2);
		expect(n8nStore.nodeKeys).toEqual(['B', 'A']);
	});

	test('keys that are older than 0.3 s are repeated once a second', async () => {
		let now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		const data = create();
		await data.add(['C']);
		n8nStore.nodeKeys = [];
		now += 999;
		await data.add(['D']);
		expect(n8nStore.nodeKeys).toEqual(['D']);
		now += 1;
		await data.add(['E']);
		expect(n8nStore.nodeKeys).toEqual(['D', 'E', 'C']);
	});

	test.each([
		[2999, true],
		[3000, false],
	])('a key that is lost %d ms later is stored again: %j', async (later, isStored) => {
		let now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		const data = create();
		await data.add(['C']);
		now += later;
		await data.add([]);
		n8nStore.nodeKeys = [];
		await data.add([]);
		expect(n8nStore.nodeKeys.includes('C')).toBe(isStored);
	});

	test('until then, a key that another process has overwritten counts as there', async () => {
		await create().add(['A']);
		n8nStore.nodeKeys = [];
		expect(await create().add(['A', 'B'])).toEqual(new Set(['B']));
		n8nStore.nodeKeys = [];
		expect(await create().find(['A', 'C'])).toEqual(new Set(['A']));
		expect(n8nStore.nodeKeys).toEqual(['A']);
	});

	test('takes no call of its own as long as others come', async () => {
		const start = Date.now();
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		const data = create();
		await data.add(['A']);
		n8nStore.calls = 0;
		now.mockReturnValue(start + 999);
		await data.catchUp();
		expect(n8nStore.calls).toBe(0);
		now.mockReturnValue(start + 1000);
		await data.catchUp();
		expect(n8nStore.calls).toBe(1);
		await data.catchUp();
		expect(n8nStore.calls).toBe(1);
	});

	test('takes one call for the keys of all executions', async () => {
		await create().add(['A']);
		await create().add(['B']);
		n8nStore.nodeKeys = [];
		n8nStore.calls = 0;
		await untilThereAre(2);
		expect(n8nStore.calls).toBe(1);
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
		expect(await simulation.runUntil(create().add(['a']))).toEqual(new Set(['a']));
		expect(n8nStore.calls).toBe(3);
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('costs no key of what is done already: each call is repeated by itself', async () => {
		n8nStore.nodeKeys = ['a'];
		failIn(BUSY, (call) => call === 2);
		expect(await simulation.runUntil(create().find(['a', 'b']))).toEqual(new Set(['a']));
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('is waited for no longer than 30 s', async () => {
		const start = Date.now();
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		failIn(BUSY, (call) => {
			now.mockReturnValue(start + (call === 1 ? 29_999 : 30_000));
			return true;
		});
		await expect(simulation.runUntil(create().add(['a']))).rejects.toThrow(BUSY);
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
		await expect(open(context).add(['a'])).rejects.toThrow(BUSY);
		expect(n8nStore.calls).toBe(1);
	});
});
