import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { TriggerState } from '../../../../nodes/MessagingAccount/events/triggerState';

const EVENT = 'newMessage';

/** What n8n has stored for a workflow. Its cursors are by node ID, and undefined without durable ones. */
interface Stored {
	workflowId: string;
	global: IDataObject;
	cursors?: Record<string, IDataObject>;
}

let workflows = 0;
/** Of a workflow of its own, because a process remembers each. */
const nothing = (more: Partial<Stored> = {}): Stored => ({
	workflowId: `w${workflows++}`,
	global: {},
	...more,
});
const copy = (stored: Stored) => JSON.parse(JSON.stringify(stored)) as Stored;

interface Poll {
	id?: string;
	name?: string;
	/** Names of the other nodes of the workflow. */
	others?: string[];
	/** How the poll begins: a node has another name only after a publication. */
	begin?: 'publication' | 'scheduled' | 'next' | 'test';
}

/** n8n marks static data, so that it knows what has changed. */
const mark = (data: unknown) =>
	typeof data === 'object' && data ? Object.defineProperty(data, '__dataChanged', {}) : data;

/** Opens the state in a poll that n8n prepares with this copy of what it has stored. */
const open = (all: Stored, { id = 'n1', name = 'A', others = [], begin = 'publication' }: Poll) =>
	new TriggerState(
		{
			getNode: () => ({ id, name }),
			getWorkflow: () => ({ id: all.workflowId }),
			getWorkflowStaticData: (type: 'node' | 'global') =>
				type === 'global' ? all.global : (all.cursors?.[id] ?? mark({})),
			getChildNodes: (node: string) => (others.includes(node) ? [{}] : []),
		} as unknown as IPollFunctions,
		EVENT,
		begin,
	);

const timeOf = (second: number) => `2026-11-22T08:00:${String(second).padStart(2, '0')}.000Z`;
const store = (stored: Stored, second: number, poll: Poll = {}, isEmitted = true) =>
	open(stored, poll).store({ polledAt: timeOf(second), second } as never, isEmitted);
const read = (stored: Stored, poll: Poll = {}) =>
	(open(stored, poll).read() as IDataObject | undefined)?.second;

/** Two nodes of a workflow. */
const a = { name: 'A', others: ['B'] };
const b = { name: 'B', others: ['A'] };

test('a poll finds what the last one stored', () => {
	const stored = nothing();
	store(stored, 1);
	store(stored, 2);
	expect(read(copy(stored))).toBe(2);
	expect(read(stored, { id: 'n2' })).toBeUndefined();
	expect(read(nothing())).toBeUndefined();
});

describe('the ID of the node identifies its state', () => {
	test.each([
		['twice, and back', []],
		['twice while a node with another ID has its first name, and back', ['A']],
	])('if it is renamed %s', (_how, others) => {
		const stored = nothing();
		store(stored, 1, { name: 'A' });
		for (const other of others) store(stored, 2, { id: 'n2', name: other });
		store(stored, 3, { name: 'B', others });
		store(stored, 4, { name: 'C', others });
		expect(read(stored, { name: 'A' })).toBe(4);
	});

	test('if it swaps names with a node with another ID, and back', () => {
		const stored = nothing();
		store(stored, 1, a);
		store(stored, 2, { ...b, id: 'n2' });
		store(stored, 3, b);
		store(stored, 4, { ...a, id: 'n2' });
		expect(read(stored, a)).toBe(3);
	});

	test('unless several nodes have it: then their names count', () => {
		const stored = nothing();
		store(stored, 1, a);
		store(stored, 2, b);
		expect([read(stored, a), read(stored, b)]).toEqual([1, 2]);
		store(stored, 3, { ...a, begin: 'next' });
		expect([read(stored, a), read(stored, b)]).toEqual([3, 2]);
		store(stored, 4, { ...b, begin: 'next' });
		expect([read(stored, a), read(stored, b)]).toEqual([3, 4]);
	});
});

