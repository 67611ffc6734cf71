import type { IDataObject } from 'n8n-workflow';

import { useNoJitter } from '../../../support/noJitter';
import { CONTINUE, list, SEND_ONCE, useSends, type SendRun } from '../../../support/sends';
import { DROPPED, REFUSED } from '../../../support/sendService';
import { useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { describeWithResumeToken } from '../../../support/skipByFeature';

const RETRY = { mode: 'retry', settings: CONTINUE } as const;
const CHANGED = { skipped: true, reason: 'changed', delivery: 'unknown' };
const TOLD = 'received, or may have received, an earlier version';

useNoJitter();
const { store, run, retry, crashAt } = useSends(() => ({ mode: 'webhook', resumeToken }));
useSimulation(store);

/** Each test has its own executions: n8n-core's memory of the node is shared by all. */
let resumeToken = '';
beforeEach(() => {
	resumeToken = expect.getState().currentTestName!;
});

/** A new execution, e.g. of the next day. */
const executeAgain = async (items: string, more: SendRun = {}) => {
	startNewProcess();
	return await run(items, { mode: 'webhook', resumeToken: `${resumeToken} again`, ...more });
};

test('that an edited row was refused does not make its first version unsent', async () => {
	const items = [{ number: '0', caption: 'new' }];
	const before = [{ number: '0', caption: 'old' }];
	const first = await run(before, { settings: CONTINUE, answers: { 0: DROPPED } });
	const resent = { items, options: { resendUncertain: true }, answers: { 0: REFUSED } };
	const refused = await retry(first, resent);
	expect(refused).toMatchObject({ results: 'unknown', requested: '0' });
	const { json, requested } = await retry(refused, { options: {} });
	expect({ json, requested }).toEqual({ json: [CHANGED], requested: '' });
});

describeWithResumeToken('after a crash', () => {
	test.each([
		['is added', undefined, SEND_ONCE],
		['has another text', { sendOnceId: '={{ $json.order }}/1' }, SEND_ONCE],
	])(
		'Send Once per ID %s before the Retry: a new execution sends nobody again',
		async (_what, before, after) => {
			await crashAt('2', list(4, 'order'), { options: before });
			const retried = await run(list(4, 'order'), { ...RETRY, options: after });
			expect(retried).toMatchObject({ results: 'sent sent unknown unknown', requested: '' });
			const next = await executeAgain(list(4, 'order'), { options: after });
			const skipped = { results: 'skipped skipped skipped? skipped?', requested: '' };
			expect(next).toMatchObject(skipped);
			expect(await executeAgain(list(4, 'order'), { options: after })).toMatchObject(skipped);
			expect(await executeAgain(list(4, 'order'), { options: after })).toMatchObject(skipped);
		},
	);

	test.each<[what: string, row: IDataObject, options: IDataObject | undefined, told: IDataObject]>([
		['the row was edited', { caption: 'new' }, undefined, CHANGED],
		['the row that arrived was removed', { caption: 'other' }, undefined, CHANGED],
		[
			'another order of the person was read',
			{ caption: 'other', order: 'b' },
			SEND_ONCE,
			{ id: 'm0' },
		],
		[
			'the row was edited, and its ID is the same',
			{ caption: 'new', order: 'a' },
			SEND_ONCE,
			{
				skipped: true,
				sendOnceId: 'a',
				reason: 'id',
			},
		],
	])('%s: what was not sent is not told sent', async (_what, row, options, told) => {
		const rows = [
			{ number: '0', caption: 'old', order: 'a' },
			{ number: '1', order: 'z' },
		];
		await crashAt('1', rows, { options });
		const retried = await run([{ number: '0', ...row }], { ...RETRY, options });
		expect(retried.json).toEqual([told]);
		expect(retried.hints.some((hint) => hint.includes(TOLD))).toBe(told === CHANGED);
	});

	test('one row that cannot be read makes no other one unknown', async () => {
		await crashAt('2', list(5));
		const items = [
			...list(5)
				.split(' ')
				.map((number) => ({ number })),
			{ number: 'n/a' },
		];
		expect((await run(items, RETRY)).results).toBe('sent sent unknown unknown m4 unknown');
	});

	test('the node was replaced by a fresh one: it does not send again, and says why', async () => {
		await crashAt('1', list(3));
		const settings = { ...CONTINUE, id: 'fresh', name: 'Send Image' };
		const retried = await run(list(3), { ...RETRY, settings });
		expect(retried).toMatchObject({ results: 'unknown unknown unknown', requested: '' });
		expect(retried.errors[0]).toContain('it is not on record any more');
	});

	test('n8n has dropped what the execution had on record: it does not send again', async () => {
		await crashAt('1', list(3));
		store.keys = Array.from({ length: 80_000 }, (_, i) => `key ${i}`);
		const retried = await run(list(3), RETRY);
		expect(retried).toMatchObject({ results: 'unknown unknown unknown', requested: '' });
	});

	test('n8n has dropped it for lack of the room that a longer list needs: it does not send again', async () => {
		await crashAt('1', list(3));
		store.keys = Array.from({ length: 75_010 }, (_, i) => `key ${i}`);
		expect((await run(list(4000), RETRY)).requested).toBe('');
	});
});

test('a Retry that another item stops still tells which item is unknown', async () => {
	const first = await run(list(3), { answers: { 0: DROPPED }, settings: CONTINUE });
	const stopped = await retry(first, { settings: {}, answers: { 1: REFUSED, 2: REFUSED } });
	expect(stopped.errors[0]).toContain('item 0');
});

test('rows came late: the Retry of an execution takes back their IDs', async () => {
	const stopped = await run(list(3, 'order'), { options: SEND_ONCE, answers: { 0: DROPPED } });
	expect(stopped.requested).toBe('0');
	const retried = await retry(stopped, { settings: CONTINUE });
	expect(retried).toMatchObject({ results: 'unknown m1 m2', requested: '1 2' });
});

test('a failed list was retried after a row was edited: the item and the hint say so', async () => {
	const rows = [{ number: '0', caption: 'old' }, { number: '1' }, { number: '2' }];
	const stopped = await run(rows, { answers: { 1: { status: 422 } } });
	const items = [
		{ number: '0', caption: 'new' },
		{ number: '1', caption: 'right' },
		{ number: '2' },
	];
	const retried = await retry(stopped, { items });
	expect(retried.json).toEqual([{ skipped: true, reason: 'changed' }, { id: 'm1' }, { id: 'm2' }]);
	expect(retried.hints.join()).toContain(TOLD);
});
