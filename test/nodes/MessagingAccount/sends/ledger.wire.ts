import { ExecuteContext } from 'n8n-core';
import type { IDataObject, WorkflowExecuteMode } from 'n8n-workflow';

import { ProcessedData } from '../../../../nodes/MessagingAccount/n8n/processedData';
import { Ledger } from '../../../../nodes/MessagingAccount/sends/ledger';
import { SendOnceIds } from '../../../../nodes/MessagingAccount/sends/sendOnceIds';
import { sleep } from '../../../../nodes/MessagingAccount/shared/sleep';
import { CREDENTIAL, runNode, type NodeResult, type NodeRun } from '../../../support/engine';
import { createExecuteContext } from '../../../support/executeContext';
import { HeldHooks } from '../../../support/heldHooks';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { useNoJitter } from '../../../support/noJitter';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import {
	useScriptedServer,
	type RecordedRequest,
	type Script,
} from '../../../support/scriptedServer';
import { finish, until, useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import {
	describeIfEndIsTold,
	describeIfToldApart,
	testIfToldApart,
} from '../../../support/toldApart';
import { waitUntil } from '../../../support/waitUntil';

const PARAMETERS = {
	operation: 'sendImage',
	number: '={{ $json.number }}',
	url: 'https://example.com/a.png',
};
const TOOL = 'n8n-nodes-messaging-account.messagingAccountTool';
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const RETRY = { mode: 'retry', settings: CONTINUE } as const;
const DROPPED: Script = (_response, socket) => socket.destroy();
const REFUSED: Script = { status: 422 };

/** Those that an execution has on record besides its sends. */
const OWN_KEYS = 6;

useNoJitter();
const server = useScriptedServer();
const store = useProcessedDataStore();

/** Each test has its own executions: n8n-core's memory of the node is shared by all. */
let resumeToken = '';
beforeEach(() => {
	resumeToken = expect.getState().currentTestName!;
});

const createItems = (count: number) =>
	Array.from({ length: count }, (_, i) => ({ number: String(49151000000 + i) }));

async function execute(
	items: IDataObject[],
	options: IDataObject = {},
	more: Partial<NodeRun> = {},
): Promise<NodeResult> {
	const run = runNode({
		mode: 'webhook',
		parameters: { ...PARAMETERS, options } as NodeRun['parameters'],
		items,
		resumeToken,
		hooks: new HeldHooks(),
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});
	return await finish(run);
}

/** Has the execution canceled after the node, and before n8n stores it. */
function cancelAfterNode(): { hooks: HeldHooks; onStart: NodeRun['onStart'] } {
	const hooks = new HeldHooks();
	return { hooks, onStart: ({ cancel }) => (hooks.onNodeExecuted = cancel) };
}

/** Before 2.33, n8n did not tell nodes that an execution has ended. */
async function executeOnEarlierN8n(more: Partial<NodeRun>): Promise<void> {
	const prototype = ExecuteContext.prototype;
	Object.defineProperty(prototype, 'onExecutionFinish', { value: undefined, configurable: true });
	try {
		await execute(createItems(1), {}, more);
	} finally {
		Reflect.deleteProperty(prototype, 'onExecutionFinish');
	}
}

const numberOf = ({ body }: RecordedRequest) => Number((body as IDataObject).number) - 49151000000;
const requested = () => server.requests.map(numberOf);
const jsonOf = ({ outputs }: NodeResult) => outputs[0].map(({ json }) => json);
const resultsOf = (result: NodeResult) =>
	jsonOf(result).map(({ id, sent, error }) => sent ?? id ?? (error as IDataObject).delivery);
/** One key of each send. */
const keysOf = (kind: string) =>
	store.keys.filter((key) => new RegExp(`:${kind}:\\d+:[^:.]+:\\d+$`).test(String(key)));
/** What nobody waits for is done within a second. */
const untilThereAre = (count: number, kind?: string) =>
	until(`${count} keys`, (saw) => saw(kind ? keysOf(kind) : store.keys).length === count);

/** Another worker writes back whatever this one removes. */
const writeBackRemovals = () => jest.spyOn(store, 'removeProcessed').mockResolvedValue();

function respondExcept(scripts: Record<number, Script>): void {
	server.onRequest((request) => scripts[numberOf(request)] ?? { body: { id: 'm' } });
}

/**
 * Executes the node until n8n crashes at the request to an item: nothing that happens later reaches the database, and n8n has
 * stored no context.
 */
async function crashAt(
	item: number,
	items: IDataObject[],
	options: IDataObject = {},
	more: Partial<NodeRun> = {},
): Promise<void> {
	let hasCrashed = false;
	store.onCall = () => {
		if (hasCrashed) throw new Error('n8n has crashed');
	};
	server.onRequest((request) => {
		hasCrashed ||= numberOf(request) === item;
		return hasCrashed ? DROPPED : { body: { id: 'm' } };
	});
	await execute(items, options, more);
	expect(hasCrashed).toBe(true);
	startNewProcess();
	store.onCall = () => {};
	server.requests.length = 0;
	respondExcept({});
}

describeIfToldApart('after a crash', () => {
	test('a retry sends what was not begun, and says what was sent and what is unknown', async () => {
		await crashAt(1, createItems(4));
		const retry = await execute(createItems(4), {}, RETRY);
		expect(jsonOf(retry)[0]).toEqual({ id: null, sent: true });
		expect(jsonOf(retry)[1].error).toMatchObject({
			message:
				'An earlier attempt to send this item ended without a clear result (n8n may have stopped before it ended) [item 1]',
			delivery: 'unknown',
		});
		expect(resultsOf(retry)).toEqual([true, 'unknown', 'm', 'm']);
		expect(requested()).toEqual([2, 3]);
	});

	test('a retry keeps what it has found, also if n8n drops it from the record', async () => {
		await crashAt(1, createItems(2));
		const { context } = await execute(createItems(2), {}, RETRY);
		store.keys = [];
		const second = await execute(createItems(2), {}, { ...RETRY, context });
		expect(resultsOf(second)).toEqual([true, 'unknown']);
		expect(server.requests).toEqual([]);
	});

	test('a retry finds sends whose captions have the current time', async () => {
		const parameters = { ...PARAMETERS, caption: '={{ $now.toMillis() }} {{ Math.random() }}' };
		await crashAt(1, createItems(2), {}, { parameters });
		const retry = await execute(createItems(2), {}, { ...RETRY, parameters });
		expect(resultsOf(retry)).toEqual([true, 'unknown']);
		expect(server.requests).toEqual([]);
	});

	test('a second retry sends nothing more', async () => {
		await crashAt(1, createItems(3));
		await execute(createItems(3), {}, RETRY);
		server.requests.length = 0;
		const second = await execute(createItems(3), {}, RETRY);
		expect(server.requests).toEqual([]);
		expect(resultsOf(second)).toEqual([true, 'unknown', true]);
	});

	test('a retry with Resend When Uncertain sends also what is unknown, once', async () => {
		await crashAt(0, createItems(2));
		const options = { resendUncertain: true };
		await execute(createItems(2), options, RETRY);
		expect(requested()).toEqual([0, 1]);
		await execute(createItems(2), options, RETRY);
		expect(requested()).toEqual([0, 1]);
	});

	test('an item that cannot be sent now may have been sent', async () => {
		await crashAt(0, createItems(1));
		const retry = await execute(createItems(1), { timeout: 0 }, RETRY);
		expect(resultsOf(retry)).toEqual(['unknown']);
	});

	test('an item that cannot be sent may have been sent, if the record cannot be read', async () => {
		store.onCall = () => {
			throw new Error('The database is locked');
		};
		expect(resultsOf(await execute(createItems(1), {}, RETRY))).toEqual(['unknown']);
	});

	test('what is on record is not sent if the database fails while a retry looks it up', async () => {
		await crashAt(2, createItems(3), { concurrency: 3 });
		store.onCall = (keys) => {
			if (keys.some((key) => String(key).endsWith(':look-up'))) throw new Error('It is locked');
		};
		const retry = await execute(createItems(3), { concurrency: 3 }, RETRY);
		const error = {
			message: expect.stringContaining('It is locked') as string,
			delivery: 'unknown',
		};
		expect(jsonOf(retry)).toMatchObject(Array(3).fill({ error }));
		expect(server.requests).toEqual([]);
	});

	test('a retry finds the first of many thousands that were sent', async () => {
		await crashAt(1, createItems(2));
		store.keys.push(...Array.from({ length: 40_000 }, (_, i) => `origin:begun:${i}`));
		const retry = await execute(createItems(2), {}, RETRY);
		expect(resultsOf(retry)).toEqual([true, 'unknown']);
	});

	test('of another execution, nothing is known', async () => {
		await crashAt(1, createItems(2));
		await execute(createItems(2), {}, { ...RETRY, resumeToken: 'another' });
		expect(requested()).toEqual([0, 1]);
	});

	test('a new start sends everything', async () => {
		await crashAt(1, createItems(2));
		await execute(createItems(2), {}, { resumeToken: 'another' });
		expect(requested()).toEqual([0, 1]);
	});

	test('what was sent is unknown if n8n crashed during a retry that looked it up', async () => {
		await crashAt(1, createItems(2));
		let hasCrashed = false;
		store.onCall = () => {
			hasCrashed ||= store.keys.some((key) => String(key).endsWith(':look-up'));
			if (hasCrashed) throw new Error('n8n has crashed');
		};
		await execute(createItems(2), {}, RETRY);
		store.onCall = () => {};
		const retry = await execute(createItems(2), {}, RETRY);
		expect(resultsOf(retry)).toEqual(['unknown', 'unknown']);
		expect(server.requests).toEqual([]);
	});
});

describeIfToldApart('a second retry of the same execution', () => {
	test('knows what the first one sent, and leaves out what that has not tried', async () => {
		respondExcept({ 0: REFUSED });
		const first = await execute(createItems(3));
		const context = JSON.stringify(first.context);
		const retry = async (scripts: Record<number, Script>) => {
			respondExcept(scripts);
			server.requests.length = 0;
			const settings = { context: JSON.parse(context) as IDataObject, mode: 'retry' } as const;
			return await execute(createItems(3), {}, settings);
		};
		await retry({ 1: REFUSED });
		expect(requested()).toEqual([0, 1]);
		const second = await retry({});
		expect(requested()).toEqual([1, 2]);
		expect(jsonOf(second)).toEqual([{ id: null, sent: true }, { id: 'm' }, { id: 'm' }]);
	});

	test('is not needed to know what cannot be sent: its log is complete', async () => {
		let { context } = await execute(createItems(1), { timeout: 0 }, { settings: CONTINUE });
		for (let retries = 0; retries < 2; retries++) {
			const retry = await execute(createItems(1), { timeout: 0 }, { ...RETRY, context });
			expect(resultsOf(retry)).toEqual(['notSent']);
			({ context } = retry);
		}
	});

	test('makes the logs of all others incomplete', async () => {
		respondExcept({ 0: REFUSED });
		const stop = { mode: 'webhook' } as const;
		const original = JSON.stringify((await execute(createItems(3), {}, stop)).context);
		const retry = async (context: string, scripts: Record<number, Script>) => {
			respondExcept(scripts);
			server.requests.length = 0;
			const stored = JSON.parse(context) as IDataObject;
			return await execute(createItems(3), {}, { context: stored, mode: 'retry' });
		};
		const first = JSON.stringify((await retry(original, { 0: REFUSED })).context);
		const second = JSON.stringify((await retry(first, { 0: REFUSED })).context);
		await retry(original, { 2: REFUSED });
		expect(requested()).toEqual([0, 1, 2]);
		for (const context of [second, first, original]) {
			await retry(context, { 2: REFUSED });
			expect(requested()).toEqual([2]);
		}
	});

	test.each([
		['of the one before that', REFUSED, {}, [0, 0, 0, 1]],
		['of one that knew at once what it had to say', DROPPED, { timeout: 0 }, [0, 1]],
	])('is known to a retry %s, which can send nothing', async (_what, script, options, requests) => {
		const retry = async (result: NodeResult, item0: Script, more: Partial<NodeRun> = {}) => {
			respondExcept({ 0: item0 });
			const context = structuredClone(result.context);
			return await execute(createItems(2), options, { mode: 'retry', ...more, context });
		};
		respondExcept({ 0: script });
		const original = await execute(createItems(2));
		const sending = { parameters: PARAMETERS, settings: CONTINUE };
		if (script === DROPPED) await retry(original, script, sending);
		const before = await retry(original, script);
		if (script === REFUSED) await retry(original, script, sending);
		const broken = { parameters: { ...PARAMETERS, options: { timeout: 0 } }, settings: CONTINUE };
		expect(resultsOf(await retry(before, script, broken))[1]).toBe('unknown');
		expect(requested()).toEqual(requests);
	});

	const SENT: Script = { body: { id: 'm' } };
	const failToRecord = () => {
		throw new Error('The database is locked');
	};

	test.each([
		['the execution, with an invalid option', [DROPPED], { timeout: 0 }, () => {}],
		['the execution, without the record', [DROPPED], {}, failToRecord],
		['another retry, with an invalid option', [REFUSED, DROPPED], { timeout: 0 }, () => {}],
	])(
		'is known to one after it, also if a retry between them could send nothing, after %s',
		async (_what, failures, options, onCall) => {
			const run = async (script: Script, context?: string, broken: IDataObject = {}) => {
				respondExcept({ 0: script });
				server.requests.length = 0;
				const retry: Partial<NodeRun> = context
					? { mode: 'retry', context: JSON.parse(context) as IDataObject }
					: {};
				const result = await execute(createItems(1), { resendUncertain: true, ...broken }, retry);
				return { result, context: JSON.stringify(result.context) };
			};
			const [first, ...others] = failures;
			const original = (await run(first)).context;
			let failed = original;
			for (const script of others) failed = (await run(script, failed)).context;
			store.onCall = onCall;
			const between = (await run(SENT, failed, options)).context;
			store.onCall = () => {};
			await run(SENT, original);
			expect(requested()).toEqual([0]);
			const { result } = await run(SENT, between);
			expect(resultsOf(result)).toEqual([true]);
			expect(server.requests).toEqual([]);
		},
	);

	test('at the same time sends nothing that the first has begun', async () => {
		await crashAt(0, createItems(4));
		const retries = [1, 2].map(async () => await execute(createItems(4), {}, RETRY));
		const results = (await Promise.all(retries)).map(resultsOf);
		expect([...requested()].sort()).toEqual([1, 2, 3]);
		for (const item of [1, 2, 3]) expect(results.map((one) => one[item])).toContain('m');
	});

	test('at the same time sends nothing that the first has begun, after an execution that failed, too', async () => {
		respondExcept({ 0: REFUSED });
		const context = JSON.stringify((await execute(createItems(6))).context);
		server.requests.length = 0;
		const held: Array<() => void> = [];
		server.onRequest(() => (response) => {
			held.push(() => response.end('{ "id": "m" }'));
			if (held.length === 6) held.forEach((respond) => respond());
		});
		const retry = async (concurrency: number) =>
			await execute(
				createItems(6),
				{ concurrency },
				{ ...RETRY, context: JSON.parse(context) as IDataObject },
			);
		// The second one begins all of them at once, while the first one waits for the response to its first.
		const one = retry(1);
		await waitUntil('its request', (saw) => saw(server.requests).length === 1);
		const both = await Promise.all([one, retry(6)]);
		expect([...requested()].sort()).toEqual([0, 1, 2, 3, 4, 5]);
		const [first, second] = both.map(resultsOf);
		first.forEach((result, i) => expect([result, second[i]]).toContain('m'));
		expect(JSON.stringify(jsonOf(both[0]))).toContain('"sent":true');
		expect(resultsOf(await retry(1))).toEqual(Array(6).fill(true));
	});

	test('tells why an item is unknown', async () => {
		respondExcept({ 0: DROPPED });
		const context = JSON.stringify((await execute(createItems(1))).context);
		const retry = async () =>
			await execute(createItems(1), {}, { ...RETRY, context: JSON.parse(context) as IDataObject });
		const first = jsonOf(await retry());
		expect((first[0].error as IDataObject).message).not.toContain('n8n may have stopped');
		expect(jsonOf(await retry())).toEqual(first);
	});
});

test('before a request is made, it is on record', async () => {
	let missing = 0;
	server.onRequest(() => {
		if (keysOf('begun').length < server.requests.length) missing++;
		return { body: { id: 'm' } };
	});
	await execute(createItems(50), { concurrency: 5 });
	expect(missing).toBe(0);
	expect(keysOf('sent')).toHaveLength(50);
});

test.each([1, 3])(
	'what was not sent is on record as that (concurrency %d)',
	async (concurrency) => {
		respondExcept({ 1: REFUSED, 2: DROPPED });
		await execute(createItems(4), { concurrency }, { settings: CONTINUE });
		expect(keysOf('begun')).toHaveLength(4);
		expect(keysOf('notSent')).toHaveLength(1);
		await untilThereAre(2, 'sent');
	},
);

test('what was not started is on record as not sent', async () => {
	respondExcept({ 40: REFUSED });
	await execute(createItems(100));
	expect(keysOf('begun').length - keysOf('notSent').length).toBe(40);
});

test('an item that cannot be sent is not on record, and does not keep others from being sent', async () => {
	respondExcept({});
	const items = [...createItems(2), { number: 'none' }, ...createItems(5).slice(2)];
	const result = await execute(items, {}, { settings: CONTINUE });
	expect(resultsOf(result)).toEqual(['m', 'm', 'notSent', 'm', 'm', 'm']);
	expect(keysOf('begun')).toHaveLength(5);
});

test('nothing of an item is on record if the credential cannot be used', async () => {
	await execute(createItems(2), {}, { settings: CONTINUE, credential: { baseUrl: 'nonsense' } });
	expect(store.keys).toEqual([]);
});

test('after a refusal with Retry-After, the next attempt is on record again', async () => {
	let refusals = 0;
	server.onRequest((request) => {
		const mustWait = numberOf(request) === 0 && ++refusals < 3;
		return mustWait ? { status: 429, headers: { 'retry-after': '0' } } : { body: { id: 'm' } };
	});
	await execute(createItems(3), { concurrency: 2 });
	expect(keysOf('begun')).toHaveLength(3);
	await untilThereAre(3, 'sent');
});

describe('while an execution goes on', () => {
	useSimulation(store);

	test('long lists take few writes', async () => {
		respondExcept({});
		// All sends fit into a batch, however fast this machine is.
		jest.spyOn(Date, 'now').mockReturnValue(Date.now());
		expect(resultsOf(await execute(createItems(300)))).toEqual(Array(300).fill('m'));
		expect(store.calls).toBeLessThan(10);
		expect(store.overlaps).toBe(0);
	});

	test('with a long delay between sends, each outcome is on record before the next send', async () => {
		const sentAtRequest: number[] = [];
		server.onRequest(() => {
			sentAtRequest.push(keysOf('sent').length);
			return { body: { id: 'm' } };
		});
		await execute(createItems(2), { delayBetweenSends: 700 });
		expect(sentAtRequest).toEqual([0, 1]);
	});

	test('if the database fails once, the outcomes are on record with the next write', async () => {
		server.onRequest(() => {
			let isFirst = true;
			store.onCall = () => {
				if (isFirst && keysOf('sent').length === 0) {
					isFirst = false;
					throw new Error('The database is locked');
				}
			};
			return { body: { id: 'm' } };
		});
		await execute(createItems(2), { delayBetweenSends: 3000 });
		await untilThereAre(2, 'sent');
	});
});

describe('a write', () => {
	const ledgers: Ledger[] = [];

	// A ledger watches the record until then.
	afterEach(async () => {
		for (const ledger of ledgers.splice(0)) await ledger.finish();
	});

	/** A ledger with sends that are all planned. */
	async function createLedger(count: number, concurrency: number, mode: WorkflowExecuteMode) {
		const settings = { parameters: PARAMETERS };
		const context = createExecuteContext(settings, createItems(count), CREDENTIAL, resumeToken);
		Object.assign(context, { getMode: () => mode });
		const ledger = new Ledger(context, concurrency, new SendOnceIds(context));
		ledgers.push(ledger);
		const sends = createItems(count).map(({ number }, i) =>
			ledger.plan(i, { recipient: number, image: {}, caption: '' }, false),
		);
		await ledger.lookUp();
		return { ledger, sends };
	}

	test('has as many sends as took 0.7 s, at least those in progress, and at most 32 times as many as the one before', async () => {
		let now = 0;
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		const { ledger, sends } = await createLedger(1000, 2, 'webhook');
		/** Sends all that are on record, then begins the next one. */
		const beginAfter = async (ms: number) => {
			const onRecord = sends.filter(
				({ outcome, onRecord: at }) => at === 'begun' && outcome.is === 'planned',
			);
			for (const send of onRecord) {
				await ledger.begin(send);
				ledger.settle(send, { is: 'begun' });
			}
			now += ms;
			await ledger.begin(sends.find(({ onRecord: at }) => !at)!);
			return keysOf('begun').length;
		};
		expect(await beginAfter(0)).toBe(2);
		expect(await beginAfter(100)).toBe(2 + 7);
		expect(ledger.batchSize).toBe(7);
		jest.restoreAllMocks();
	});
});

describe('if the next batch is late', () => {
	const onRecordAsBegun = () => keysOf('begun').length - keysOf('notSent').length;

	/** Sends some at once, then holds the next ones until `release`. */
	async function holdLast(count: number, concurrency: number, more: Partial<NodeRun> = {}) {
		const held: Array<() => void> = [];
		let keys: typeof store.keys = [];
		server.onRequest((request) => {
			if (numberOf(request) < count) return { body: { id: 'm' } };
			if (held.length === 0) keys = [...store.keys];
			return (response) => held.push(() => response.end('{ "id": "m" }'));
		});
		const execution = execute(createItems(count + 400), { concurrency }, more);
		await waitUntil(`the request of item ${count}`, (saw) => saw(requested()).includes(count));
		return { execution, keys, release: () => held.forEach((respond) => respond()) };
	}

	test.each([1, 3])(
		'what has not begun is taken off the record, but for the next few, and what was sent is put on it (concurrency %d)',
		async (concurrency) => {
			const { execution, release } = await holdLast(100, concurrency);
			const inProgress = () => requested().filter((item) => item >= 100).length;
			await waitUntil(
				'few keys of what has not begun',
				(saw) => saw(onRecordAsBegun()) <= 100 + inProgress() + concurrency,
			);
			await waitUntil(
				'the keys of what was sent',
				(saw) => saw(keysOf('sent').length) === server.requests.length - inProgress(),
			);
			expect(onRecordAsBegun()).toBeGreaterThan(100);
			server.respondWith({ body: { id: 'm' } });
			release();
			expect(resultsOf(await execution)).toHaveLength(500);
			expect(new Set(requested()).size).toBe(500);
		},
	);

	test('what has not begun is on record before its request, although the database failed after it took it off', async () => {
		const { execution, release } = await holdLast(100, 1);
		const add = store.checkProcessedAndRecord.bind(store);
		let hasFailed = false;
		jest.spyOn(store, 'checkProcessedAndRecord').mockImplementation(async (keys, ...rest) => {
			const result = await add(keys, ...rest);
			if (hasFailed || !keys.some((key) => String(key).includes(':notSent:'))) return result;
			hasFailed = true;
			throw new Error('The connection was lost');
		});
		await waitUntil('the failure', (saw) => saw(hasFailed));
		let missing = 0;
		server.onRequest(() => {
			if (onRecordAsBegun() < server.requests.length) missing++;
			return { body: { id: 'm' } };
		});
		release();
		await execution;
		expect([server.requests.length, missing]).toEqual([500, 0]);
	});

	test('what another worker writes back does not keep it from being sent', async () => {
		const context: IDataObject = {};
		const { execution, keys, release } = await holdLast(100, 1, { context });
		await waitUntil('few keys of what has not begun', (saw) => saw(onRecordAsBegun()) <= 102);
		const logs: string[] = [];
		store.onCall = () => logs.push(JSON.stringify(context.sendLog));
		store.keys = [...new Set([...store.keys, ...keys])];
		writeBackRemovals();
		server.respondWith({ body: { id: 'm' } });
		release();
		expect(resultsOf(await execution)).toEqual(Array(500).fill('m'));
		// Otherwise, an item that fails meanwhile would count as unknown.
		const isComplete = (log: string) => log.includes('"unknownExecutions":[],"hasLost":false');
		expect(logs.filter((log) => !isComplete(log))).toEqual([]);
	});
});

test('what another worker writes back does not keep a refused item from being sent in a retry', async () => {
	let refused: unknown[] = [];
	server.onRequest(() => {
		refused = [...store.keys];
		return REFUSED;
	});
	const { context } = await execute(createItems(1), {}, { settings: CONTINUE });
	store.keys = refused as typeof store.keys;
	respondExcept({});
	expect(resultsOf(await execute(createItems(1), {}, { context, round: 0 }))).toEqual(['m']);
});

test('what another worker writes back does not let a request look as if it was not made', async () => {
	const context: IDataObject = {};
	respondExcept({ 0: REFUSED });
	await execute(createItems(1), {}, { context, settings: CONTINUE });
	jest.spyOn(store, 'removeProcessed').mockResolvedValueOnce();
	respondExcept({ 0: DROPPED });
	await execute(createItems(1), {}, { context, settings: CONTINUE });
	await waitUntil('the removal', (saw) => saw(keysOf('notSent').length) === 0);
	startNewProcess();
	expect(resultsOf(await execute(createItems(1), {}, RETRY))).toEqual(['unknown']);
	expect(requested()).toEqual([0, 0]);
});

testIfToldApart(
	'what another worker writes back of a look-up does not keep an item from being sent',
	async () => {
		respondExcept({ 1: REFUSED });
		const { context } = await execute(createItems(4), { concurrency: 1 });
		writeBackRemovals();
		respondExcept({});
		const retry = await execute(createItems(4), {}, { ...RETRY, context, round: 0 });
		expect(resultsOf(retry)).toEqual(Array(4).fill('m'));
	},
);

test('a send that begins anew is not as not sent on record any more before n8n says who may send', async () => {
	const context: IDataObject = {};
	respondExcept({ 0: REFUSED });
	await execute(createItems(1), {}, { context, settings: CONTINUE });
	const calls: string[] = [];
	store.onCall = (keys) => {
		const kinds = ['notSent', 'owner'].filter((kind) => keys.join().includes(`:${kind}:`));
		calls.push(kinds.join());
	};
	await execute(createItems(1), {}, { context, settings: CONTINUE });
	expect(calls.slice(0, 2)).toEqual(['notSent', 'owner']);
});

describeIfToldApart('the images of one recipient', () => {
	const parameters = { ...PARAMETERS, url: '=https://example.com/{{ $json.tag }}.png' };
	const itemOf = (tag: string) => ({ number: '49151000000', tag });
	const respondWith = (scripts: Record<string, Script>) =>
		server.onRequest(({ body }) => {
			const [tag] = (body as { url: string }).url.slice('https://example.com/'.length);
			return scripts[tag] ?? { body: { id: 'm' } };
		});

	test('have places of their own on record if an agent sends them at the same time', async () => {
		const settings = { ...CONTINUE, type: TOOL };
		const call = async (tag: string, more: Partial<NodeRun>) =>
			resultsOf(await execute([itemOf(tag)], {}, { parameters, settings, ...more }))[0];
		const context = {};
		respondWith({ b: REFUSED });
		await Promise.all(['a', 'b'].map(async (tag) => await call(tag, { context })));
		const isSent = () => store.keys.some((key) => String(key).includes(':sent:'));
		await until('a is on record as sent', (saw) => saw(isSent()));
		startNewProcess();
		respondWith({});
		const retry: Partial<NodeRun> = { mode: 'retry', context: {} };
		expect([await call('a', retry), await call('b', retry)]).toEqual([true, 'm']);
	});

	test('have one execution on record if an agent sends them at the same time in a retry', async () => {
		const settings = { ...CONTINUE, type: TOOL };
		const context: IDataObject = {};
		const more = { ...RETRY, parameters, settings, context };
		respondWith({});
		await Promise.all(['a', 'b'].map(async (tag) => await execute([itemOf(tag)], {}, more)));
		expect(store.keys.join()).not.toContain(':begun:2:');
		expect(server.requests).toHaveLength(2);
	});

	test('have places of their own on record if a write fails although it was stored', async () => {
		const items = [{ number: '49151000001', tag: 'z' }, ...['a', 'b'].map(itemOf)];
		const add = store.checkProcessedAndRecord.bind(store);
		let hasFailed = false;
		jest.spyOn(store, 'checkProcessedAndRecord').mockImplementation(async (...args) => {
			const result = await add(...args);
			if (hasFailed || server.requests.length === 0) return result;
			hasFailed = true;
			throw new Error('The connection was lost');
		});
		respondWith({});
		await execute(items, {}, { parameters, settings: CONTINUE });
		jest.restoreAllMocks();
		startNewProcess();
		expect(resultsOf(await execute(items, {}, { ...RETRY, parameters }))).toEqual([
			true,
			'm',
			true,
		]);
	});
});

describeIfToldApart('a retry after a crash', () => {
	test('knows the attempt after a try that failed before its request', async () => {
		const context: IDataObject = {};
		respondExcept({ 0: REFUSED });
		await execute(createItems(1), {}, { context, settings: CONTINUE });
		const credential = { ...CREDENTIAL, baseUrl: 'none' };
		await execute(createItems(1), {}, { context, settings: CONTINUE, credential });
		await crashAt(0, createItems(1), {}, { context });
		expect(resultsOf(await execute(createItems(1), {}, RETRY))).toEqual(['unknown']);
		expect(requested()).toEqual([]);
	});

	describe('whose log n8n has saved in between', () => {
		const [first, second] = [createItems(4).slice(0, 2), createItems(4).slice(2)];
		let context: IDataObject;
		let saved: IDataObject;
		beforeEach(async () => {
			respondExcept({});
			context = {};
			await execute(first, {}, { context });
			saved = structuredClone(context);
			server.requests.length = 0;
		});
		const retry = async (more: Partial<NodeRun> = {}) =>
			await execute(second, {}, { ...RETRY, context: saved, round: 1, ...more });

		test('knows that it is not complete', async () => {
			await crashAt(3, second, {}, { context, round: 1 });
			expect(resultsOf(await retry())).toEqual([true, 'unknown']);
			expect(requested()).toEqual([]);
		});

		test('knows a run whose first try put nothing on record', async () => {
			const credential = { ...CREDENTIAL, baseUrl: 'none' };
			await execute(second, {}, { context, round: 1, settings: CONTINUE, credential });
			await crashAt(3, second, {}, { context, round: 1 });
			expect(resultsOf(await retry())).toEqual([true, 'unknown']);
			expect(requested()).toEqual([]);
		});

		test('knows the next run, although its own first try could not look it up', async () => {
			await crashAt(3, second, {}, { context, round: 1 });
			let isFirst = true;
			store.onCall = () => {
				if (isFirst) throw new Error('The database is locked');
			};
			await retry();
			isFirst = false;
			expect(resultsOf(await retry())).toEqual([true, 'unknown']);
			expect(requested()).toEqual([]);
		});

		test('does not know what the node has sent since if it was pasted back', async () => {
			await crashAt(3, second, {}, { context, round: 1 });
			const pasted = await retry({ settings: { ...CONTINUE, id: 'pasted' } });
			expect(resultsOf(pasted)).toEqual(['unknown', 'unknown']);
			expect(requested()).toEqual([]);
		});

		test('knows another retry, although the execution has gone on after it had waited, and ended', async () => {
			const hooks = new HeldHooks();
			const waiting = structuredClone(saved);
			await execute(second.slice(0, 1), {}, { context: waiting, round: 1, hooks });
			expect(resultsOf(await retry({ context: structuredClone(saved) }))).toEqual([true, 'm']);
			await hooks.store();
			if (N8N_FEATURES.executionFinish) {
				const isRemoved = () => !store.keys.some((key) => String(key).endsWith(':execution:2'));
				await waitUntil('the removal', (saw) => saw(isRemoved()));
			}
			const expected = N8N_FEATURES.executionFinish ? 'unknown' : true;
			expect(resultsOf(await retry())).toEqual([expected, true]);
			expect(requested()).toEqual([2, 3]);
		});

		test('keeps it from sending when it goes on', async () => {
			expect(resultsOf(await retry())).toEqual(['m', 'm']);
			const more = { context, round: 1, settings: CONTINUE };
			expect(resultsOf(await execute(second, {}, more))).toEqual([true, true]);
			expect(requested()).toEqual([2, 3]);
		});
	});

	test('does not take one of two items for the only one because the other cannot be read', async () => {
		await crashAt(1, [{ number: '49151000000', note: 'a' }, { number: '49151000001' }], {}, {
			parameters: { ...PARAMETERS, caption: '={{ $json.note }}' },
		} as Partial<NodeRun>);
		const parameters = { ...PARAMETERS, caption: '={{ $json.note }}' };
		const items = [{ number: 'none' }, { number: '49151000000', note: 'b' }];
		const retry = await execute(items, {}, { ...RETRY, parameters } as Partial<NodeRun>);
		expect(resultsOf(retry)).toEqual(['unknown', 'unknown']);
		expect(requested()).toEqual([]);
	});

	test('does not know what an item of a node was that was pasted back', async () => {
		await crashAt(1, createItems(2));
		const settings = { ...CONTINUE, id: 'pasted' };
		const retry = await execute([{ number: 'none' }], {}, { mode: 'retry', settings });
		expect(resultsOf(retry)).toEqual(['unknown']);
	});

	test('has room for its whole list from its first call on', async () => {
		await crashAt(1, createItems(40));
		const limits: unknown[] = [];
		store.onCall = () => limits.push(store.limit);
		await execute(createItems(40), {}, RETRY);
		expect(limits[0]).toBe(75_000 + 3 * 40);
	});
});

describeIfToldApart('a retry is killed at any of its calls of the database', () => {
	/** The calls of a look-up, and some more. */
	const CALLS = Array.from({ length: 14 }, (_, i) => [i]);

	/** Kills a retry at a call, and returns the results of the next one. */
	async function retryAgain(
		call: number,
		items: IDataObject[],
		settings: Partial<NodeRun['settings']> = {},
	) {
		const retry = { mode: 'retry', settings: { ...CONTINUE, ...settings } } as const;
		let calls = 0;
		store.onCall = () => {
			if (calls++ >= call) throw new Error('n8n has crashed');
		};
		await execute(items, {}, retry);
		startNewProcess();
		store.onCall = () => {};
		return resultsOf(await execute(items, {}, retry));
	}

	test.each(CALLS)(
		'%d: the next one sends nothing twice, and what it says is true',
		async (call) => {
			await crashAt(1, createItems(3));
			const [sent, unknown, rest] = await retryAgain(call, createItems(3));
			expect([true, 'unknown']).toContain(sent);
			expect(unknown).toBe('unknown');
			// What it has put on record as begun.
			expect(['m', true, 'unknown']).toContain(rest);
			expect(requested().filter((item) => item !== 2)).toEqual([]);
			expect(requested().length).toBeLessThanOrEqual(1);
			if (rest === 'm' || rest === true) expect(requested()).toEqual([2]);
		},
	);

	test.each(CALLS)('%d: without a secret, the next one sends nothing twice', async (call) => {
		resumeToken = '';
		await crashAt(1, createItems(2));
		await execute(createItems(2), {}, RETRY);
		expect((await retryAgain(call, createItems(2)))[1]).toBe('unknown');
		expect(requested()).toEqual([]);
	});

	test.each(CALLS)('%d: for a node that was pasted back, all stays unknown', async (call) => {
		await crashAt(1, createItems(3));
		const results = await retryAgain(call, createItems(3), { id: 'pasted' });
		expect(results).toEqual(Array(3).fill('unknown'));
		expect(requested()).toEqual([]);
	});
});

test('to look up what is on record leaves the record as it was, with one execution more', async () => {
	await crashAt(1, createItems(2));
	// An execution without a secret is not fenced off.
	const withoutOwner = () => store.keys.filter((key) => !/:owner:1$/.test(String(key)));
	const before = withoutOwner();
	await execute(createItems(2), {}, RETRY);
	expect(withoutOwner()).toEqual([
		...before,
		...['execution:2', 'execution:2:sure', 'owner:2'].map(
			(key) => expect.stringMatching(new RegExp(`:${key}$`)) as string,
		),
	]);
});

test('if the record of the workflow has values of another kind, that of the node is used', async () => {
	respondExcept({});
	store.onCall = () => {};
	jest.spyOn(store, 'checkProcessedAndRecord').mockImplementation(async function (
		this: typeof store,
		keys,
		scope,
		context,
		options,
	) {
		if (scope === 'workflow') throw new Error('saved with an incompatible setting of …');
		return await Object.getPrototypeOf(store).checkProcessedAndRecord.call(
			store,
			keys,
			scope,
			context,
			options,
		);
	});
	expect(resultsOf(await execute(createItems(2)))).toEqual(['m', 'm']);
	await waitUntil(
		'two keys of sends',
		(saw) => saw(store.nodeKeys.filter((key) => /:sent:/.test(String(key)))).length === 2,
	);
});

test('nothing is sent if n8n cannot put it on record', async () => {
	store.onCall = () => {
		throw new Error('The database is locked');
	};
	const result = await execute(createItems(1), {}, { settings: CONTINUE });
	expect(jsonOf(result)).toMatchObject([
		{
			error: {
				message: "n8n's database cannot be used: The database is locked",
				description:
					'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again. The image was not sent.',
				delivery: 'notSent',
			},
		},
	]);
	expect(server.requests).toEqual([]);
});

describe('if n8n keeps no record', () => {
	test.each([
		['has no ID', Object.assign(new Error('no ID'), { code: 'ERR_ASSERTION' })],
		['is not saved', new Error('SQLITE_CONSTRAINT: FOREIGN KEY constraint failed')],
	])('because the workflow %s, the node sends without', async (_why, error) => {
		respondExcept({});
		store.onCall = () => {
			throw error;
		};
		expect(resultsOf(await execute(createItems(3)))).toEqual(['m', 'm', 'm']);
		expect(store.calls).toBe(1);
		expect(resultsOf(await execute(createItems(3), {}, RETRY))).toEqual(['m', 'm', 'm']);
		expect(store.calls).toBe(2);
		expect(resultsOf(await execute(createItems(1), { timeout: 0 }, RETRY))).toEqual(['notSent']);
	});
});

describeIfEndIsTold('once n8n has stored an execution', () => {
	useSimulation(store);

	test('its keys are removed', async () => {
		respondExcept({ 2: DROPPED });
		const hooks = new HeldHooks();
		await execute(createItems(4), {}, { hooks, settings: CONTINUE });
		await untilThereAre(OWN_KEYS + 3 * 3 + 2);
		await hooks.store();
		await untilThereAre(0);
	});

	test('the keys of all rounds of a loop are removed', async () => {
		respondExcept({});
		const hooks = new HeldHooks();
		const { context } = await execute(createItems(2), {}, { hooks });
		await execute(createItems(2), {}, { hooks, context, round: 1 });
		await untilThereAre(OWN_KEYS + 1 + 2 * 3 + 2 * 3);
		await hooks.store();
		await untilThereAre(0);
	});

	test('the keys of an execution that has waited are removed, too', async () => {
		respondExcept({});
		const { context } = await execute(createItems(2));
		const hooks = new HeldHooks();
		const stored = structuredClone(context);
		await execute(createItems(2), {}, { hooks, context: stored, round: 1 });
		await hooks.store();
		await untilThereAre(0);
		expect(requested()).toEqual([0, 1, 0, 1]);
	});

	test('the keys of a call of a tool that still waits for its next try stay', async () => {
		const settings = { ...CONTINUE, type: TOOL };
		const hooks = new HeldHooks();
		const context: IDataObject = {};
		let saved: IDataObject = {};
		server.onRequest(() => {
			if (server.requests.length > 1) return { body: { id: 'm' } };
			// The agent fails because of another call.
			void sleep(2000).then(async () => {
				saved = structuredClone(context);
				await hooks.store();
			});
			return { status: 429, headers: { 'retry-after': '10' } };
		});
		await execute(createItems(1), {}, { context, hooks, settings });
		expect(JSON.stringify(saved)).toContain(' notSent"');
		const more = { ...RETRY, context: saved, settings };
		expect(resultsOf(await execute(createItems(1), {}, more))).toEqual([true]);
		expect(requested()).toEqual([0, 0]);
	});

	test('nobody waits for it', async () => {
		respondExcept({});
		const hooks = new HeldHooks();
		await execute(createItems(1), {}, { hooks });
		store.calls = 0;
		await hooks.store();
		expect(store.calls).toBe(0);
		await untilThereAre(0);
		expect(requested()).toEqual([0]);
	});

	test('it takes one call for all executions that have just ended', async () => {
		respondExcept({});
		for (let i = 0; i < 5; i++) {
			const hooks = new HeldHooks();
			await execute(createItems(1), {}, { hooks, resumeToken: `${resumeToken} ${i}` });
			await hooks.store();
		}
		store.calls = 0;
		await untilThereAre(0);
		expect(requested()).toEqual(Array(5).fill(0));
		expect(store.calls).toBe(1);
	});

	test('that ends at once, it takes two calls in all: one before the request, and one to remove it', async () => {
		respondExcept({});
		const hooks = new HeldHooks();
		await execute(createItems(1), {}, { hooks });
		await hooks.store();
		expect(store.calls).toBe(1);
		expect(store.keys).toHaveLength(OWN_KEYS + 2);
		await untilThereAre(0);
		expect(requested()).toEqual([0]);
		expect(store.calls).toBe(2);
	});

	test('its unknown sends stay unknown for a second retry', async () => {
		respondExcept({ 0: DROPPED });
		const hooks = new HeldHooks();
		const { context } = await execute(createItems(1), {}, { hooks });
		const stored = JSON.stringify(context);
		await hooks.store();
		respondExcept({});
		server.requests.length = 0;
		const retry = async () =>
			await execute(
				createItems(1),
				{ resendUncertain: true },
				{ ...RETRY, context: JSON.parse(stored) as IDataObject },
			);
		await retry();
		expect(resultsOf(await retry())).toEqual([true]);
		expect(requested()).toEqual([0]);
	});

	test('the keys of a retry stay', async () => {
		await crashAt(0, createItems(2));
		const hooks = new HeldHooks();
		await execute(createItems(2), {}, { ...RETRY, hooks });
		const before = store.keys.length;
		await hooks.store();
		expect(store.keys).toHaveLength(before);
	});

	test('the keys of an execution that was canceled stay', async () => {
		respondExcept({});
		const { hooks, onStart } = cancelAfterNode();
		await execute(createItems(1), {}, { hooks, onStart });
		await hooks.store();
		await untilThereAre(OWN_KEYS + 3);
	});

	test('many keys are removed in several calls', async () => {
		respondExcept({});
		const hooks = new HeldHooks();
		await execute(createItems(1001), { concurrency: 50 }, { hooks });
		expect(store.keys).toHaveLength(OWN_KEYS + 3 * 1001);
		const lengths: number[] = [];
		store.onCall = (keys) => lengths.push(keys.length);
		await hooks.store();
		await untilThereAre(0);
		// Together with at most 100 keys that were removed just before.
		expect(lengths).toHaveLength(7);
		expect(Math.max(...lengths)).toBeLessThanOrEqual(600);
	});

	test('n8n may tell it twice', async () => {
		respondExcept({});
		const hooks = new HeldHooks();
		let stop = () => {};
		await execute(createItems(1), {}, { hooks, onStart: ({ cancel }) => (stop = cancel) });
		await hooks.store();
		stop();
		const remove = jest.spyOn(ProcessedData.prototype, 'removeSoon');
		await hooks.store();
		expect(remove).not.toHaveBeenCalled();
		await untilThereAre(0);
		expect(requested()).toEqual([0]);
	});
});

testIfToldApart('an n8n that does not tell the end of executions keeps their keys', async () => {
	respondExcept({});
	const limits: unknown[] = [];
	for (const count of [1, 2, 3]) {
		const hooks = new HeldHooks();
		await executeOnEarlierN8n({ hooks, resumeToken: `${resumeToken} ${count}` });
		limits.push(store.limit);
		await hooks.store();
		await untilThereAre((OWN_KEYS + 3) * count);
	}
	expect(new Set(limits).size).toBe(1);
});

test('the record has room for the longest list, whatever executions come later', async () => {
	respondExcept({});
	for (const count of [3, 40, 1]) {
		await execute(createItems(count), {}, { resumeToken: `list of ${count}` });
	}
	expect(store.limit).toBe(75_000 + 3 * 40);
	expect(server.requests).toHaveLength(3 + 40 + 1);
});

test('the calls of a tool are not on record where all executions look the same', async () => {
	respondExcept({});
	const settings = { type: TOOL };
	await execute(createItems(1), {}, { settings, resumeToken: '' });
	expect(requested()).toEqual([0]);
	expect(store.calls).toBe(0);
});

describe('without a secret that retries inherit', () => {
	const secretless = { resumeToken: '' };

	test('an equal start sends everything', async () => {
		resumeToken = '';
		respondExcept({});
		await execute(createItems(2));
		await execute(createItems(2));
		expect(requested()).toEqual([0, 1, 0, 1]);
	});

	test('many equal starts need few calls of the database', async () => {
		resumeToken = '';
		respondExcept({});
		for (let i = 0; i < 20; i++) await execute(createItems(1));
		store.calls = 0;
		await execute(createItems(1));
		expect(store.calls).toBeLessThan(20);
		expect(server.requests).toHaveLength(21);
	});

	test('a retry after a crash knows what was sent', async () => {
		resumeToken = '';
		await crashAt(1, createItems(2));
		const retry = await execute(createItems(2), {}, { ...RETRY, ...secretless });
		expect(resultsOf(retry)).toEqual([true, 'unknown']);
	});

	test('a retry after a crash does not know what an equal start has sent before', async () => {
		resumeToken = '';
		respondExcept({});
		await execute(createItems(4));
		await crashAt(1, createItems(4));
		const retry = await execute(createItems(4), {}, RETRY);
		expect(resultsOf(retry)).toEqual([true, 'unknown', 'm', 'm']);
		expect(requested()).toEqual([2, 3]);
	});

	test('an equal start that crashed does not count as the earlier one that was successful', async () => {
		resumeToken = '';
		respondExcept({});
		await execute(createItems(2));
		await crashAt(0, createItems(2));
		const retry = await execute(createItems(2), {}, RETRY);
		expect(resultsOf(retry)[0]).toBe('unknown');
	});
});

describeIfToldApart('after a crash, the content tells apart the images of one recipient', () => {
	const more = { parameters: { ...PARAMETERS, url: '=https://example.com/{{ $json.tag }}.png' } };
	const itemsOf = (tags: string) => [...tags].map((tag) => ({ number: '49151000000', tag }));
	const urlOf = ({ body }: RecordedRequest) => (body as IDataObject).url;

	test.each([
		['if the order has changed', 'ba'],
		['ten places further on', `${'c'.repeat(10)}a`],
	])('%s', async (_where, tags) => {
		let hasCrashed = false;
		store.onCall = () => {
			if (hasCrashed) throw new Error('n8n has crashed');
		};
		server.onRequest((request) => {
			hasCrashed ||= urlOf(request) === 'https://example.com/b.png';
			return hasCrashed ? DROPPED : { body: { id: 'm' } };
		});
		await execute(itemsOf('ab'), {}, more);
		store.onCall = () => {};
		respondExcept({});
		const results = resultsOf(await execute(itemsOf(tags), {}, { ...RETRY, ...more }));
		expect(results.indexOf(true)).toBe(tags.indexOf('a'));
	});
});

describeIfToldApart('an execution that goes on although n8n shows it as ended', () => {
	const ITEMS = createItems(4);

	/** Runs until the request to an item, then does something else, then responds. */
	async function executeAround(item: number, meanwhile: () => Promise<unknown>) {
		const hooks = new HeldHooks();
		let done: Promise<unknown> | undefined;
		server.onRequest((request) => {
			if (numberOf(request) !== item || done) return { body: { id: 'm' } };
			return (response) => {
				done = meanwhile().then(() => response.end('{ "id": "m" }'));
			};
		});
		const result = await execute(ITEMS, {}, { hooks, settings: CONTINUE });
		await done;
		expect(new Set(requested()).size).toBe(ITEMS.length);
		return { result, hooks };
	}

	test('sends nothing that its retry has sent, and the retry nothing that it has begun', async () => {
		let retry: NodeResult | undefined;
		const { result } = await executeAround(1, async () => {
			retry = await execute(ITEMS, {}, RETRY);
		});
		expect([...requested()].sort()).toEqual([0, 1, 2, 3]);
		expect(resultsOf(retry!)).toEqual([true, 'unknown', 'm', 'm']);
		expect(resultsOf(result)).toEqual(['m', 'm', true, true]);
	});

	test('sends nothing that another run of it has begun', async () => {
		let again: NodeResult | undefined;
		await executeAround(1, async () => {
			again = await execute(ITEMS, {}, { settings: CONTINUE });
		});
		expect([...requested()].sort()).toEqual([0, 1, 2, 3]);
		expect(resultsOf(again!)).toEqual([true, 'unknown', 'm', 'm']);
	});

	test.each(['retry', 'webhook'] as const)(
		'ends, and what it has removed from the record is unknown: mode %s',
		async (mode) => {
			const { hooks } = await executeAround(-1, async () => {});
			server.requests.length = 0;
			// Ends after the other one is on record, and before that looks up what was sent.
			let hasEnded = false;
			store.onCall = (keys) => {
				if (hasEnded || !keys.some((key) => String(key).endsWith(':owner:2'))) return;
				hasEnded = true;
				void hooks.store();
			};
			const other = await execute(ITEMS, {}, { mode, settings: CONTINUE });
			store.onCall = () => {};
			expect(requested()).toEqual([]);
			// An n8n that does not tell the end removes nothing.
			const expected = N8N_FEATURES.executionFinish ? 'unknown' : true;
			expect(resultsOf(other)).toEqual(Array(4).fill(expected));
		},
	);

	// docs/no-duplicate-sends.md names this limit: nothing tells that the execution was there.
	test('ends before its retry reaches the node, which sends again', async () => {
		const { hooks } = await executeAround(-1, async () => {});
		server.requests.length = 0;
		await hooks.store();
		await execute(ITEMS, {}, RETRY);
		expect(requested()).toEqual(N8N_FEATURES.executionFinish ? [0, 1, 2, 3] : []);
	});

	test('ends after its retry has begun, which is killed: all is unknown to the next one', async () => {
		const { hooks } = await executeAround(-1, async () => {});
		await execute(ITEMS, {}, RETRY);
		await hooks.store();
		if (N8N_FEATURES.executionFinish) {
			const isRemoved = () => !store.keys.some((key) => String(key).endsWith(':execution:1'));
			await waitUntil('the removal', (saw) => saw(isRemoved()));
		}
		server.requests.length = 0;
		const again = await execute(ITEMS, {}, RETRY);
		expect(requested()).toEqual([]);
		const expected = N8N_FEATURES.executionFinish ? 'unknown' : true;
		expect(resultsOf(again)).toEqual(Array(4).fill(expected));
	});

	test('is fenced off by a retry in another process, and keeps no ID for what it does not send', async () => {
		const hooks = new HeldHooks();
		server.onRequest(() => {
			const [first] = store.keys.map(String);
			const prefix = first.split(':').slice(0, 2).join(':');
			const others = store.keys.filter((key) => key !== `${prefix}:owner:1`);
			store.keys = [
				...others,
				...['execution:2', 'execution:2:sure', 'owner:2'].map((key) => `${prefix}:${key}`),
			];
			return { body: { id: 'm' } };
		});
		const options = { sendOnceId: '={{ $json.number }}' };
		const result = await execute(ITEMS, options, { hooks, settings: CONTINUE });
		expect(requested()).toEqual([0]);
		expect(resultsOf(result)).toEqual(['m', 'unknown', 'unknown', 'unknown']);
		expect(store.ids).toEqual([ITEMS[0].number]);
	});

	test('is not fenced off by what another process writes back of its look-up', async () => {
		server.onRequest(() => {
			const [first] = store.keys.map(String);
			const others = store.keys.filter((key) => !String(key).endsWith(':owner:1'));
			store.keys = [...others, first.replace(/:1$/, ':2')];
			return { body: { id: 'm' } };
		});
		expect(resultsOf(await execute(ITEMS, {}, { settings: CONTINUE }))).toEqual(Array(4).fill('m'));
	});

	test('that has met its retry leaves the record to it', async () => {
		const { hooks } = await executeAround(1, async () => await execute(ITEMS, {}, RETRY));
		await hooks.store();
		server.requests.length = 0;
		await execute(ITEMS, {}, RETRY);
		expect(requested()).toEqual([]);
	});
});
