import type { IDataObject } from 'n8n-workflow';

import { createUsage, SendLimit } from '../../../../nodes/MessagingAccount/sends/sendLimit';
import { CREDENTIAL, runNode, type NodeRun } from '../../../support/engine';
import fc from '../../../support/fastCheck';
import { useNoJitter } from '../../../support/noJitter';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import { useScriptedServer, type Script } from '../../../support/scriptedServer';
import { TOOL } from '../../../support/sends';
import { DROPPED, numberOf } from '../../../support/sendService';
import { startNewProcess } from '../../../support/singleNodeWorkflow';

const server = useScriptedServer();
useProcessedDataStore();
useNoJitter();

const rows = (count: number) =>
	Array.from({ length: count }, (_, i) => ({ number: String(49151000000 + i) }));
const ROWS = rows(30);
const LEFT = { skipped: true, reason: 'limit' };
const ID = { sendOnceId: '={{ $json.number }}' };

/** The recipients of all images that were sent, in order. */
let messages: string[];
let answers: Record<number, Script>;
let executions = 0;

beforeEach(() => {
	[messages, answers] = [[], {}];
	server.onRequest((request) => {
		const number = numberOf(request);
		const answer = answers[ROWS.findIndex((row) => row.number === number)];
		if (answer !== undefined) return answer;
		messages.push(number);
		return { body: { id: `m${number}` } };
	});
});

async function run(options: IDataObject, more: Partial<NodeRun> = {}) {
	const parameters = {
		operation: 'sendImage',
		number: '={{ $json.number }}',
		url: 'https://example.com/a.png',
		options: { maxSends: 10, ...options },
	};
	const result = await runNode({
		parameters,
		items: ROWS,
		settings: { onError: 'continueRegularOutput' },
		credential: { baseUrl: server.url, ...CREDENTIAL },
		executionId: String(++executions),
		...more,
	});
	const json = result.outputs[0].map((item) => item.json);
	const summary = /\d+ items: [^"]*\./.exec(result.stored)?.[0];
	return { ...result, json, summary };
}

test.each([1, 4, 20])('sends no more than the limit, %d at a time', async (concurrency) => {
	const { json, summary } = await run({ concurrency });
	expect(messages).toHaveLength(10);
	expect(json.slice(10)).toEqual(ROWS.slice(10).map(() => LEFT));
	expect(summary).toBe('30 items: 10 sent, 0 skipped, 0 failed, 20 left.');
});

test.each([1, 20])(
	'refused sends do not count, unknown ones do, %d at a time',
	async (concurrency) => {
		answers = { 2: { status: 422 }, 5: { status: 400 }, 7: DROPPED };
		const { summary } = await run({ concurrency });
		expect(messages).toHaveLength(9);
		expect(summary).toBe('30 items: 9 sent, 0 skipped, 3 failed (1 may have been sent), 18 left.');
	},
);

test('0 is no limit', async () => {
	expect((await run({ maxSends: 0 })).summary).toBe('30 items: 30 sent, 0 skipped, 0 failed.');
});

test('items with a used ID do not count, and the next execution goes on where this one ended', async () => {
	for (const sent of [10, 20, 30]) {
		const { json } = await run(ID);
		expect(messages).toHaveLength(sent);
		const skipped = json.filter(({ reason }) => reason === 'id').length;
		expect(skipped).toBe(sent - 10);
	}
	expect(new Set(messages).size).toBe(30);
});

test('counts over all rounds of a loop', async () => {
	const executionId = String(++executions);
	let context: IDataObject = {};
	for (let round = 0; round < 6; round++) {
		const items = ROWS.slice(5 * round, 5 * (round + 1));
		({ context } = await run(ID, { items, context, round, executionId, isInLoop: true }));
	}
	expect(messages).toHaveLength(10);
});

test('a round of a loop counts the sends of earlier rounds that had no limit', async () => {
	const loop = { executionId: String(++executions), isInLoop: true };
	const { context } = await run({ maxSends: 0 }, { ...loop, items: ROWS.slice(0, 8) });
	await run({}, { ...loop, items: ROWS.slice(8), context, round: 1 });
	expect(messages).toHaveLength(10);
});

test('counts what an execution has sent before n8n was killed, in its Retry', async () => {
	const start = { resumeToken: 'killed' };
	await run({}, { ...start, items: ROWS.slice(0, 4) });
	startNewProcess();
	await run({}, { ...start, mode: 'retry' });
	expect(messages.length).toBeLessThanOrEqual(10);
	expect(new Set(messages).size).toBe(messages.length);
});

test('calls of an agent at the same time share the limit', async () => {
	const agent = {
		settings: { type: TOOL },
		context: {},
		executionId: 'agent',
		resumeToken: 'agent',
	};
	const call = async (i: number) =>
		await run({ maxSends: 1 }, { ...agent, items: ROWS.slice(i, i + 1) });
	await Promise.all([0, 1, 2].map(call));
	expect(messages).toHaveLength(1);
});

test('an item beyond the limit does not use up its ID', async () => {
	await run({ ...ID, maxSends: 1 });
	const { json } = await run({ ...ID, maxSends: 0 });
	expect(json.filter(({ delivery }) => delivery === 'unknown')).toEqual([]);
	expect(messages).toHaveLength(30);
});

test('a dry run shows which items are left', async () => {
	const { json, summary } = await run({ dryRun: true });
	expect(json[9]).not.toHaveProperty('skipped');
	expect(json[10]).toMatchObject({ dryRun: true, ...LEFT });
	expect(summary).toBe('30 items: 10 would be sent, 0 skipped, 0 failed, 20 left.');
});

test('the limit is never exceeded, and reached unless there are too few sends', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 12 }),
			fc.array(fc.record({ ms: fc.nat(5), isMade: fc.boolean() }), { maxLength: 40 }),
			fc.integer({ min: 1, max: 8 }),
			async (max, sends, concurrency) => {
				const limit = new SendLimit(max, createUsage(), () => 0);
				let [made, underWay] = [0, 0];
				const queue = [...sends];
				const worker = async () => {
					for (let send = queue.shift(); send; send = queue.shift()) {
						if (!(await limit.take())) continue;
						underWay++;
						expect(made + underWay).toBeLessThanOrEqual(max);
						for (let i = 0; i < send.ms; i++) await Promise.resolve();
						underWay--;
						if (send.isMade) made++;
						limit.end(send.isMade);
					}
				};
				await Promise.all(Array.from({ length: concurrency }, worker));
				expect(made).toBe(Math.min(max, sends.filter(({ isMade }) => isMade).length));
			},
		),
	);
});
