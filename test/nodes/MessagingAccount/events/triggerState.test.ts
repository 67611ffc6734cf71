import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import {
	readTriggerState,
	recentStates,
	storeTriggerState,
} from '../../../../nodes/MessagingAccount/events/triggerState';

const EVENT = 'newMessage';

/** In ms since 1970. */
const START = Date.parse('2026-11-22T08:00:00Z');

/** What n8n has stored for a workflow with one trigger. */
interface Stored {
	node: IDataObject;
	global: IDataObject;
}

const nothing = (): Stored => ({ node: {}, global: {} });
const copy = (stored: Stored) => structuredClone(stored);

/** The context of a poll that n8n prepares with this copy of the static data. */
const contextWith = (stored: Stored, nodeId = 'n1', workflowId = 'w1') =>
	({
		getNode: () => ({ id: nodeId }),
		getWorkflow: () => ({ id: workflowId }),
		getWorkflowStaticData: (type: 'node' | 'global') => stored[type],
	}) as unknown as IPollFunctions;

const store = (stored: Stored, second: number, nodeId?: string) =>
	storeTriggerState(contextWith(stored, nodeId), EVENT, {
		polledAt: `2026-11-22T08:00:${String(second).padStart(2, '0')}.000Z`,
		second,
	});
const read = (stored: Stored, ...of: [nodeId?: string, workflowId?: string]) =>
	(readTriggerState(contextWith(stored, ...of), EVENT) as IDataObject | undefined)?.second;

beforeEach(() => {
	jest.useFakeTimers({ now: START });
	recentStates.clear();
});

afterEach(() => {
	jest.useRealTimers();
});

test('a poll finds what the last one stored, by the name or the ID of the node', () => {
	const stored = nothing();
	store(stored, 1);
	recentStates.clear();
	expect(read({ ...nothing(), node: stored.node })).toBe(1);
	expect(read({ ...nothing(), global: stored.global })).toBe(1);
	expect(read({ ...nothing(), node: stored.node }, 'n2')).toBeUndefined();
	expect(read({ ...nothing(), global: stored.global }, 'n2')).toBeUndefined();
});

test('of both, the later one counts', () => {
	const [earlier, later] = [nothing(), nothing()];
	store(earlier, 1);
	store(later, 2);
	recentStates.clear();
	expect(read({ node: earlier.node, global: later.global })).toBe(2);
	expect(read({ node: later.node, global: earlier.global })).toBe(2);
});

test('a poll that n8n has prepared before the last one was saved knows what that one stored', () => {
	const stored = nothing();
	store(stored, 1);
	const before = copy(stored);
	store(stored, 2);
	jest.setSystemTime(START + 4999);
	expect(read(before)).toBe(2);
	expect(read(nothing(), 'n2')).toBeUndefined();
	expect(read(nothing(), 'n1', 'w2')).toBeUndefined();
	jest.setSystemTime(START + 5000);
	expect(read(before)).toBe(1);
});

test('nothing is kept in memory for long', () => {
	store(nothing(), 1, 'n1');
	jest.setSystemTime(START + 4999);
	store(nothing(), 2, 'n2');
	expect(recentStates.size).toBe(2);
	jest.setSystemTime(START + 5000);
	store(nothing(), 3, 'n3');
	expect(recentStates.size).toBe(2);
});