describe('with durable cursors', () => {
	test('the cursor is the only truth, and nothing is stored elsewhere', () => {
		const stored = nothing({ cursors: { n1: {} } });
		store(stored, 1, { begin: 'scheduled' });
		expect(stored.cursors!.n1).toMatchObject({ [EVENT]: { second: 1 } });
		expect(stored.global).toEqual({});
		expect(read(copy(stored))).toBe(1);
		expect(open(stored, {}).isOfLastPoll).toBe(true);
		expect(open(nothing(), {}).isOfLastPoll).toBe(false);
		expect(open(nothing(), { begin: 'scheduled' }).isOfLastPoll).toBe(false);
	});

	test('what a publication stores counts, although n8n drops its cursor', () => {
		const stored = nothing({ cursors: { n1: {} } });
		store(stored, 1, { begin: 'publication' });
		stored.cursors = { n1: {} };
		expect(read(stored)).toBe(1);
		store(stored, 2, { begin: 'scheduled' });
		const { cursors } = copy(stored);
		store(stored, 3, { begin: 'publication', name: 'B' });
		stored.cursors = cursors;
		expect(read(stored, { begin: 'scheduled', name: 'B' })).toBe(3);
	});

	test('a later poll counts, although a clock was set back', () => {
		const stored = nothing({ cursors: { n1: {} } });
		store(stored, 9, { begin: 'publication' });
		for (const second of [1, 2]) {
			store(stored, second, { begin: 'scheduled' });
			expect(read(copy(stored))).toBe(second);
		}
	});

	test('a copy of static data from before does not count', () => {
		const stored = nothing({ cursors: { n1: {} } });
		store(stored, 1, { begin: 'publication' });
		const { global } = copy(stored);
		store(stored, 2, { begin: 'publication' });
		store(stored, 3, { begin: 'scheduled' });
		expect(read({ ...stored, global })).toBe(3);
	});

	test('what was stored before them counts until they have a state', () => {
		const stored = nothing();
		store(stored, 1);
		const migrated = { ...stored, cursors: { n1: {} } };
		expect(read(migrated)).toBe(1);
		expect(open(migrated, {}).isOfLastPoll).toBe(false);
		store(migrated, 2);
		expect(read(migrated)).toBe(2);
	});
});

describe('if n8n has not kept the state of a poll,', () => {
	test('the stored one counts, and the loss is told once', () => {
		const stored = nothing();
		store(stored, 1);
		const before = copy(stored);
		store(stored, 2);
		expect(read(before)).toBe(1);
		expect(open(before, {}).takeLoss()).toBe(timeOf(2));
		expect(open(before, {}).takeLoss()).toBeUndefined();
	});

	test('a poll that begins meanwhile is outdated, but a test is not', () => {
		const stored = nothing();
		store(stored, 1);
		const before = copy(stored);
		store(stored, 2);
		const isOutdated = (begin: Poll['begin']) => open(before, { begin }).isOutdated();
		expect(isOutdated('test')).toBe(false);
		expect(open(before, { begin: 'test' }).takeLoss()).toBeUndefined();
		expect(isOutdated('next')).toBe(true);
		expect(open(stored, { begin: 'next' }).isOutdated()).toBe(false);
	});

	test.each([
		['if it has', 1, true, 1],
		['if another process has stored a later one', 1, true, 2],
		['if the poll emitted nothing', 2, false, 1],
	])('nothing is told %s', (_if, emitted, isEmitted, kept) => {
		const stored = nothing();
		store(stored, emitted, {}, isEmitted);
		const elsewhere = nothing();
		store(elsewhere, kept);
		expect(open({ ...elsewhere, workflowId: stored.workflowId }, {}).takeLoss()).toBeUndefined();
	});

	test('nothing is told of a clock that is set back', () => {
		const stored = nothing();
		store(stored, 9);
		store(stored, 1, { begin: 'next' }, false);
		expect(open(stored, { begin: 'next' }).takeLoss()).toBeUndefined();
		expect(open({ ...stored, global: {} }, {}).takeLoss()).toBe(timeOf(1));
	});
});

test.each([null, 7, 'x', [], [null], { a: 1 }])('entered by somebody, %j is replaced', (value) => {
	for (const entered of [
		{ [`messagingAccountTrigger n1 ${EVENT}`]: value },
		{ [`messagingAccountTrigger n2 ${EVENT}`]: value },
	]) {
		const stored = nothing({ global: entered as IDataObject });
		expect(read(stored)).toBeUndefined();
		store(stored, 1, { others: ['A', 'B'] });
		expect(read(copy(stored))).toBe(1);
	}
});

test.each(['__proto__', 'constructor', 'toString'])('a node may have the ID %s', (id) => {
	const stored = nothing();
	store(stored, 1, { id });
	expect(read(copy(stored), { id })).toBe(1);
	expect(Object.prototype).not.toHaveProperty(EVENT);
});
