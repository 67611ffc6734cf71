import { failToStore, RETRY, SENT, UNUSABLE, useLedger } from '../../../support/ledger';
import type { RecordedRequest, Script } from '../../../support/scriptedServer';
import { CONTINUE, list, TOOL, type SendRun } from '../../../support/sends';
import { DROPPED, LIMITED, REFUSED } from '../../../support/sendService';
import { until } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { describeWithResumeToken, testWithResumeToken } from '../../../support/skipByFeature';

const { server, store, run, crashAt, ...record } = useLedger();
const { keysOf, untilThereAre, writeBackRemovals } = record;

test.each([1, 3])('what was not sent is on record as that (%d at a time)', async (concurrency) => {
	const more = { answers: { 1: REFUSED, 2: DROPPED }, options: { concurrency } };
	const { results } = await run('0 none 1 2 3', { ...more, settings: CONTINUE });
	expect(results).toBe('m0 notSent notSent unknown m3');
	// All but the one that cannot be sent.
	expect(keysOf('begun')).toHaveLength(4);
	await untilThereAre(1, 'notSent');
	await untilThereAre(2, 'sent');
});

test('what was not started is on record as not sent', async () => {
	await run(list(100), { answers: { 40: REFUSED } });
	await untilThereAre(keysOf('begun').length - 40, 'notSent');
});

test('nothing of an item is on record if the credential cannot be used', async () => {
	await run(list(2), { settings: CONTINUE, credential: UNUSABLE });
	expect(store.keys).toEqual([]);
});

test('after a refusal with Retry-After, the next attempt is on record again', async () => {
	await run(list(3), { answers: { 0: [LIMITED, LIMITED] }, options: { concurrency: 2 } });
	// Each attempt has a place of its own.
	expect(keysOf('begun')).toHaveLength(5);
	await untilThereAre(2, 'notSent');
	await untilThereAre(3, 'sent');
});

testWithResumeToken('what is written back of a look-up keeps no item from being sent', async () => {
	const { context } = await run(list(4), { answers: { 1: REFUSED } });
	writeBackRemovals();
	expect((await run(list(4), { ...RETRY, context })).results).toBe('m0 m1 m2 m3');
});

describeWithResumeToken('the images of one recipient', () => {
	const parameters = { url: '=https://example.com/{{ $json.tag }}.png' };
	const AGENT = { parameters, settings: { ...CONTINUE, type: TOOL } };
	const itemsOf = (tags: string) =>
		[...tags].map((tag) => ({ number: tag === 'z' ? '1' : '0', tag }));
	const tagOf = ({ body }: RecordedRequest) => /(.)\.png$/.exec((body as { url: string }).url)![1];
	/** Two calls of an agent at the same time. */
	const callBoth = async (more: SendRun, scripts: Record<string, Script> = {}) => {
		server.onRequest((request) => scripts[tagOf(request)] ?? SENT);
		const call = async (tag: string) =>
			await run(itemsOf(tag), { ...AGENT, answers: 'as before', ...more });
		await Promise.all(['a', 'b'].map(call));
	};

	test('have places of their own on record if an agent sends them at the same time', async () => {
		await callBoth({ context: {} }, { b: REFUSED });
		await until('a is on record as sent', (saw) => saw(store.keys.join()).includes(':sent:'));
		startNewProcess();
		const retried: SendRun = { ...AGENT, mode: 'retry', context: {} };
		expect((await run(itemsOf('a'), retried)).results).toBe('sent');
		expect((await run(itemsOf('b'), retried)).results).toBe('m0');
	});

	test('have one execution on record if an agent sends them at the same time in a retry', async () => {
		await callBoth({ mode: 'retry', context: {} });
		expect(store.keys.join()).not.toContain(':begun:2:');
		expect(server.requests).toHaveLength(2);
	});

	test('have places of their own on record if a write fails although it was stored', async () => {
		const add = store.checkProcessedAndRecord.bind(store);
		let hasFailed = false;
		jest.spyOn(store, 'checkProcessedAndRecord').mockImplementation(async (...call) => {
			const result = await add(...call);
			if (hasFailed || server.requests.length === 0) return result;
			hasFailed = true;
			throw new Error('The connection was lost');
		});
		await run(itemsOf('zab'), { parameters, settings: CONTINUE });
		await untilThereAre(2, 'sent');
		jest.restoreAllMocks();
		startNewProcess();
		expect((await run(itemsOf('zab'), { ...RETRY, parameters })).results).toBe('sent m0 sent');
	});

	test.each([
		['if the order has changed', 'ba'],
		['ten places further on', 'cccccccccca'],
	])('are told apart by their content after a crash, %s', async (_where, tags) => {
		await crashAt((request) => tagOf(request) === 'b', itemsOf('ab'), { parameters });
		const { results } = await run(itemsOf(tags), { ...RETRY, parameters });
		expect(results.split(' ').indexOf('sent')).toBe(tags.indexOf('a'));
	});
});

test('nothing is sent if n8n cannot put it on record', async () => {
	store.onCall = failToStore;
	const { json, requested: names } = await run('0', { settings: CONTINUE });
	const description =
		"The node records each send there before its request, so that nobody gets an image twice. Check the database, then send only what is missing: without 'Send Once per ID', executing the workflow again sends to everybody. The image was not sent.";
	expect(json).toMatchObject([{ error: { description, delivery: 'notSent' } }]);
	expect(names).toBe('');
});

test.each([
	['has no ID', Object.assign(new Error('no ID'), { code: 'ERR_ASSERTION' })],
	['is not saved', new Error('SQLITE_CONSTRAINT: FOREIGN KEY constraint failed')],
])('the node sends without a record if the workflow %s', async (_why, error) => {
	store.onCall = () => {
		throw error;
	};
	for (const more of [{}, RETRY]) expect((await run(list(3), more)).results).toBe('m0 m1 m2');
	expect(store.calls).toBe(2);
	expect((await run('0', { ...RETRY, options: { timeout: 0 } })).results).toBe('notSent');
});

test('the calls of a tool are not on record where all executions look the same', async () => {
	const { requested: names } = await run('0', { settings: { type: TOOL }, resumeToken: '' });
	expect(names).toBe('0');
	expect(store.calls).toBe(0);
});
