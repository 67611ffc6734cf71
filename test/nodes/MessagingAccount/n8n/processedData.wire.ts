import type { IExecuteFunctions } from 'n8n-workflow';

import { ProcessedData } from '../../../../nodes/MessagingAccount/n8n/processedData';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import { useSimulation } from '../../../support/simulation';

const n8nStore = useProcessedDataStore();
const simulation = useSimulation();
const warn = jest.fn();

type Limits = ConstructorParameters<typeof ProcessedData>[1];

function open(context: IExecuteFunctions, limits: Limits = { node: 1000 }, room = 0) {
	Object.assign(context, { logger: { warn } });
	return new ProcessedData(context, limits, 'Check it.', 'Some may be missing.', room);
}

const create = (limit = 1000, room = 0) => open(n8nStore.createContext('n'), { node: limit }, room);

const untilThereAre = async (count: number) =>
	await simulation.until(() => n8nStore.nodeKeys.length === count);

/** So many ms pass, and nothing happens by itself. */
const pass = (ms: number) => jest.setSystemTime(Date.now() + ms);

const failWith = (message: string) => () => {
	throw new Error(message);
};

const createKeys = (count: number, name = 'key') =>
	Array.from({ length: count }, (_, i) => `${name}-${i}`);

beforeEach(() => warn.mockReset());

test('calls never overlap, not even those of two executions', async () => {
	const [one, other] = [create(), create()];
	const calls = [one.add(['a']), other.find(['b']), other.remove(['c']), other.add(['d'])];
	await Promise.all([...calls, one.find(['e'])]);
	expect(n8nStore.overlaps).toBe(0);
});

test('if the record of the workflow has values of another kind, that of the node is used, and keeps its keys', async () => {
	const context = n8nStore.createContext('n');
	const { checkProcessedAndRecord } = context.helpers;
	context.helpers.checkProcessedAndRecord = async (keys, scope, options) => {
		if (scope === 'workflow') throw new Error('saved with an incompatible setting of …');
		return await checkProcessedAndRecord(keys, scope, options);
	};
	n8nStore.nodeKeys = ['an ID', 'another one'];
	const data = open(context, { workflow: 1, node: 3 });
	expect(await data.add(['a'])).toEqual(new Set(['a']));
	expect([n8nStore.nodeKeys, n8nStore.keys]).toEqual([['an ID', 'another one', 'a'], []]);
});

test('one without a record leaves alone what others still have to do', async () => {
	const [one, other] = [create(), create()];
	other.isUnavailable = true;
	one.addSoon(['a']);
	expect(await other.add(['b'])).toEqual(new Set(['b']));
	other.removeSoon(['a']);
	await untilThereAre(1);
	expect(n8nStore.nodeKeys).toEqual(['a']);
});

test('removing nothing does not call n8n', async () => {
	await create().remove([]);
	expect(n8nStore.calls).toBe(0);
});

