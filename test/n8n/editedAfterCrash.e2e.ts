import type { INode } from 'n8n-workflow';

import type { SavedWorkflow } from '../../tools/n8n/rest';
import { NODE, publishWebhook } from '../support/webhookWorkflow';
import { connectTo, createNode, publishWorkflow } from '../support/workflow';
import { nodeOf } from './forms';
import {
	captionsOf,
	createRows,
	Deliveries,
	readTold,
	toRow,
	type KilledList,
	type Row,
} from './killedLists';
import { useRealN8nWithServer } from './realN8n';

/** How long the service takes, so that a batch has few sends. */
const SERVICE_MS = 100;

/** At most so many sends are begun in a second. */
const MAX_UNKNOWN = 1000 / SERVICE_MS;

const CHANGED = { skipped: true, reason: 'changed', delivery: 'unknown' };

interface Case {
	rows: Row[];
	/** The node between the rows and the sends, and what it becomes before the retry. */
	inFront: { before: Partial<INode>; after: Partial<INode> };
	/** Its outputs lead to the sends. */
	outputs?: number;
	/** The rows come in batches of this size. */
	loopOf?: number;
	/** The rows come from the trigger, which leads to the sends and, by another way, to the node in front of them. */
	isForked?: boolean;
	isRefused?: KilledList['isRefused'];
	/** Whether other rows of people with an image come out as changed. Otherwise, they are sent. */
	areChanged?: boolean;
	/** How many more of the images that were never requested are unknown, or may be edited ones, at most. */
	maxUnknown?: number;
}

const code = (jsCode: string) => ({
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { mode: 'runOnceForAllItems', jsCode },
});

const UNCHANGED = code('return $input.all();');

/** Keeps some of the rows, and changes their captions. */
const changeRows = (keep: string, caption = 'json.caption') =>
	code(`return $input.all().filter(({ json }) => ${keep})
		.map(({ json }) => ({ json: { ...json, caption: ${caption} } }));`);

const branch = (operation: 'equal' | 'notEqual') => ({
	type: 'n8n-nodes-base.if',
	parameters: {
		conditions: { number: [{ value1: '={{ $json.index % 2 }}', operation, value2: 0 }] },
	},
});

/** Above or below the node that sends, which n8n runs after it or before it. */
const editAt = (y: number) => ({
	...changeRows('true', '`${json.caption}, edited`'),
	position: [0, y] as [number, number],
});

const CASES: Record<string, Case> = {
	'two branches run in another order': {
		rows: createRows(0, 40, 2),
		inFront: { before: branch('equal'), after: branch('notEqual') },
		outputs: 2,
		areChanged: true,
		maxUnknown: 2 * MAX_UNKNOWN,
	},
	'refused rows are removed': {
		rows: createRows(1, 24, 3),
		inFront: { before: UNCHANGED, after: changeRows('json.index % 3 !== 0') },
		isRefused: ({ index }) => index % 3 === 0,
	},
	'rows are inserted before a series to one group': {
		rows: createRows(2, 30, 30),
		inFront: {
			before: UNCHANGED,
			after: code(
				`const [{ json }] = $input.all();
				const added = Array.from({ length: 12 }, (_, i) => ({
					json: { ...json, index: 100 + i, caption: 'Added ' + i },
				}));
				return [...added, ...$input.all()];`,
			),
		},
	},
	'a box is moved, so that two ways from the trigger run in another order': {
		rows: createRows(3, 20),
		inFront: { before: editAt(100), after: editAt(-100) },
		isForked: true,
		areChanged: true,
		maxUnknown: 2 * MAX_UNKNOWN,
	},
	'rows are edited in front of a loop': {
		rows: createRows(4, 24),
		inFront: { before: UNCHANGED, after: changeRows('true', '`${json.caption}, new`') },
		loopOf: 5,
		areChanged: true,
	},
};

let deliveries: Deliveries;

