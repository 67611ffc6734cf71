import type { INode } from 'n8n-workflow';

import type { Execution } from '../../tools/n8n/rest';
import { respondAfter, type ScriptedServer } from '../support/scriptedServer';
import { numberOf, requestedNumbers, respondByNumber } from '../support/sendService';
import {
	createSendParameters,
	NODE,
	publishWebhook,
	resultsOf,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { createNode } from '../support/workflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';

const LENGTH = 25;

/** n8n is killed during this send of each list. The service carries it out, but never responds. */
const STALLED = 12;

/** How long the service takes for the others. */
const SERVICE_MS = 100;

/** What it can send in a second. */
const MAX_UNKNOWN = 1000 / SERVICE_MS;

interface Row {
	number: string;
	caption: string;
	url: string;
}

interface Case {
	/** Gives each item another content whenever it runs. */
	inFront?: INode;
	parameters?: INode['parameters'];
	options?: INode['parameters'];
	/** How many items there are with different numbers; the numbers then repeat. */
	recipients?: number;
	/** The results of the retry, if they are others than for most: see `resultsOf`. */
	expected?: RegExp;
}

const IN_FRONT = 'In Front';

const editFields = (name: keyof Row, value: string) =>
	createNode(IN_FRONT, {
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: {
			assignments: { assignments: [{ id: 'a', name, value, type: 'string' }] },
			includeOtherFields: true,
			options: {},
		},
	});

const code = (result: string) =>
	createNode(IN_FRONT, {
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { mode: 'runOnceForEachItem', jsCode: `return ${result};` },
	});

const NEW_CAPTION = editFields('caption', '=Sent at {{ $now.toMillis() }}, {{ Math.random() }}');

const CASES: Record<string, Case> = {
	'a caption from Edit Fields': { inFront: NEW_CAPTION },
	'a caption from Code': {
		inFront: code("{ json: { ...$json, caption: Date.now() + ' ' + Math.random() } }"),
	},
	'a signed URL from Edit Fields': {
		inFront: editFields('url', '={{ $json.url }}?signature={{ Math.random() }}'),
	},
	'a file that Code draws': {
		inFront: code(`{
			json: $json,
			binary: {
				data: {
					mimeType: 'image/png',
					data: Buffer.from('\\x89PNG\\r\\n\\x1a\\n' + Math.random(), 'latin1').toString('base64'),
				},
			},
		}`),
		parameters: { imageSource: 'binary' },
		options: { handOverAs: 'dataUri' },
	},
	// Nobody knows which of the two somebody has got.
	'a caption for people who are on the list twice': {
		inFront: NEW_CAPTION,
		recipients: 13,
		expected: /^U{12}[NU]U{12}$/,
	},
	'nothing for people who are on the list twice': { recipients: 13 },
};

interface List {
	rows: Row[];
	workflow: WebhookWorkflow;
}

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];
const lists = new Map<string, List>();

const count = (texts: Iterable<string>, text: string) =>
	[...texts].filter((other) => other === text).length;

/** How many images each recipient of a list has got. */
function messagesTo(rows: Row[]): Map<string, number> {
	const numbers = requestedNumbers(server);
	return new Map(rows.map(({ number }) => [number, count(numbers, number)]));
}

async function publish(
	{ inFront, parameters, options, recipients = LENGTH }: Case,
	credentials: INode['credentials'],
): Promise<List> {
	const firstNumber = 49_151_000_000 + 1000 * lists.size;
	const rows = Array.from({ length: LENGTH }, (_, i) => ({
		number: String(firstNumber + (i % recipients)),
		caption: `Picture ${i}`,
		url: 'https://example.com/a.png',
	}));
	const workflow = await publishWebhook(
		n8n,
		{
			parameters: {
				...createSendParameters('={{ $json.url }}', options),
				caption: '={{ $json.caption }}',
				...parameters,
			},
			credentials,
			onError: 'continueRegularOutput',
		},
		{ earlierNodes: inFront ? [inFront] : [] },
	);
	return { rows, workflow };
}

/** Carries out the sends of each list until one stalls. Resolves when all lists have come so far. */
async function sendUntilStalled(): Promise<void> {
	const countByList = new Map<string, number>();
	let stalled = 0;
	await new Promise<void>((resolve) =>
		server.onRequest((request) => {
			const number = numberOf(request);
			const list = number.slice(0, -3);
			countByList.set(list, (countByList.get(list) ?? 0) + 1);
			if (countByList.get(list)! < STALLED) return respondAfter(SERVICE_MS, { id: `m${number}` });
			if (++stalled === lists.size) resolve();
			return () => {};
		}),
	);
}

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

beforeAll(async () => {
	for (const [name, each] of Object.entries(CASES)) {
		lists.set(name, await publish(each, credentials));
	}
	const stalled = sendUntilStalled();
	for (const { workflow, rows } of lists.values()) await workflow.post(rows);
	await stalled;
	await n8n.crash();
	respondByNumber(server);
});

describe.each(Object.entries(CASES))(
	'n8n is killed, and the retry computes %s',
	(name, { inFront, recipients, expected }) => {
		let rows: Row[];
		let crashed: Execution;
		let retried: Execution;
		let results: string;

		beforeAll(async () => {
			const list = lists.get(name)!;
			({ rows } = list);
			[crashed] = await list.workflow.waitForExecutions(1);
			expect(crashed.status).toBe('crashed');
			retried = await n8n.rest.retry(crashed, 'original');
			results = resultsOf(retried, rows);
		});

		test('nobody gets more than the list has for them', () => {
			const numbers = rows.map(({ number }) => number);
			const tooMany = [...messagesTo(rows)].filter(([number, got]) => got > count(numbers, number));
			expect(tooMany.map(([number, got]) => `${number} has got ${got}`)).toEqual([]);
		});

		test('all are sent, except those of the last second', () => {
			expect(results).toMatch(expected ?? new RegExp(`^S[SUN]{${LENGTH - 1}}$`));
			if (expected) return;
			expect(count(results, 'U')).toBeLessThanOrEqual(MAX_UNKNOWN);
			for (const [number, got] of messagesTo(rows)) {
				const own = [...results].filter((_, i) => rows[i].number === number);
				expect(got).toBeGreaterThanOrEqual(own.length - count(own, 'U'));
			}
		});

		const testChanged = inFront && !recipients ? test : test.skip;
		testChanged('a hint says how many had received another version', () => {
			const hints = retried.data.resultData.runData[NODE].flatMap((run) => run.hints ?? []);
			expect(hints.map(({ message }) => message)).toContainEqual(
				expect.stringMatching(
					`^${count(results, 'S')} recipients had received an earlier version in this execution`,
				),
			);
		});

		test('another retry sends nothing', async () => {
			const { length } = server.requests;
			await n8n.rest.retry(crashed, 'original');
			expect(server.requests.length - length).toBe(0);
		});
	},
);