describe('keys that are removed soon', () => {
	const removeFrom = async (data: ProcessedData, keys: string[]) => {
		data.removeSoon(keys);
		await data.row.catchUp(data);
	};

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

	test('stay if they are added meanwhile, or later', async () => {
		n8nStore.nodeKeys = ['a'];
		const data = create();
		data.removeSoon(['a']);
		await Promise.all([data.add(['a']), data.row.catchUp(data)]);
		expect(n8nStore.nodeKeys).toEqual(['a']);
		await removeFrom(data, ['a', 'b']);
		await data.add(['a']);
		await removeFrom(data, ['c']);
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('are removed once more when other processes must have finished, and not again', async () => {
		const data = create();
		data.removeSoon(['a']);
		const left: unknown[] = [];
		for (const ms of [0, 2999, 1, 0]) {
			pass(ms);
			n8nStore.nodeKeys = ['a'];
			await data.row.catchUp(data);
			left.push(n8nStore.nodeKeys);
		}
		expect(left).toEqual([[], ['a'], [], ['a']]);
	});

	test('belong to one node', async () => {
		await removeFrom(create(), ['a']);
		n8nStore.nodeKeys = ['a'];
		await removeFrom(open(n8nStore.createContext('another')), ['b']);
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('are repeated up to the latest 100', async () => {
		const keys = createKeys(101);
		const data = create();
		await removeFrom(data, keys);
		n8nStore.nodeKeys = keys;
		await removeFrom(data, ['more']);
		expect(n8nStore.nodeKeys).toEqual(['key-0']);
	});

	test('are removed in several calls if they are many, each with the latest 100 once more', async () => {
		const lengths: number[] = [];
		n8nStore.onCall = (keys) => lengths.push(keys.length);
		await removeFrom(create(), createKeys(1001));
		expect(lengths).toEqual([500, 600, 101]);
	});
});

describe('what nobody waits for', () => {
	let data: ProcessedData;
	beforeEach(() => {
		n8nStore.nodeKeys = ['a'];
		data = create();
		data.removeSoon(['a']);
		data.addSoon(['b']);
		n8nStore.onCall = failWith('It is locked');
	});

	test('is done later if it fails', async () => {
		await data.row.catchUp(data);
		n8nStore.onCall = () => {};
		await data.row.catchUp(data);
		expect(n8nStore.nodeKeys).toEqual(['b']);
		expect(warn).not.toHaveBeenCalled();
	});

	test('is given up, with a warning, if it fails for 30 s', async () => {
		for (const ms of [0, 29_999, 1]) {
			expect(warn).not.toHaveBeenCalled();
			pass(ms);
			await data.row.catchUp(data);
		}
		const warning = "Node: n8n's database cannot be used: It is locked. Some may be missing.";
		expect(warn.mock.calls).toEqual([[warning, { workflowId: expect.any(String) as string }]]);
		n8nStore.calls = 0;
		await data.row.catchUp(data);
		expect(n8nStore.calls).toBe(0);
	});

	test('is given up without a warning if the workflow is deleted, and keeps no context', async () => {
		n8nStore.onCall = () => {};
		const ofWorkflow = open(n8nStore.createContext('n'), { workflow: 1000 });
		await ofWorkflow.add(['a']);
		ofWorkflow.addSoon(['b']);
		n8nStore.onCall = failWith('SQLITE_CONSTRAINT: FOREIGN KEY constraint failed');
		await simulation.until(() => ofWorkflow.row.latestCalls === undefined);
		expect(ofWorkflow.row.work.map(({ size }) => size)).toEqual([0, 0, 0, 0]);
		expect(warn).not.toHaveBeenCalled();
	});

	test('keeps the contexts of executions no longer than it takes', async () => {
		n8nStore.onCall = () => {};
		expect(data.row.latestCalls).toBe(data);
		await simulation.until(() => data.row.latestCalls === undefined);
		expect(n8nStore.nodeKeys).toEqual(['b']);
	});
});

describe('keys that are added soon', () => {
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
		await data.row.catchUp(data);
		expect(n8nStore.nodeKeys).toEqual(['b', 'a']);
	});

	test('are not added if they are removed before', async () => {
		const data = create();
		data.addSoon(['a', 'b']);
		data.removeSoon(['a']);
		await data.row.catchUp(data);
		expect(n8nStore.nodeKeys).toEqual(['b']);
	});
});

test.each([
	[999, false],
	[1000, true],
])('with %d keys of 1,000, the record is full: %j', async (count, isFull) => {
	n8nStore.nodeKeys = createKeys(count);
	expect(await create().isFull()).toBe(isFull);
});

test('of more keys than the limit, the oldest are dropped, unless an execution has needed more room', async () => {
	await create(2, 1).add(['a', 'b', 'c']);
	expect(n8nStore.nodeKeys).toEqual(['a', 'b', 'c']);
	await create(2).add(['d']);
	expect(n8nStore.nodeKeys).toEqual(['b', 'c', 'd']);
});

test('a key that is watched counts as not there if another process has removed or overwritten it', async () => {
	await create().add(['owner', 'a'], ['owner']);
	expect(await create().add(['owner', 'b'], ['owner'])).toEqual(new Set(['b']));
	n8nStore.nodeKeys = ['a', 'b'];
	expect(await create().add(['owner', 'a'], ['owner'])).toEqual(new Set(['owner']));
});

describe('settling', () => {
	test('a key that is removed during another call is not stored again, even if another process had removed it', async () => {
		const data = create();
		await data.add(['A']);
		n8nStore.nodeKeys = [];
		let removal: Promise<void> | undefined;
		n8nStore.onCall = () => (removal ??= data.remove(['A']));
		await data.add(['B']);
		await removal;
		await data.add(['C']);
		expect(n8nStore.nodeKeys).toEqual(['B', 'C']);
	});

	test('keys that are older than 0.3 s are repeated once a second', async () => {
		const data = create();
		await data.add(['C']);
		n8nStore.nodeKeys = [];
		pass(999);
		await data.add(['D']);
		expect(n8nStore.nodeKeys).toEqual(['D']);
		pass(1);
		await data.add(['E']);
		expect(n8nStore.nodeKeys).toEqual(['D', 'E', 'C']);
	});

	test.each([
		[2999, true],
		[3000, false],
	])('a key that is lost %d ms later is stored again: %j', async (later, isStored) => {
		const data = create();
		await data.add(['C']);
		pass(later);
		await data.flush();
		n8nStore.nodeKeys = [];
		await data.flush();
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

	test('stores a key again as often as another process overwrites it', async () => {
		await create().add(['a']);
		pass(3000);
		for (let i = 0; i < 2; i++) {
			n8nStore.nodeKeys = [];
			await untilThereAre(1);
		}
		expect(n8nStore.nodeKeys).toEqual(['a']);
	});

	test('takes a call of its own after a second, and no other', async () => {
		const data = create();
		await data.add(['A']);
		const calls: number[] = [];
		for (const ms of [999, 1, 0]) {
			pass(ms);
			await data.row.catchUp(data);
			calls.push(n8nStore.calls);
		}
		expect(calls).toEqual([1, 2, 2]);
	});
});

test('an error of n8n is thrown, after one call', async () => {
	n8nStore.onCall = failWith('The disk is full');
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
			if (isFailing(++calls)) failWith(message)();
		};
	};

	test.each([
		BUSY,
		'canceling statement due to lock timeout',
		'deadlock detected',
		'could not serialize access due to concurrent update',
		// Another process creates the row of the node at the same time.
		'UNIQUE constraint failed: processed_data.context',
		'duplicate key value violates unique constraint "PK_ca04b9"',
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
		failIn(BUSY, (call) => {
			jest.setSystemTime(start + (call === 1 ? 29_999 : 30_000));
			return true;
		});
		await expect(simulation.runUntil(create().add(['a']))).rejects.toThrow('it is locked');
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
		await expect(open(context).add(['a'])).rejects.toThrow('it is locked');
		expect(n8nStore.calls).toBe(1);
	});
});
