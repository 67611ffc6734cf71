import type { IDataObject } from 'n8n-workflow';

import { RETRY, useLedger } from '../../../support/ledger';
import { CONTINUE, list, SEND_ONCE, type SendRun, TOOL } from '../../../support/sends';
import { DROPPED, REFUSED } from '../../../support/sendService';
import { useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { describeWithResumeToken } from '../../../support/skipByFeature';

const CHANGED = { skipped: true, reason: 'changed', delivery: 'unknown' };
const TOLD =
	"received, or may have received, an earlier version of their image, or the same from another account: see the items with 'reason' changed. To send the new version, execute the workflow with only these rows; with 'Send Once per ID', give them new IDs.";

const AGENT = { options: SEND_ONCE, settings: { ...CONTINUE, type: TOOL } };
const OWN_ACCOUNTS = { credential: { clientId: '={{ $json.number }}' } };

const { origin, store, run, retry, crashAt } = useLedger();
useSimulation(store);

/** What a later execution says of items with IDs. */
const toSkipped = (told: string) =>
	told.replaceAll('unknown', 'skipped?').replaceAll('sent', 'skipped');

/** A new execution, e.g. of the next day. */
const executeAgain = async (items: string, more: SendRun = {}) => {
	startNewProcess();
	return await run(items, { resumeToken: `${origin.resumeToken} again`, ...more });
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
	// With another text or account, an ID may as well be that of another order: then nobody knows.
	test.each<[what: string, before: IDataObject | undefined, after: SendRun, told: string]>([
		['an ID', undefined, {}, 'sent sent unknown unknown'],
		['an ID and an account', undefined, OWN_ACCOUNTS, 'sent sent unknown unknown'],
		['another ID', { sendOnceId: '={{ $json.order }}/1' }, {}, 'unknown unknown unknown unknown'],
		['another account', SEND_ONCE, OWN_ACCOUNTS, 'unknown unknown unknown unknown'],
	])('items get %s before a Retry: nobody gets it again', async (_what, before, own, told) => {
		const items = list(4, 'order');
		await crashAt('2', items, { options: before });
		const after = { ...own, options: SEND_ONCE };
		const retried = await run(items, { ...RETRY, ...after });
		expect(retried).toMatchObject({ results: told, requested: '' });
		const skipped = { results: toSkipped(told), requested: '' };
		for (let i = 0; i < 3; i++) expect(await executeAgain(items, after)).toMatchObject(skipped);
	});

	const SAME_ID = { skipped: true, sendOnceId: 'a', reason: 'id' };
	const ROWS = [
		{ number: '0', caption: 'old', order: 'a' },
		{ number: '1', order: 'z' },
	];

	test.each<[what: string, row: IDataObject, options: IDataObject, told: IDataObject]>([
		['the row was edited', { caption: 'new' }, {}, CHANGED],
		['the row that arrived was removed', { caption: 'other' }, {}, CHANGED],
		['the person has another order', { caption: 'other', order: 'b' }, SEND_ONCE, { id: 'm0' }],
		['a row with an ID was edited', { caption: 'new', order: 'a' }, SEND_ONCE, SAME_ID],
	])('%s: what was not sent is not told sent', async (_what, row, options, told) => {
		await crashAt('1', ROWS, { options });
		const items = [{ number: '0', ...row }, ROWS[1]];
		const retried = await run(items, { ...RETRY, options, settings: CONTINUE });
		expect(retried.json[0]).toEqual(told);
		expect(retried.hints).toEqual(told === CHANGED ? [`1 recipient ${TOLD}`] : []);
	});

	// Each is told as its own ID says, although the image is the same for all.
	test.each<[what: string, items: string, results: RegExp, requested: string, more?: SendRun]>([
		['a new order in front of it', '0:new 0:A 1:B 2:C', /^m0 sent sent /, '0'],
		['the orders in another sequence', '0:new 1:B 0:A 2:C', /^m0 sent sent /, '0'],
		['another order in its place', '0:new 1:B 2:C', /^unknown sent /, ''],
		['only other orders', '0:new 1:new 5:E', /^unknown unknown m5/, '5'],
		['another call of an agent', '0:new', /^unknown$/, '', AGENT],
	])('a Retry finds %s: not told sent', async (_what, items, results, requested, more = {}) => {
		await crashAt('2', '0:A 1:B 2:C', { options: SEND_ONCE, ...more });
		const retried = await run(items, { ...RETRY, options: SEND_ONCE, ...more });
		expect(retried.results).toMatch(results);
		expect(retried.requested).toBe(requested);
	});

	test('a Retry of the Retry does not tell another order as sent, either', async () => {
		await crashAt('1', '0:A 1:B', { options: SEND_ONCE });
		const retried = await run('0:new', { ...RETRY, options: SEND_ONCE });
		const again = await retry(retried, { settings: CONTINUE });
		expect(again).toMatchObject({ results: 'unknown', requested: '' });
		startNewProcess();
		const fromStart = await run('0:new 0:A', { ...RETRY, options: SEND_ONCE });
		expect(fromStart).toMatchObject({ results: 'skipped? sent', requested: '' });
	});

	test('a new row in front, in a loop: no other one of its recipient counts as changed', async () => {
		const rounds = ['a', 'b', 'c'].map((caption) => [{ number: '0', caption }]);
		const loop = { context: {}, isInLoop: true };
		for (const round of [0, 1]) await run(rounds[round], { ...loop, round });
		await crashAt('0', rounds[2], { ...loop, round: 2 });
		const [retried, all]: [IDataObject, string[]] = [{}, []];
		for (const [round, items] of [[{ number: '0', caption: 'new' }], ...rounds].entries()) {
			const more = { ...RETRY, ...loop, context: retried, round };
			all.push((await run(items, more)).results);
		}
		expect(all).toEqual(['skipped?', 'sent', 'sent', 'unknown']);
	});

	test('an ID that is told as skipped is used up', async () => {
		await crashAt('1', ROWS);
		const edited = [{ ...ROWS[0], caption: 'new' }, ROWS[1]];
		const retried = await run(edited, { ...RETRY, options: SEND_ONCE });
		expect(retried.json[0]).toMatchObject({ ...CHANGED, sendOnceId: 'a' });
		const again = await run(edited, { resumeToken: 'again', options: SEND_ONCE });
		expect(again.requested).toBe('');
	});

	test('one row that cannot be read makes no other one unknown', async () => {
		await crashAt('2', list(5));
		const { results, errors } = await run(`${list(5)} n/a`, RETRY);
		expect(results).toBe('sent sent unknown unknown m4 unknown');
		expect(errors[5]).toContain(
			'This item was not sent now. If you edited its row after the first attempt, its image may already have been sent: check the chat before you send it again.',
		);
	});

	test('the node was replaced by a fresh one: it does not send again, and says why', async () => {
		await crashAt('1', list(3));
		const settings = { ...CONTINUE, id: 'fresh', name: 'Send Image' };
		const retried = await run(list(3), { ...RETRY, settings });
		expect(retried).toMatchObject({ results: 'unknown unknown unknown', requested: '' });
		expect(retried.errors[0]).toContain('it is not on record any more');
	});

	// For a longer list, n8n needs more room, and then drops what is older.
	test.each([
		[80_000, 3],
		[75_010, 4000],
	])('with %d others on record, a list of %d is not sent again', async (others, count) => {
		await crashAt('1', list(3));
		store.keys = Array.from({ length: others }, (_, i) => `key ${i}`);
		const { results, requested } = await run(list(count), RETRY);
		expect(results).toMatch(/^unknown unknown unknown/);
		expect(requested).toBe('');
	});
});

test('a failed list was retried after a row was edited: the item and the hint say so', async () => {
	const rows = ['0', '1', '2', '3'].map((number) => ({ number, caption: 'old' }));
	const stopped = await run(rows, { answers: { 2: { status: 422 } } });
	const items = [...rows.slice(0, 3).map((row) => ({ ...row, caption: 'new' })), rows[3]];
	const retried = await retry(stopped, { items });
	const changed = { skipped: true, reason: 'changed' };
	expect(retried.json).toEqual([changed, changed, { id: 'm2' }, { id: 'm3' }]);
	expect(retried.hints).toEqual([`2 recipients ${TOLD}`]);
});

test('an agent whose execution failed is retried: another order with the same image is not told sent', async () => {
	const first = await run('0:A', { ...AGENT, context: {}, executionId: '1' });
	const later = { executionId: '2', mode: 'retry' } as const;
	expect(await retry(first, { ...later, items: '0:new' })).toMatchObject({ results: 'unknown' });
	expect(await retry(first, { ...later, items: '0:A' })).toMatchObject({ results: 'm0' });
});