const { server, n8n, credentials } = useRealN8nWithServer();

const workflows = new Map<Case, SavedWorkflow>();

/** Saves the workflow of a case, and starts it. */
async function start(each: Case): Promise<SavedWorkflow> {
	const { rows, inFront, outputs = 1, loopOf, isForked } = each;
	const node = { parameters: toRow({}), credentials, onError: 'continueRegularOutput' as const };
	const earlierNodes = [createNode('In Front', inFront.before as INode)];
	if (isForked) return await startForked(node, earlierNodes, rows);
	const main = Array.from({ length: outputs }, () => connectTo(NODE));
	const more = outputs > 1 ? { connections: { 'In Front': { main } } } : { loopOf };
	const { post, saved } = await publishWebhook(n8n, node, { earlierNodes, ...more });
	await post(rows);
	return saved;
}

/** Starts a workflow whose trigger gets all rows: those of other triggers give one item. */
async function startForked(
	node: Pick<INode, 'parameters'> & Partial<INode>,
	earlierNodes: INode[],
	rows: Row[],
): Promise<SavedWorkflow> {
	const trigger = {
		type: 'n8n-nodes-base.executeWorkflowTrigger',
		typeVersion: 1.1,
		parameters: { inputSource: 'passthrough' },
	};
	const nodes = [
		createNode('Trigger', trigger),
		...earlierNodes,
		createNode(NODE, { type: 'n8n-nodes-messaging-account.messagingAccount', ...node }),
	];
	const saved = await publishWorkflow(n8n.rest, 'Forked', nodes, {
		Trigger: { main: [[...connectTo(NODE), ...connectTo('In Front')]] },
		'In Front': { main: [connectTo(NODE)] },
	});
	const { post } = await publishWebhook(n8n, {
		type: 'n8n-nodes-base.executeWorkflow',
		typeVersion: 1.2,
		parameters: { workflowId: { __rl: true, mode: 'id', value: saved.id }, options: {} },
	});
	await post(rows);
	return saved;
}

beforeAll(async () => {
	deliveries = new Deliveries(server);
	const list = { serviceMs: SERVICE_MS, stallsAt: 14 };
	const cases = Object.values(CASES);
	const stalled = deliveries.untilStalled(cases.map((each) => ({ ...each, ...list })));
	for (const each of cases) workflows.set(each, await start(each));
	await stalled;
	await n8n.crash();
	deliveries.deliverAll();
});

test.each(Object.entries(CASES))('a crash, then %s: nobody gets it twice', async (_name, each) => {
	const { areChanged = false, maxUnknown = MAX_UNKNOWN, rows } = each;
	const saved = workflows.get(each)!;
	const crashed = await n8n.rest.lastExecution(saved);
	expect(crashed.status).toBe('crashed');
	Object.assign(nodeOf(saved, 'In Front'), each.inFront.after);
	await n8n.rest.save(saved);
	const requested = new Set(deliveries.captions);
	const people = new Set(
		rows.filter(({ caption }) => requested.has(caption)).map(({ number }) => number),
	);

	const retried = await n8n.rest.retry(crashed, 'current');
	const told = readTold(retried);
	expect(told.length).toBeGreaterThan(0);
	deliveries.expectTrue(told);

	const others = told.filter(({ caption }) => !requested.has(caption));
	const unknown = others.filter(({ delivery }) => delivery === 'unknown');
	const changed = told.filter(({ reason }) => reason === 'changed');
	for (const { json } of changed) expect(json).toMatchObject(CHANGED);
	const mayBeEdited = areChanged ? others.filter(({ number }) => people.has(number)) : [];
	expect(mayBeEdited.length > 0).toBe(areChanged);
	expect(captionsOf(changed)).toEqual(expect.arrayContaining(captionsOf(mayBeEdited)));
	expect(unknown.length - mayBeEdited.length).toBeLessThanOrEqual(maxUnknown);
});
