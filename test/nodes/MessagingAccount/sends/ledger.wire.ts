import type { IDataObject } from 'n8n-workflow';

import { Ledger } from '../../../../nodes/MessagingAccount/sends/ledger';
import { SendOnceIds } from '../../../../nodes/MessagingAccount/sends/sendOnceIds';
import { sleep } from '../../../../nodes/MessagingAccount/n8n/sleep';
import { CREDENTIAL } from '../../../support/engine';
import { createExecuteContext } from '../../../support/executeContext';
import { HeldHooks } from '../../../support/heldHooks';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { useNoJitter } from '../../../support/noJitter';
import type { RecordedRequest, Script } from '../../../support/scriptedServer';
import { CONTINUE, list, nameOf, TOOL, useSends, type SendRun } from '../../../support/sends';
import { DROPPED, REFUSED } from '../../../support/sendService';
import { until, useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import {
	describeIfEndIsTold,
	describeIfToldApart,
	testIfToldApart,
} from '../../../support/toldApart';
import { waitUntil } from '../../../support/waitUntil';

const RETRY = { mode: 'retry', settings: CONTINUE } as const;
const SENT: Script = { body: { id: 'm' } };
const UNUSABLE = { baseUrl: 'none' };

/** Those that an execution has on record besides its sends. */
const OWN_KEYS = 7;

useNoJitter();
const { server, store, requested, run, retry, crashAt } = useSends(() => ({
	mode: 'webhook',
	resumeToken,
	hooks: new HeldHooks(),
}));

/** Each test has its own executions: n8n-core's memory of the node is shared by all. */
let resumeToken = '';
beforeEach(() => {
	resumeToken = expect.getState().currentTestName!;
});

/** One key of each send. */
const keysOf = (kind: string) => {
	const pattern = new RegExp(`:${kind}:\\d+:[^:.]+:\\d+$`);
	return store.keys.filter((key) => pattern.test(String(key)));
};
const isOnRecord = (end: string) => store.keys.some((key) => String(key).endsWith(end));
/** What nobody waits for is done within a second. */
const untilThereAre = (count: number, kind?: string) =>
	until(`${count} keys`, (saw) => saw(kind ? keysOf(kind) : store.keys).length === count);

const failToStore = () => {
	throw new Error('The database is locked');
};
/** Another worker writes back whatever this one removes. */
const writeBackRemovals = () => jest.spyOn(store, 'removeProcessed').mockResolvedValue();
/** Lets one call fail, although its keys are stored. */
function failAfterAdding(isDue: (keys: string) => boolean): { hasFailed: boolean } {
	const add = store.checkProcessedAndRecord.bind(store);
	const state = { hasFailed: false };
	jest.spyOn(store, 'checkProcessedAndRecord').mockImplementation(async (keys, ...rest) => {
		const result = await add(keys, ...rest);
		if (state.hasFailed || !isDue(keys.join())) return result;
		state.hasFailed = true;
		throw new Error('The connection was lost');
	});
	return state;
}

const PASTED = { ...CONTINUE, id: 'pasted' };
const SETTINGS: Record<string, SendRun> = {
	'': {},
	computed: { parameters: { caption: '={{ $now.toMillis() }} {{ Math.random() }}' } },
	resend: { options: { resendUncertain: true } },
	invalid: { options: { timeout: 0 } },
	'dry run?': { options: { dryRun: 'true' } },
	another: { resumeToken: 'another' },
	secretless: { resumeToken: '' },
	pasted: { settings: PASTED },
};

const rowsOf = (table: string) =>
	table
		.trim()
		.split('\n')
		.map((row) => row.split(' |').map((cell) => cell.trim()));

/** What a retry does | the crash: item, of a list | settings | its results | requests | results of a second one, without requests */
function testRetries(table: string): void {
	test.each(rowsOf(table))('a retry %s', async (_what, crash, settings, results, names, next) => {
		const [item, count] = crash.split(' of ').map(Number);
		const more = { ...RETRY, ...SETTINGS[settings] };
		// Without a secret, also an equal start before may be on record.
		if (resumeToken === '') await run(list(count));
		await crashAt(String(item), list(count), { parameters: more.parameters });
		expect(await run(list(count), more)).toMatchObject({ results, requested: names });
		expect(await run(list(count), more)).toMatchObject({ results: next, requested: '' });
	});
}

describeIfToldApart('after a crash', () => {
	testRetries(`
	sends what was not begun   | 1 of 4 |          | sent unknown m2 m3 | 2 3 | sent unknown sent sent
	knows computed captions    | 1 of 2 | computed | sent unknown       |     | sent unknown
	resends what is unknown    | 0 of 2 | resend   | m0 m1              | 0 1 | sent sent
	cannot send invalid items  | 0 of 1 | invalid  | unknown            |     | unknown
	may not know whether to try | 0 of 1 | dry run? | unknown           |     | unknown
	does not know other starts | 1 of 2 | another  | m0 m1              | 0 1 | sent sent`);

	test('a retry says what was sent, and why an item is unknown', async () => {
		await crashAt('1', list(2));
		const { json, errors } = await run(list(2), RETRY);
		expect(json[0]).toEqual({ id: null, sent: true });
		expect(errors[1]).toContain(
			'It is not known whether an earlier attempt sent this item (n8n may have stopped before it ended) [item 1]: ',
		);
	});

	test('a retry keeps what it has found, also if n8n drops it from the record', async () => {
		await crashAt('1', list(2));
		const first = await run(list(2), RETRY);
		store.keys = [];
		expect(await retry(first)).toMatchObject({ results: 'sent unknown', requested: '' });
	});

	test('a retry leaves the record as it was, with one execution more and another owner', async () => {
		await crashAt('1', list(2));
		const before = [...store.keys];
		await run(list(2), RETRY);
		const difference = (some: unknown[], others: unknown[]) =>
			some.flatMap((key) => (others.includes(key) ? [] : String(key).split(':').slice(2).join()));
		expect(difference(before, store.keys)).toEqual(['owner,1']);
		const added = ['execution,2', 'execution,2,sure', 'witness,2', 'owner,2'];
		expect(difference(store.keys, before)).toEqual(added);
	});

	test('an item that cannot be sent may have been sent, if the record cannot be read', async () => {
		store.onCall = failToStore;
		expect((await run('0', RETRY)).results).toBe('unknown');
	});

	test('what is on record is not sent if the database fails while a retry looks it up', async () => {
		const options = { concurrency: 3 };
		await crashAt('2', list(3), { options });
		store.onCall = (keys) => {
			if (keys.some((key) => String(key).endsWith(':look-up'))) failToStore();
		};
		const result = await run(list(3), { ...RETRY, options });
		expect(result).toMatchObject({ results: 'unknown unknown unknown', requested: '' });
		for (const error of result.errors) expect(error).toContain('The database is locked');
	});
});

describeIfToldApart('a second retry of the same execution', () => {
	test('knows what the first one sent, and leaves out what that has not tried', async () => {
		const original = await run(list(3), { answers: { 0: REFUSED } });
		expect((await retry(original, { answers: { 1: REFUSED } })).requested).toBe('0 1');
		const second = await retry(original);
		expect(second).toMatchObject({ results: 'sent m1 m2', requested: '1 2' });
	});

	test('is not needed to know what cannot be sent: its log is complete', async () => {
		let result = await run('0', { options: { timeout: 0 }, settings: CONTINUE });
		for (let retries = 0; retries < 2; retries++) {
			result = await retry(result);
			expect(result.results).toBe('notSent');
		}
	});

	test('makes the logs of all others incomplete', async () => {
		const original = await run(list(3), { answers: { 0: REFUSED } });
		const first = await retry(original, { answers: { 0: REFUSED } });
		const second = await retry(first, { answers: { 0: REFUSED } });
		const third = await retry(original, { answers: { 2: REFUSED } });
		expect(third.requested).toBe('0 1 2');
		for (const one of [second, first, original])
			expect((await retry(one, { answers: { 2: REFUSED } })).requested).toBe('2');
	});

	const ALL_UNKNOWN = { results: 'unknown unknown', requested: '' };
	const UNSENDABLE = { options: { timeout: 0 }, settings: CONTINUE };

	test('is known to a retry of the one before that, which can send nothing', async () => {
		const answers = { 0: REFUSED };
		const original = await run(list(2), { answers });
		const before = await retry(original, { answers });
		expect((await retry(original, { answers, settings: CONTINUE })).requested).toBe('0 1');
		expect(await retry(before, UNSENDABLE)).toMatchObject(ALL_UNKNOWN);
	});

	test('is known to a retry of one that knew at once what it had to say, which can send nothing', async () => {
		const original = await run(list(2), { answers: { 0: DROPPED } });
		expect((await retry(original, { settings: CONTINUE })).requested).toBe('1');
		const before = await retry(original, { options: { timeout: 0 } });
		expect(await retry(before, UNSENDABLE)).toMatchObject(ALL_UNKNOWN);
	});

	test.each([
		['the execution, with an invalid option', [DROPPED], { timeout: 0 }, () => {}],
		['the execution, without the record', [DROPPED], {}, failToStore],
		['another retry, with an invalid option', [REFUSED, DROPPED], { timeout: 0 }, () => {}],
	])(
		'is known to one after it, also if a retry between them could send nothing, after %s',
		async (_what, [script, ...scripts], broken, onCall) => {
			const options = { resendUncertain: true };
			const original = await run('0', { options, answers: { 0: script } });
			let failed = original;
			for (const one of scripts) failed = await retry(failed, { answers: { 0: one } });
			store.onCall = onCall;
			const between = await retry(failed, { options: { ...options, ...broken } });
			store.onCall = () => {};
			expect((await retry(original)).requested).toBe('0');
			const last = await retry(between, { options });
			expect(last).toMatchObject({ results: 'sent', requested: '' });
		},
	);

	test('tells why an item is unknown', async () => {
		const original = await run('0', { answers: { 0: DROPPED } });
		const first = await retry(original, RETRY);
		expect(first).toMatchObject({ results: 'unknown', requested: '' });
		expect(first.errors[0]).not.toContain('n8n may have stopped');
		expect((await retry(original, RETRY)).json).toEqual(first.json);
	});
});

test('before a request is made, it is on record', async () => {
	let missing = 0;
	server.onRequest(() => {
		if (keysOf('begun').length < server.requests.length) missing++;
		return SENT;
	});
	await run(list(50), { options: { concurrency: 5 }, answers: 'as before' });
	expect(missing).toBe(0);
	expect(keysOf('sent')).toHaveLength(50);
});

test.each([1, 3])('what was not sent is on record as that (%d at a time)', async (concurrency) => {
	const more = { answers: { 1: REFUSED, 2: DROPPED }, options: { concurrency } };
	const { results } = await run('0 none 1 2 3', { ...more, settings: CONTINUE });
	expect(results).toBe('m0 notSent notSent unknown m3');
	// All but the one that cannot be sent.
	expect(keysOf('begun')).toHaveLength(4);
	expect(keysOf('notSent')).toHaveLength(1);
	await untilThereAre(2, 'sent');
});

test('what was not started is on record as not sent', async () => {
	await run(list(100), { answers: { 40: REFUSED } });
	expect(keysOf('begun').length - keysOf('notSent').length).toBe(40);
});

test('nothing of an item is on record if the credential cannot be used', async () => {
	await run(list(2), { settings: CONTINUE, credential: UNUSABLE });
	expect(store.keys).toEqual([]);
});

test('after a refusal with Retry-After, the next attempt is on record again', async () => {
	const busy: Script = { status: 429, headers: { 'retry-after': '0' } };
	await run(list(3), { answers: { 0: [busy, busy] }, options: { concurrency: 2 } });
	expect(keysOf('begun')).toHaveLength(3);
	await untilThereAre(3, 'sent');
});

describe('while an execution goes on', () => {
	useSimulation(store);

	test('with a long delay between sends, each outcome is on record before the next send', async () => {
		const sentAtRequest: number[] = [];
		server.onRequest(() => {
			sentAtRequest.push(keysOf('sent').length);
			return SENT;
		});
		await run(list(2), { options: { delayBetweenSends: 700 }, answers: 'as before' });
		expect(sentAtRequest).toEqual([0, 1]);
	});

	test('if the database fails once, the outcomes are on record with the next write', async () => {
		server.onRequest(() => {
			let isFirst = true;
			store.onCall = () => {
				if (!isFirst || keysOf('sent').length > 0) return;
				isFirst = false;
				failToStore();
			};
			return SENT;
		});
		await run(list(2), { options: { delayBetweenSends: 3000 }, answers: 'as before' });
		await untilThereAre(2, 'sent');
	});

	const PACE = { concurrency: 50, delayBetweenSends: 200 };

	testIfToldApart.each([
		['many sends at a time and a pause between them', PACE, 0],
		['many sends at a time and a pace per account', { ...PACE, pacePerAccount: true }, 0],
		['a service that asks for a pause, 2 s later', {}, 2000],
	])('n8n crashes with %s: who was never tried is not unknown', async (_what, options, ms) => {
		let tried: string[] | undefined;
		const crash = () => void (tried ??= requested().split(' '));
		store.onCall = () => {
			if (tried) failToStore();
		};
		server.onRequest((request) => {
			if (!tried && Number(nameOf(request)) < 12) return SENT;
			if (ms > 0) void sleep(ms).then(crash);
			else crash();
			return tried ? DROPPED : { status: 429, headers: { 'retry-after': '30' } };
		});
		await run(list(60), { options, answers: 'as before' });
		startNewProcess();
		store.onCall = () => {};
		const { results } = await run(list(60), { ...RETRY, options });
		expect(tried).toEqual(list(13).split(' '));
		expect(results).toMatch(/^((sent|unknown) ){12}(unknown|m12)( (unknown|m\d+)){47}$/);
		const never = results.split(' ').slice(13);
		expect(never.filter((result) => result === 'unknown').length).toBeLessThanOrEqual(10);
	});
});

test('a write has as many sends as took 0.7 s, at least those in progress, and at most 32 times as many as the one before', async () => {
	let now = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	const items = Array.from({ length: 1000 }, (_, i) => ({ number: String(49151000000 + i) }));
	const context = createExecuteContext({ parameters: {} }, items, CREDENTIAL, resumeToken);
	const ledger = new Ledger(context, 2, new SendOnceIds(context));
	const sends = items.map(({ number }, i) =>
		ledger.plan(i, { accountKey: '', recipient: number, image: {}, caption: '' }, false),
	);
	await ledger.lookUp();
	/** Sends all that are on record, then begins the next one. */
	const beginAfter = async (ms: number) => {
		const isNext = ({ outcome, onRecord }: (typeof sends)[number]) =>
			onRecord === 'begun' && outcome.is === 'planned';
		for (const send of sends.filter(isNext)) {
			await ledger.begin(send);
			ledger.settle(send, { is: 'begun' });
		}
		now += ms;
		await ledger.begin(sends.find(({ onRecord }) => !onRecord)!);
		return keysOf('begun').length;
	};
	try {
		expect([await beginAfter(0), await beginAfter(100)]).toEqual([2, 2 + 7]);
		expect(ledger.batchSize).toBe(7);
	} finally {
		// It watches the record until then.
		await ledger.finish();
	}
});

describe('if the next batch is late', () => {
	const onRecordAsBegun = () => keysOf('begun').length - keysOf('notSent').length;

	/** Of all requests so far: those that were not on record. */
	let missing: string[];

	/** Sends 100 or more at once, until several more are on record, then holds the next ones until `release`. */
	async function holdLast(concurrency: number, more: SendRun = {}) {
		const held: Array<() => void> = [];
		let [keys, isReleased, sentBefore] = [store.keys, false, 0];
		missing = [];
		server.onRequest((request) => {
			if (onRecordAsBegun() < server.requests.length) missing.push(nameOf(request));
			const answered = server.requests.length - 1;
			const isFirst = answered >= 100 && onRecordAsBegun() > answered + 5;
			if (isReleased || (held.length === 0 && !isFirst)) return SENT;
			if (held.length === 0) [keys, sentBefore] = [[...store.keys], answered];
			return (response) => held.push(() => response.end('{ "id": "m" }'));
		});
		const release = () => {
			isReleased = true;
			held.forEach((respond) => respond());
		};
		const options = { concurrency };
		const execution = run(list(500), { options, answers: 'as before', ...more });
		await waitUntil('a request that is held', (saw) => saw(held.length) > 0);
		return { execution, keys, release, held, sentBefore };
	}

	test.each([1, 3])('what has not begun leaves the record (%d at a time)', async (concurrency) => {
		const { execution, release, held, sentBefore } = await holdLast(concurrency);
		await waitUntil(
			'few keys of what has not begun',
			(saw) => saw(onRecordAsBegun()) <= sentBefore + held.length + concurrency,
		);
		await waitUntil(
			'the keys of what was sent',
			(saw) => saw(keysOf('sent').length) === sentBefore,
		);
		// The next few stay.
		expect(onRecordAsBegun()).toBeGreaterThan(sentBefore);
		release();
		expect((await execution).json).toHaveLength(500);
		expect(new Set(requested().split(' ')).size).toBe(500);
	});

	test('what has not begun is on record before its request, although the database failed after it took it off', async () => {
		const failure = failAfterAdding((keys) => keys.includes(':notSent:'));
		const { execution, release } = await holdLast(1);
		await waitUntil('the failure', (saw) => saw(failure.hasFailed));
		release();
		await execution;
		expect(server.requests).toHaveLength(500);
		expect(missing).toEqual([]);
	});

	test('what another worker writes back does not keep it from being sent', async () => {
		const context: IDataObject = {};
		const { execution, keys, release, sentBefore } = await holdLast(1, { context });
		const maxBegun = sentBefore + 2;
		await waitUntil('few keys of what has not begun', (saw) => saw(onRecordAsBegun()) <= maxBegun);
		const logs: string[] = [];
		store.onCall = () => logs.push(JSON.stringify(context.sendLog));
		store.keys = [...new Set([...store.keys, ...keys])];
		writeBackRemovals();
		release();
		expect((await execution).json).toEqual(Array(500).fill({ id: 'm' }));
		// Otherwise, an item that fails meanwhile would count as unknown.
		const isComplete = (log: string) => log.includes('"unknownExecutions":[],"hasLost":false');
		expect(logs.filter((log) => !isComplete(log))).toEqual([]);
	});
});

test('what another worker writes back does not let a request look as if it was not made', async () => {
	const more = { context: {}, settings: CONTINUE };
	await run('0', { ...more, answers: { 0: REFUSED } });
	jest.spyOn(store, 'removeProcessed').mockResolvedValueOnce();
	expect((await run('0', { ...more, answers: { 0: DROPPED } })).requested).toBe('0');
	await waitUntil('the removal', (saw) => saw(keysOf('notSent').length) === 0);
	startNewProcess();
	expect(await run('0', RETRY)).toMatchObject({ results: 'unknown', requested: '' });
});

testIfToldApart('what is written back of a look-up keeps no item from being sent', async () => {
	const { context } = await run(list(4), { answers: { 1: REFUSED } });
	writeBackRemovals();
	expect((await run(list(4), { ...RETRY, context })).results).toBe('m0 m1 m2 m3');
});

test('a send that begins anew is not as not sent on record any more before n8n says who may send', async () => {
	const more = { context: {}, settings: CONTINUE };
	await run('0', { ...more, answers: { 0: REFUSED } });
	const calls: string[] = [];
	store.onCall = (keys) => {
		const kinds = ['notSent', 'owner'].filter((kind) => keys.join().includes(`:${kind}:`));
		calls.push(kinds.join());
	};
	await run('0', more);
	expect(calls.slice(0, 2)).toEqual(['notSent', 'owner']);
});

describeIfToldApart('the images of one recipient', () => {
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

	test('are told apart: a retry after a crash sends the one that was refused', async () => {
		server.onRequest((request) => (tagOf(request) === 'b' ? REFUSED : SENT));
		await run(itemsOf('ab'), { parameters, settings: CONTINUE, answers: 'as before' });
		startNewProcess();
		expect((await run(itemsOf('ab'), { ...RETRY, parameters })).results).toBe('sent m0');
	});

	test('have one execution on record if an agent sends them at the same time in a retry', async () => {
		await callBoth({ mode: 'retry', context: {} });
		expect(store.keys.join()).not.toContain(':begun:2:');
		expect(server.requests).toHaveLength(2);
	});

	test('have places of their own on record if a write fails although it was stored', async () => {
		failAfterAdding(() => server.requests.length > 0);
		await run(itemsOf('zab'), { parameters, settings: CONTINUE });
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

const untilRemoved = async (end: string) =>
	await waitUntil('the removal', (saw) => !saw(isOnRecord(end)));

describeIfToldApart('a retry after a crash', () => {
	test('knows the attempt after a try that failed before its request', async () => {
		const more = { context: {}, settings: CONTINUE };
		await run('0', { ...more, answers: { 0: REFUSED } });
		await run('0', { ...more, credential: UNUSABLE });
		await crashAt('0', '0', more);
		expect(await run('0', RETRY)).toMatchObject({ results: 'unknown', requested: '' });
	});

	describe('whose log n8n has saved in between', () => {
		let context: IDataObject;
		let saved: IDataObject;
		beforeEach(async () => {
			context = {};
			await run('0 1', { context });
			saved = structuredClone(context);
		});
		const retrySaved = async (more: SendRun = {}) =>
			await run('2 3', { ...RETRY, context: saved, round: 1, ...more });

		test.each([
			['knows that it is not complete', [], CONTINUE, 'sent unknown'],
			['knows a run whose first try put nothing on record', [UNUSABLE], CONTINUE, 'sent unknown'],
			['does not know what it sent if the node was pasted back', [], PASTED, 'unknown unknown'],
		])('%s', async (_what, unusable, settings, results) => {
			for (const credential of unusable)
				await run('2 3', { context, round: 1, settings: CONTINUE, credential });
			await crashAt('3', '2 3', { context, round: 1 });
			expect(await retrySaved({ settings })).toMatchObject({ results, requested: '' });
		});

		test('knows the next run, although its own first try could not look it up', async () => {
			await crashAt('3', '2 3', { context, round: 1 });
			store.onCall = failToStore;
			await retrySaved();
			store.onCall = () => {};
			expect(await retrySaved()).toMatchObject({ results: 'sent unknown', requested: '' });
		});

		test('knows another retry, although the execution has gone on after it had waited, and ended', async () => {
			const hooks = new HeldHooks();
			const waiting = { context: structuredClone(saved), round: 1, hooks };
			expect((await run('2', waiting)).requested).toBe('2');
			const first = await retrySaved({ context: structuredClone(saved) });
			expect(first).toMatchObject({ results: 'sent m3', requested: '3' });
			await hooks.store();
			if (N8N_FEATURES.executionFinish) await untilRemoved(':execution:2');
			const results = N8N_FEATURES.executionFinish ? 'unknown sent' : 'sent sent';
			expect(await retrySaved()).toMatchObject({ results, requested: '' });
		});
	});

	test('does not take one of two items for the only one because the other cannot be read', async () => {
		await crashAt('1', [{ number: '0', caption: 'a' }, { number: '1' }]);
		const last = await run([{ number: 'none' }, { number: '0', caption: 'b' }], RETRY);
		expect(last).toMatchObject({ results: 'unknown unknown', requested: '' });
	});

	test('does not know what an item of a node was that was pasted back', async () => {
		await crashAt('1', list(2));
		expect((await run('none', { ...RETRY, settings: PASTED })).results).toBe('unknown');
	});

	test('has room for its whole list from its first call on', async () => {
		await crashAt('1', list(40));
		const limits: unknown[] = [];
		store.onCall = () => limits.push(store.limit);
		await run(list(40), RETRY);
		expect(limits[0]).toBe(75_000 + 3 * 40);
	});

	const CALLS = Array.from({ length: 14 }, (_, i) => i);
	// The last column: what the next retry says; what it and the killed one have requested.
	const KILLED = rowsOf(`
	sends nothing twice, and is right | 3 |            | (sent|unknown) unknown ((m2|sent); 2|unknown;( 2)?)
	sends nothing twice               | 2 | secretless | (sent|unknown) unknown;
	does not know what was sent       | 3 | pasted     | unknown unknown unknown;`);

	describe.each(KILLED)('%s after one that was killed (%s items, %s)', (...row) => {
		const [count, settings, expected] = [Number(row[1]), SETTINGS[row[2]], row[3]];

		test.each(CALLS)('at its call %d of the database, of a look-up and some more', async (call) => {
			resumeToken = settings.resumeToken ?? resumeToken;
			await crashAt('1', list(count));
			if (resumeToken === '') await run(list(count), RETRY);
			let calls = 0;
			store.onCall = () => {
				if (calls++ >= call) failToStore();
			};
			const killed = await run(list(count), { ...RETRY, ...settings });
			startNewProcess();
			store.onCall = () => {};
			const next = await run(list(count), { ...RETRY, ...settings });
			const all = `${next.results}; ${killed.requested}${next.requested}`.trim();
			expect(all).toMatch(new RegExp(`^${expected}$`));
		});
	});
});

test('nothing is sent if n8n cannot put it on record', async () => {
	store.onCall = failToStore;
	const { json, requested: names } = await run('0', { settings: CONTINUE });
	const description =
		'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again. The image was not sent.';
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
	expect((await run(list(3))).results).toBe('m0 m1 m2');
	expect(store.calls).toBe(1);
	expect((await run(list(3), RETRY)).results).toBe('m0 m1 m2');
	expect(store.calls).toBe(2);
	expect((await run('0', { ...RETRY, options: { timeout: 0 } })).results).toBe('notSent');
});

describeIfEndIsTold('once n8n has stored an execution', () => {
	useSimulation(store);
	let hooks: HeldHooks;
	beforeEach(() => {
		hooks = new HeldHooks();
	});

	test('its keys are removed', async () => {
		await run(list(4), { hooks, settings: CONTINUE, answers: { 2: DROPPED } });
		await untilThereAre(OWN_KEYS + 3 * 3 + 2);
		await hooks.store();
		await untilThereAre(0);
	});

	// A run more has a key, an execution more all but the two for the name of the node.
	test.each([
		['in a loop', false, OWN_KEYS + 1 + 2 * 3 + 2 * 3],
		['after it has waited', true, 2 * OWN_KEYS - 2 + 2 * 3 + 2 * 3],
	])('the keys of all its runs are removed: %s', async (_when, hasWaited, keys) => {
		const { context } = await run(list(2), hasWaited ? {} : { hooks });
		const second = hasWaited ? structuredClone(context) : context;
		expect((await run(list(2), { hooks, context: second, round: 1 })).requested).toBe('0 1');
		await untilThereAre(keys);
		await hooks.store();
		await untilThereAre(0);
	});

	test('the keys of a call of a tool that still waits for its next try stay', async () => {
		const settings = { ...CONTINUE, type: TOOL };
		const context: IDataObject = {};
		let saved: IDataObject = {};
		server.onRequest(() => {
			if (server.requests.length > 1) return SENT;
			// The agent fails because of another call.
			void sleep(2000).then(async () => {
				saved = structuredClone(context);
				await hooks.store();
			});
			return { status: 429, headers: { 'retry-after': '10' } };
		});
		const first = await run('0', { context, hooks, settings, answers: 'as before' });
		expect(first.requested).toBe('0 0');
		expect(JSON.stringify(saved)).toContain(' notSent"');
		const retried = await run('0', { mode: 'retry', context: saved, settings });
		expect(retried).toMatchObject({ results: 'sent', requested: '' });
	});

	test('that ends at once, it takes two calls in all: one before the request, and one to remove it', async () => {
		expect((await run('0', { hooks })).requested).toBe('0');
		await hooks.store();
		expect(store.calls).toBe(1);
		expect(store.keys).toHaveLength(OWN_KEYS + 2);
		await untilThereAre(0);
		expect(store.calls).toBe(2);
	});

	test('its unknown sends stay unknown for a second retry', async () => {
		const first = await run('0', { hooks, answers: { 0: DROPPED } });
		await hooks.store();
		const more = { settings: CONTINUE, options: { resendUncertain: true } };
		expect((await retry(first, more)).requested).toBe('0');
		expect(await retry(first, more)).toMatchObject({ results: 'sent', requested: '' });
	});

	test('the keys of a retry stay', async () => {
		await crashAt('0', list(2));
		await run(list(2), { ...RETRY, hooks });
		const before = store.keys.length;
		await hooks.store();
		expect(store.keys).toHaveLength(before);
	});
});

test('the calls of a tool are not on record where all executions look the same', async () => {
	const { requested: names } = await run('0', { settings: { type: TOOL }, resumeToken: '' });
	expect(names).toBe('0');
	expect(store.calls).toBe(0);
});

describe('without a secret that retries inherit', () => {
	beforeEach(() => {
		resumeToken = '';
	});

	test('many equal starts need few calls of the database', async () => {
		for (let i = 0; i < 20; i++) expect((await run('0')).requested).toBe('0');
		store.calls = 0;
		expect((await run('0')).requested).toBe('0');
		expect(store.calls).toBeLessThan(20);
	});

	testRetries(`
	does not know equal starts   | 1 of 4 | | sent unknown m2 m3 | 2 3 | sent unknown sent sent
	does not take one for itself | 0 of 2 | | unknown m1         | 1   | unknown sent`);
});

describeIfToldApart('an execution that goes on although n8n shows it as ended', () => {
	const ITEMS = list(4);
	let hooks: HeldHooks;
	beforeEach(() => {
		hooks = new HeldHooks();
	});

	/** Until the request to item 1 has an answer, another run of the execution comes and goes. */
	async function runAround(mode: 'retry' | 'webhook') {
		let other: ReturnType<typeof run> | undefined;
		server.onRequest((request) => {
			if (nameOf(request) !== '1' || other) return SENT;
			return (response) => {
				other = run(ITEMS, { mode, settings: CONTINUE, answers: 'as before' });
				void other.then(() => response.end('{ "id": "m" }'));
			};
		});
		const result = await run(ITEMS, { hooks, settings: CONTINUE, answers: 'as before' });
		expect(requested().split(' ').sort().join(' ')).toBe(ITEMS);
		return [result.results, (await other)!.results];
	}

	// An n8n that does not tell the end removes nothing.
	const IF_REMOVED = N8N_FEATURES.executionFinish
		? { results: 'unknown unknown unknown unknown', requested: '' }
		: { results: 'sent sent sent sent', requested: '' };

	describe.each(['retry', 'webhook'] as const)('while it runs once more in mode %s', (mode) => {
		test('sends nothing that the other run has begun, nor that one what it has begun', async () => {
			expect(await runAround(mode)).toEqual(['m m sent sent', 'sent unknown m m']);
		});

		test('ends, and what it has removed from the record is unknown', async () => {
			await run(ITEMS, { hooks, settings: CONTINUE });
			// Ends after the other one is on record, and before that looks up what was sent.
			let hasEnded = false;
			store.onCall = (keys) => {
				if (hasEnded || !keys.some((key) => String(key).endsWith(':owner:2'))) return;
				hasEnded = true;
				void hooks.store();
			};
			expect(await run(ITEMS, { mode, settings: CONTINUE })).toMatchObject(IF_REMOVED);
		});
	});

	// docs/no-duplicate-sends.md names this limit: nothing tells that the execution was there.
	test('ends before its retry reaches the node, which sends again', async () => {
		await run(ITEMS, { hooks, settings: CONTINUE });
		await hooks.store();
		const { requested: names } = await run(ITEMS, RETRY);
		expect(names).toBe(N8N_FEATURES.executionFinish ? ITEMS : '');
	});

	test('ends after its retry has begun, which is killed: all is unknown to the next one', async () => {
		await run(ITEMS, { hooks, settings: CONTINUE });
		await run(ITEMS, RETRY);
		await hooks.store();
		if (N8N_FEATURES.executionFinish) await untilRemoved(':execution:1');
		expect(await run(ITEMS, RETRY)).toMatchObject(IF_REMOVED);
	});

	test('is fenced off by a retry in another process, and keeps no ID for what it does not send', async () => {
		server.onRequest(() => {
			const prefix = String(store.keys[0]).split(':').slice(0, 2).join(':');
			const others = store.keys.filter((key) => key !== `${prefix}:owner:1`);
			const added = ['execution:2', 'execution:2:sure', 'owner:2'].map((end) => `${prefix}:${end}`);
			store.keys = [...others, ...added];
			return SENT;
		});
		const options = { sendOnceId: '={{ $json.number }}' };
		const result = await run(ITEMS, { options, hooks, settings: CONTINUE, answers: 'as before' });
		expect(result).toMatchObject({ results: 'm unknown unknown unknown', requested: '0' });
		expect(store.ids).toEqual(['0']);
	});

	test('is not fenced off by what another process overwrites, or writes back of a look-up', async () => {
		server.onRequest(() => {
			const others = store.keys.filter((key) => !/:(owner|witness):1$/.test(String(key)));
			const execution = String(store.keys[0]).replace(/:1$/, ':2');
			store.keys = [...others, execution, `${execution}:sure`];
			return SENT;
		});
		const { results } = await run(ITEMS, { settings: CONTINUE, answers: 'as before' });
		expect(results).toBe('m m m m');
	});

	test('that has met its retry leaves the record to it', async () => {
		await runAround('retry');
		await hooks.store();
		expect((await run(ITEMS, RETRY)).requested).toBe('');
	});
});
