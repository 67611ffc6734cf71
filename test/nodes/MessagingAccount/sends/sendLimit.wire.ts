import type { IDataObject } from 'n8n-workflow';

import { CONTINUE, list, nameOf, TOOL, useSends, type SendRun } from '../../../support/sends';
import { DROPPED } from '../../../support/sendService';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { testWithResumeToken } from '../../../support/skipByFeature';
import { UnfinishedExecution } from '../../../support/engine';

const LEFT = { skipped: true, reason: 'limit' };
const ID = { sendOnceId: '={{ $json.number }}' };

let executions = 0;
const sends = useSends(() => ({ settings: CONTINUE, executionId: String(++executions) }));

/** Sends a list of 30, and at most 10 of it. */
const run = async (options: IDataObject = {}, more: SendRun = {}, items = list(30)) =>
	await sends.run(items, { options: { maxSends: 10, ...options }, ...more });

const countOf = (names: string) => names.split(' ').filter(Boolean).length;

test.each([1, 4, 20])('refused sends do not count, unknown do (%d at a time)', async (count) => {
	const answers = { 2: { status: 422 }, 5: { status: 400 }, 7: DROPPED };
	const { requested, json, summary } = await run({ concurrency: count }, { answers });
	expect(countOf(requested)).toBe(12);
	expect(json.slice(12)).toEqual(Array(18).fill(LEFT));
	expect(summary).toBe('30 items: 9 sent, 0 skipped, 3 failed (1 may have been sent), 18 left.');
});

test('beyond the limit, an unknown send stays unknown', async () => {
	const first = await run({ maxSends: 2 }, { answers: { 1: DROPPED } }, list(3));
	const resend = { options: { maxSends: 2, resendUncertain: true } };
	const second = await sends.retry(first, resend);
	expect(second).toMatchObject({ results: 'm0 unknown skipped', requested: '' });
});

test('0 is no limit', async () =>
	expect((await run({ maxSends: 0 })).summary).toBe('30 items: 30 sent, 0 skipped, 0 failed.'));

test('items with a used ID do not count, and those beyond the limit do not use up theirs: the next execution goes on where this one ended', async () => {
	const requested: string[] = [];
	for (const used of [0, 10, 20]) {
		const result = await run(ID);
		requested.push(result.requested);
		expect(result.json.filter(({ reason }) => reason === 'id')).toHaveLength(used);
	}
	expect(requested.join(' ')).toBe(list(30));
});

test('a round of a loop counts the sends of earlier rounds that had no limit', async () => {
	const loop = { executionId: 'open loop', isInLoop: true };
	const { context } = await run({ maxSends: 0 }, loop, list(8));
	expect((await run({}, { ...loop, context, round: 1 }, '8 9 10 11')).requested).toBe('8 9');
});

test('counts what an execution has sent before n8n was killed, in its Retry', async () => {
	const start = { resumeToken: 'killed' };
	await run({}, start, list(4));
	startNewProcess();
	const { requested } = await run({}, { ...start, mode: 'retry' });
	expect(countOf(requested)).toBeLessThanOrEqual(6);
	expect(requested).not.toMatch(/\b[0-3]\b/);
});

/** Runs one item after another, as rounds of a loop or calls of an agent. */
async function runEach(names: string, more: SendRun) {
	const all = { context: {}, resumeToken: 'each', ...more };
	for (const [round, name] of names.split(' ').entries())
		await run({ maxSends: 4 }, { ...all, round, answers: 'as before' }, name);
}

testWithResumeToken.each<[what: string, kind: SendRun]>([
	['a loop', { isInLoop: true }],
	['an agent', { settings: { ...CONTINUE, type: TOOL } }],
])('%s, killed after 3 sends and a refusal, sends one more in its Retry', async (what, kind) => {
	const sent: string[] = [];
	sends.server.onRequest((request) => {
		if (nameOf(request) === '1') return { status: 422 };
		sent.push(nameOf(request));
		return { body: { id: 'm' } };
	});
	const start = { ...kind, resumeToken: what, hooks: new UnfinishedExecution() };
	await runEach('1 2 3 4', { ...start, executionId: 'killed' });
	startNewProcess();
	await runEach('5 6 7 2 3 4 8', { ...start, mode: 'retry', executionId: 'retry' });
	expect(sent).toEqual(['2', '3', '4', '5']);
});

test('calls of an agent at the same time share the limit', async () => {
	sends.server.respondWith({ body: { id: 'm' } });
	const agent = { settings: { type: TOOL }, context: {}, resumeToken: 'agent' };
	const more = { ...agent, executionId: 'agent', answers: 'as before' } as const;
	await Promise.all(['0', '1', '2'].map(async (item) => await run({ maxSends: 1 }, more, item)));
	expect(countOf(sends.requested())).toBe(1);
});

test('beyond the limit, an item that was sent under its ID says so', async () => {
	await run(ID, { answers: { 8: DROPPED } }, '7 8 9');
	const ids = sends.store.ids.length;
	const { json, summary } = await run({ ...ID, maxSends: 2 }, {}, list(20));
	expect(summary).toBe('20 items: 2 sent, 2 skipped, 0 failed, 16 left.');
	expect(json[9]).toEqual({ skipped: true, sendOnceId: '9', reason: 'id' });
	expect(sends.store.ids).toHaveLength(ids + 2);
});

test('a dry run shows which items are left', async () => {
	const { json, summary } = await run({ dryRun: true });
	expect(json[9]).not.toHaveProperty('skipped');
	expect(json[10]).toMatchObject({ dryRun: true, ...LEFT });
	expect(summary).toBe('30 items: 10 would be sent, 0 skipped, 0 failed, 20 left.');
});
