import { ProcessedData } from '../../../../nodes/MessagingAccount/sends/processedData';
import { ProcessedDataStore } from '../../../support/processedDataStore';

const n8nStore = new ProcessedDataStore();
const create = (nodeId = 'n', limit = 1000) =>
	new ProcessedData(n8nStore.createContext(nodeId), async () => limit);

beforeEach(() => {
	n8nStore.reset();
});

test('tells which keys were not there', async () => {
	await create().add(['a', 'b']);
	expect(await create().add(['b', 'c'])).toEqual(new Set(['c']));
	expect(n8nStore.keys).toEqual(['a', 'b', 'c']);
});

describe('the first key that is not there', () => {
	test('is added, and none of the others', async () => {
		n8nStore.keys = ['a'];
		expect(await create().takeFirstFree(['a', 'b', 'c'])).toBe(1);
		expect(n8nStore.keys).toEqual(['a', 'b']);
	});

	test('is none if all are there', async () => {
		n8nStore.keys = ['a', 'b'];
		const data = create();
		expect(await data.takeFirstFree(['a', 'b'])).toBe(-1);
		expect(n8nStore.calls).toBe(1);
		await data.add(['c']);
		expect(n8nStore.keys).toStrictEqual(['a', 'b', 'c']);
	});

	test('is stored again if another process removes it', async () => {
		const data = create();
		await data.takeFirstFree(['a', 'b']);
		n8nStore.keys = [];
		await data.add([]);
		expect(n8nStore.keys).toEqual(['a']);
	});
});

describe('finding keys', () => {
	test('leaves the record as it was', async () => {
		n8nStore.keys = ['a', 'b'];
		expect(await create().find(['b', 'c'], 'marker')).toEqual(new Set(['b']));
		expect(n8nStore.keys).toEqual(['a', 'b']);
	});

	test('finds none after n8n stopped during a search, which may have added them', async () => {
		n8nStore.keys = ['a', 'marker'];
		expect(await create().find(['a'], 'marker')).toEqual(new Set());
	});
});

test('removing nothing does not call n8n', async () => {
	await create().remove([]);
	expect(n8nStore.calls).toBe(0);
});

describe('keys that were removed for good', () => {
	const REPEAT_REMOVAL_MS = 3000;

	afterEach(() => {
		jest.restoreAllMocks();
	});

	test('are removed again if another process writes them back', async () => {
		n8nStore.keys = ['a', 'b'];
		await create('removes').removeForGood(['a']);
		n8nStore.keys = ['a', 'b', 'c'];
		await create('removes').removeForGood(['b']);
		expect(n8nStore.keys).toEqual(['c']);
	});

	test('are removed each time until other processes must have finished, then once more, and not again', async () => {
		const start = Date.now();
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		const data = create('removes later');
		const removeAfter = async (ms: number) => {
			now.mockReturnValue(start + ms);
			n8nStore.keys = ['a'];
			await data.removeForGood([]);
			return n8nStore.keys;
		};
		await data.removeForGood(['a']);
		expect(await removeAfter(REPEAT_REMOVAL_MS - 1)).toEqual([]);
		expect(await removeAfter(REPEAT_REMOVAL_MS)).toEqual([]);
		expect(await removeAfter(REPEAT_REMOVAL_MS)).toEqual(['a']);
	});

	test('stay if they are added again', async () => {
		const data = create('adds again');
		await data.removeForGood(['a', 'b']);
		await data.add(['a']);
		await data.takeFirstFree(['b']);
		await data.removeForGood(['c']);
		expect(n8nStore.keys).toEqual(['a', 'b']);
	});

	test('belong to one node', async () => {
		await create('one').removeForGood(['a']);
		n8nStore.keys = ['a'];
		await create('another').removeForGood(['b']);
		expect(n8nStore.keys).toEqual(['a']);
	});

	test('are repeated up to the latest 100', async () => {
		const keys = Array.from({ length: 101 }, (_, i) => `key-${i}`);
		await create('many').removeForGood(keys);
		n8nStore.keys = keys;
		await create('many').removeForGood([]);
		expect(n8nStore.keys).toEqual(['key-0']);
	});
});

describe('of more keys than the limit', () => {
	test('the oldest are dropped', async () => {
		await create('n', 2).add(['a', 'b', 'c']);
		expect(n8nStore.keys).toEqual(['b', 'c']);
	});

	test('those in use are kept in addition, for this node only', async () => {
		const data = create('n', 2);
		data.countInUse(2);
		await create('n', 2).add(['a', 'b', 'c', 'd', 'e']);
		expect(n8nStore.keys).toEqual(['b', 'c', 'd', 'e']);
		await create('another', 2).add(['f']);
		expect(n8nStore.keys).toEqual(['e', 'f']);
		data.countInUse(-1);
		await data.add(['g', 'h']);
		expect(n8nStore.keys).toEqual(['f', 'g', 'h']);
		data.countInUse(-1);
		await data.add(['i']);
		expect(n8nStore.keys).toEqual(['h', 'i']);
	});
});

test('an error of n8n is thrown, after one call', async () => {
	n8nStore.onCall = () => {
		throw new Error('The disk is full');
	};
	await expect(create().add(['a'])).rejects.toThrow('The disk is full');
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
		expect(n8nStore.keys).toEqual(['a']);
	});

	test('costs no key of what is done already: each call is repeated by itself', async () => {
		n8nStore.keys = ['a'];
		failIn(BUSY, (call) => call === 2);
		expect(await create().takeFirstFree(['a', 'b', 'c'])).toBe(1);
		expect(n8nStore.keys).toEqual(['a', 'b']);
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
		const data = new ProcessedData(context, async () => 1000);
		await expect(data.add(['a'])).rejects.toThrow(BUSY);
		expect(n8nStore.calls).toBe(1);
	});
});
