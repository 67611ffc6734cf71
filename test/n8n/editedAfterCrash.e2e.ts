import type { IDataObject, INode } from 'n8n-workflow';

import type { Execution } from '../../tools/n8n/rest';
import { respondAfter, type RecordedRequest, type ScriptedServer } from '../support/scriptedServer';
import { REFUSED } from '../support/sendService';
import {
	createSendParameters,
	NODE,
	publishWebhook,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { connectTo, createNode } from '../support/workflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';

/** How long the service takes, so that a batch has few sends. */
const SERVICE_MS = 100;

/** At most so many sends are begun in a second. */
const MAX_UNKNOWN = 1000 / SERVICE_MS;

interface Row {
	number: string;
	/** Different in each row. */
	caption: string;
	index: number;
}

interface Case {
	rows: Row[];
	/** The node between the rows and the sends, and what it becomes before the retry. */
	inFront?: { before: INode; after: INode };
	/** Its outputs lead to the sends. */
	outputs?: number;
	/** Gives the node that sends another ID, as pasting does. */
	isPasted?: boolean;
	/** The service refuses these. */
	isRefused?: (row: Row) => boolean;
	/** How many of the images that were never requested are unknown after the retry at most. */
	maxUnknown: number;
	workflow?: WebhookWorkflow;
	crashed?: Execution;
}

/** @param perPerson how many images each person gets, one after another */
function createRows(list: number, length: number, perPerson: number): Row[] {
	return Array.from({ length }, (_, index) => ({
		number: String(49_151_000_000 + 1000 * list + Math.floor(index / perPerson)),
		caption: `List ${list}, picture ${index}`,
		index,
	}));
}

const code = (jsCode: string) =>
	createNode('In Front', {
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { mode: 'runOnceForAllItems', jsCode },
	});

const UNCHANGED = code('return $input.all();');

const branch = (operation: 'equal' | 'notEqual') =>
	createNode('In Front', {
		type: 'n8n-nodes-base.if',
		parameters: {
			conditions: { number: [{ value1: '={{ $json.index % 2 }}', operation, value2: 0 }] },
		},
	});

const CASES: Record<string, Case> = {
	'two branches run in another order': {
		rows: createRows(0, 40, 2),
		inFront: { before: branch('equal'), after: branch('notEqual') },
		outputs: 2,
		// The other image of each person who had got one: it may have been that.
		maxUnknown: 20 + MAX_UNKNOWN,
	},
	'refused rows are removed': {
		rows: createRows(1, 24, 3),
		inFront: {
			before: UNCHANGED,
			after: code('return $input.all().filter(({ json }) => json.index % 3 !== 0);'),
		},
		isRefused: ({ index }) => index % 3 === 0,
		maxUnknown: MAX_UNKNOWN,
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
		maxUnknown: MAX_UNKNOWN,
	},
	'the node is deleted and pasted back': {
		rows: createRows(3, 20, 1),
		isPasted: true,
		maxUnknown: 20,
	},
};

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

/** The caption of each image that was delivered. */
const delivered: string[] = [];

const captionOf = ({ body }: RecordedRequest) => (body as IDataObject).caption as string;

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

async function publish({ inFront, outputs = 1 }: Case): Promise<WebhookWorkflow> {
	const node = {
		parameters: {
			...createSendParameters('https://example.com/a.png', { includeInputFields: true }),
			caption: '={{ $json.caption }}',
		},
		credentials,
		onError: 'continueRegularOutput' as const,
	};
	const earlierNodes = inFront ? [inFront.before] : [];
	const connections = {
		Webhook: { main: [connectTo('Rows')] },
		Rows: { main: [connectTo('In Front')] },
		'In Front': { main: Array.from({ length: outputs }, () => connectTo(NODE)) },
	};
	return await publishWebhook(n8n, node, { earlierNodes, ...(outputs > 1 && { connections }) });
}

/** Delivers images until each list has come to its 14th request, which never ends. */
async function sendUntilStalled(): Promise<void> {
	const counts = new Map<string, number>();
	let stalled = 0;
	await new Promise<void>((resolve) =>
		server.onRequest((request) => {
			const caption = captionOf(request);
			const [list] = caption.split(',');
			const each = Object.values(CASES)[Number(list.slice('List '.length))];
			const row = each.rows.find((one) => one.caption === caption)!;
			if (each.isRefused?.(row)) return REFUSED;
			delivered.push(caption);
			counts.set(list, (counts.get(list) ?? 0) + 1);
			if (counts.get(list)! < 14) return respondAfter(SERVICE_MS, { id: 'm' });
			if (++stalled === Object.keys(CASES).length) resolve();
			return () => {};
		}),
	);
}

beforeAll(async () => {
	for (const each of Object.values(CASES)) each.workflow = await publish(each);
	const stalled = sendUntilStalled();
	for (const { workflow, rows } of Object.values(CASES)) await workflow!.post(rows);
	await stalled;
	await n8n.crash();
	server.onRequest((request) => {
		delivered.push(captionOf(request));
		return { body: { id: 'm' } };
	});
	for (const each of Object.values(CASES)) {
		const { saved, waitForExecutions } = each.workflow!;
		[each.crashed] = await waitForExecutions(1);
		expect(each.crashed.status).toBe('crashed');
		saved.nodes = saved.nodes.map((node) => {
			if (node.name === 'In Front') return { ...node, ...each.inFront!.after };
			return each.isPasted && node.name === NODE ? { ...node, id: 'pasted' } : node;
		});
		await n8n.rest.save(saved);
	}
});

test.each(Object.entries(CASES))(
	'after a crash, %s: nobody gets an image twice, and what is told is true',
	async (_name, { maxUnknown, crashed }) => {
		const requestedBefore = new Set(delivered);
		const retried = await n8n.rest.retry(crashed!, 'current');
		const outputs = retried.data.resultData.runData[NODE].flatMap(({ data }) => data!.main[0]!);
		expect(outputs.length).toBeGreaterThan(0);
		const told = outputs.map(({ json }) => {
			const { delivery } = (json.error ?? {}) as IDataObject;
			return { caption: json.caption as string, isSent: !json.error, delivery };
		});
		const twice = delivered.filter((caption, i) => delivered.indexOf(caption) !== i);
		expect(twice).toEqual([]);
		const untrue = told.filter(({ caption, isSent }) => isSent && !delivered.includes(caption));
		expect(untrue).toEqual([]);
		const unknown = told.filter(
			({ caption, delivery }) => delivery === 'unknown' && !requestedBefore.has(caption),
		);
		expect(unknown.length).toBeLessThanOrEqual(maxUnknown);
		expect(told.filter(({ delivery }) => delivery === 'notSent')).toEqual([]);
	},
);
