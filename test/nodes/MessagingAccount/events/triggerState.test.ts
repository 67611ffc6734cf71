import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import {
	openTriggerState,
	storedHere,
} from '../../../../nodes/MessagingAccount/events/triggerState';
import { begun } from '../../../../nodes/MessagingAccount/n8n/publication';

const EVENT = 'newMessage';

/** What n8n has stored for a workflow with one trigger. */
interface Stored {
	node: IDataObject;
	global: IDataObject;
}

const nothing = (): Stored => ({ node: {}, global: {} });
const copy = <T extends Stored | IDataObject>(stored: T) => JSON.parse(JSON.stringify(stored)) as T;

interface Poll {
	id?: string;
	name?: string;
	workflowId?: string;
	/** Names of the other triggers of the workflow. */
	others?: string[];
}

/** The context of a poll that n8n prepares with this copy of the static data. */
const contextOf = (
	stored: Stored,
	{ id = 'n1', name = 'A', workflowId = 'w1', others = [] }: Poll,
) =>
	({
		getNode: () => ({ id, name }),
		getWorkflow: () => ({ id: workflowId }),
		getWorkflowStaticData: (type: 'node' | 'global') => stored[type],
		getChildNodes: (node: string) => (others.includes(node) ? [{}] : []),
	}) as unknown as IPollFunctions;

const store = (stored: Stored, second: number, poll: Poll = {}, held?: unknown) =>
	openTriggerState(contextOf(stored, poll), EVENT).store({
		polledAt: `2026-11-22T08:00:${String(second).padStart(2, '0')}.000Z`,
		second,
		held,
	});
const readAll = (stored: Stored, poll: Poll = {}) =>
	openTriggerState(contextOf(stored, poll), EVENT).read() as IDataObject | undefined;
const read = (stored: Stored, poll: Poll = {}) => readAll(stored, poll)?.second;

beforeEach(() => storedHere.clear());

test('a poll finds what the last one stored, by the name or the ID of the node', () => {
	const stored = nothing();
	store(stored, 1);
	expect(read({ ...nothing(), node: stored.node })).toBe(1);
	expect(read({ ...nothing(), global: stored.global })).toBe(1);
	expect(read({ ...nothing(), node: stored.node }, { id: 'n2' })).toBeUndefined();
	expect(read({ ...nothing(), global: stored.global }, { id: 'n2' })).toBeUndefined();
});

test('of both, the later one counts', () => {
	const [earlier, later] = [nothing(), nothing()];
	store(earlier, 1);
	store(later, 2);
	expect(read({ node: earlier.node, global: later.global })).toBe(2);
	expect(read({ node: later.node, global: earlier.global })).toBe(2);
});

test('a renamed node finds its state, and finds it again with its old name', () => {
	const stored = nothing();
	store(stored, 1, { name: 'A' });
	const { global } = stored;
	expect(read({ node: {}, global }, { name: 'B' })).toBe(1);
	store({ node: {}, global }, 2, { name: 'B' });
	expect(read(stored, { name: 'A' })).toBe(2);
});

test('of two nodes with one ID, each finds its own state', () => {
	const [a, b] = [nothing(), nothing()];
	b.global = a.global;
	store(a, 1, { name: 'A', others: ['B'] });
	store(b, 2, { name: 'B', others: ['A'] });
	expect(read(a, { name: 'A', others: ['B'] })).toBe(1);
	expect(read(b, { name: 'B', others: ['A'] })).toBe(2);
});

describe('although n8n has lost it,', () => {
	test('a poll knows what the last one stored', () => {
		const stored = nothing();
		store(stored, 1);
		const before = copy(stored);
		store(stored, 2);
		expect(read(before)).toBe(2);
		expect(read(nothing(), { id: 'n2' })).toBeUndefined();
		expect(read(nothing(), { name: 'B' })).toBeUndefined();
		expect(read(nothing(), { workflowId: 'w2' })).toBeUndefined();
	});

	test('what another process has stored later counts', () => {
		const elsewhere = nothing();
		store(elsewhere, 2);
		store(nothing(), 1);
		expect(read(elsewhere)).toBe(2);
	});

	test('this is forgotten once the trigger is published anew: n8n may have dropped the result of a poll', () => {
		store(nothing(), 1);
		const context = contextOf(nothing(), {});
		begun.set(context, context);
		expect(openTriggerState(context, EVENT).read()).toBeUndefined();
	});
});

test.each([null, 7, 'x', []])(
	'what somebody has entered instead, e.g. %p, is replaced',
	(value) => {
		const stored = { node: value, global: value } as unknown as Stored;
		expect(read(stored)).toBeUndefined();
		store(stored, 1);
		expect(read(stored)).toBe(1);

		storedHere.clear();
		const { global } = { global: { messagingAccountTrigger: value } };
		expect(read({ ...nothing(), global })).toBeUndefined();
		store({ ...nothing(), global }, 1);
		storedHere.clear();
		expect(read({ ...nothing(), global: copy(global) })).toBe(1);
	},
);

test('what is held is stored once, and comes back', () => {
	const stored = nothing();
	store(stored, 1, {}, ['held']);
	expect(JSON.stringify(stored).match(/held"/g)).toHaveLength(2);
	expect(readAll(stored)?.held).toEqual(['held']);
	expect(readAll({ ...nothing(), global: stored.global })?.held).toEqual(['held']);
});

test.each(['__proto__', 'constructor', 'toString'])('a node may have the ID %s', (id) => {
	const stored = nothing();
	store(stored, 1, { id });
	expect(read(copy(stored), { id })).toBe(1);
	expect(Object.prototype).not.toHaveProperty(EVENT);
});
