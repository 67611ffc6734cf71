import type { IDataObject } from 'n8n-workflow';

import * as sleeping from '../../../../nodes/MessagingAccount/n8n/sleep';
import { SENT } from '../../../support/ledger';
import { IS_NIGHT } from '../../../support/testSize';
import type { Script } from '../../../support/scriptedServer';
import {
	CONTINUE,
	list,
	nameOf,
	RETRY_ON_FAIL,
	TOOL,
	useSends,
	type SendRun,
} from '../../../support/sends';
import { DROPPED, LIMITED } from '../../../support/sendService';
import { startNewProcess } from '../../../support/singleNodeWorkflow';

const { sleepUnlessAborted } = sleeping;

/** The timeout of a status request. */
const MAX_PROBE_MS = 15_000;

let executions = 0;
const sends = useSends(() => ({ settings: CONTINUE, executionId: String(++executions) }));
const { server, store, requested } = sends;

const COUNT = 40;
/** The first item at which the service fails. */
const FIRST = 10;
/** How they are sent: how many at a time, and in which batches. */
const SHAPES: Array<[string, number, number]> = [
	['a list', 1, COUNT],
	['a list, 20 at a time', 20, COUNT],
	['a loop of batches of 1', 1, 1],
	['a loop of batches of 20', 1, 20],
	['a loop of batches of 20, at the same time', 20, 20],
];

interface Outage {
	script: Script;
	/** Although it fails, the service sends the image. */
	isSent?: boolean;
	delivery: string;
}

const OUTAGES: Record<string, Outage> = {
	'HTTP 502': { script: { status: 502 }, delivery: 'unknown' },
	'HTTP 429': { script: LIMITED, delivery: 'notSent' },
	'a lost connection': { script: DROPPED, delivery: 'unknown' },
	'no answer': { script: () => {}, isSent: true, delivery: 'unknown' },
	'HTTP 401': { script: { status: 401 }, delivery: 'notSent' },
};

/** The status of an account that is connected. */
const WELL = { body: { is_connected: true } };

/** The recipients of all images that were sent, in order. */
let sent: string[];
let isWell: boolean;
let outage: Outage;
/** The number of the status requests after which the service is well. */
let probesLeft: number;

beforeEach(() => {
	[sent, isWell, probesLeft, outage] = [[], false, Infinity, OUTAGES['HTTP 502']];
	server.onRequest((request) => {
		if (request.method === 'GET') {
			isWell ||= --probesLeft <= 0;
			return isWell ? WELL : { status: 503 };
		}
		const name = nameOf(request);
		const fails = !isWell && Number(name) >= FIRST;
		if (!fails || outage.isSent) sent.push(name);
		return fails ? outage.script : { body: { id: `m${name}` } };
	});
	skipWaits();
});

/** Between two looks at the status. @param onWait is called at their start */
function skipWaits(onWait = async () => {}): void {
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
		if (ms === 5000) await onWait();
		const isWait = ms >= 5000 && ms < 30_000 && ms !== MAX_PROBE_MS;
		return await sleepUnlessAborted(isWait ? 0 : ms, signal);
	});
}

async function run(options: IDataObject = {}, more: SendRun = {}, items = list(COUNT)) {
	const all = { sendOnceId: '={{ $json.number }}', ...options };
	return await sends.run(items, { answers: 'as before', options: all, ...more });
}

/** Returns results and errors of a list that is sent in batches, as in a loop. */
async function runBatches(size: number, options: IDataObject) {
	const executionId = String(++executions);
	const names = list(COUNT).split(' ');
	const items: Array<{ result: string; error: string }> = [];
	let context: IDataObject = {};
	for (let round = 0; round * size < COUNT; round++) {
		const batch = names.slice(round * size, (round + 1) * size).join(' ');
		const result = await run(options, { executionId, context, round, isInLoop: true }, batch);
		({ context } = result);
		const results = result.results.split(' ');
		items.push(...result.errors.map((error, i) => ({ result: results[i], error })));
	}
	return items;
}

const expectNobodyTwice = () => expect(new Set(sent).size).toBe(sent.length);

async function expectEverybodyOnceAfterRecovery(underWay: number): Promise<void> {
	isWell = true;
	const { json } = await run();
	const unknown = json.filter(({ delivery }) => delivery === 'unknown').length;
	expect(unknown).toBeLessThanOrEqual(3 + underWay);
	expectNobodyTwice();
	expect(sent.length).toBeGreaterThanOrEqual(COUNT - unknown);
}

describe.each(Object.keys(OUTAGES))('an outage with %s', (name) => {
	const timeout = name === 'no answer' ? 2000 : 60_000;

	beforeEach(() => (outage = OUTAGES[name]));

	const shapes = IS_NIGHT || name === 'HTTP 502' ? SHAPES : SHAPES.slice(0, 1);
	test.each(shapes)('costs %s three sends, and those under way', async (_, concurrency, size) => {
		const items = await runBatches(size, { concurrency, timeout });
		const failed = items.filter(({ error }) => error);
		expect(failed).toHaveLength(COUNT - FIRST);
		const [tried, others] = [false, true].map((isOther) =>
			failed.filter(({ error }) => error.startsWith('This item was not tried') === isOther),
		);
		expect(tried.length).toBeGreaterThanOrEqual(3);
		expect(tried.length).toBeLessThanOrEqual(3 + concurrency - 1);
		expect(new Set(tried.map(({ result }) => result))).toEqual(new Set([outage.delivery]));
		expect(new Set(others.map(({ result }) => result))).toEqual(new Set(['notSent']));
		await expectEverybodyOnceAfterRecovery(concurrency - 1);
	});

	if (!IS_NIGHT && !name.startsWith('HTTP')) return;

	test('goes on as soon as the account is connected', async () => {
		probesLeft = 3;
		const { errors } = await run({ timeout });
		expect(errors.filter(Boolean)).toHaveLength(3);
		expectNobodyTwice();
	});

	test('costs no more under Retry On Fail', async () => {
		await run({ timeout }, { settings: { ...RETRY_ON_FAIL, ...CONTINUE } });
		// HTTP 429 is tried three times for each.
		const most = FIRST + 3 * (name === 'HTTP 429' ? 3 : 1);
		expect(requested().split(' ').length).toBeLessThanOrEqual(most);
	});

	test('costs three more in a Retry after n8n was killed', async () => {
		const options = { waitForService: 0, timeout };
		await run(options, { resumeToken: `start ${name}` });
		startNewProcess();
		server.requests.length = 0;
		const retried = await run(options, { resumeToken: `start ${name}`, mode: 'retry' });
		expect(retried.results).toMatch(/notSent$/);
		expect(requested().split(' ').length).toBeLessThanOrEqual(9);
		expectNobodyTwice();
	});
});

test.each([5, 20])('the hint names the first failed item, %d at a time', async (concurrency) => {
	expect((await run({ concurrency })).summary).toContain('The service failed from item 10 on');
});

test('an item whose next attempt the outage keeps from being made is not told as not tried', async () => {
	const later = { status: 429, headers: { 'retry-after': '1' }, body: { message: 'Slow down' } };
	server.onRequest((request) => {
		if (request.method === 'GET') return { status: 503 };
		return nameOf(request) === '0' ? later : { status: 502 };
	});
	const { errors, summary } = await run({ concurrency: 4, waitForService: 0 }, {}, list(20));
	expect(errors[0]).toContain('Slow down');
	expect(summary).toMatch(/The service failed from item [01] on: \d+ were not tried\./);
});

test.each([0, 1])('sent items are skipped in an outage, too (wait: %d)', async (waitForService) => {
	await run({}, {}, '15');
	isWell = true;
	await run({}, {}, '16 17');
	isWell = false;
	const ids = store.ids.length;
	const { results } = await run({ waitForService }, {}, '10 11 12 13 15 16 17');
	// Of the ID of 15, nobody knows.
	expect(results).toBe('unknown unknown unknown notSent notSent skipped skipped');
	// Those of the three that were tried.
	expect(store.ids).toHaveLength(ids + 3);
});

test('what was not tried because of an outage is not told as sent by the calls of an agent before', async () => {
	const agent = { settings: { ...CONTINUE, type: TOOL }, executionId: 'agent', context: {} };
	const calls = ['10', '11', '12', '13'].map(
		(name) => async () => await run({ waitForService: 0 }, agent, name),
	);
	for (const call of calls.slice(0, 3)) expect((await call()).results).toBe('unknown');
	expect((await calls[3]()).results).toBe('notSent');
});

test('the hint names the outage, not an earlier failure', async () => {
	server.onRequest((request) => {
		const name = request.method === 'GET' ? '2' : nameOf(request);
		const fails = name === '2' || Number(name) >= FIRST;
		return fails ? { status: 502 } : { body: { id: `m${name}` } };
	});
	const { errors, summary } = await run();
	expect(errors[FIRST + 3]).toContain('send only the items that were not sent.');
	expect(summary).toBe(
		'40 items: 9 sent, 0 skipped, 31 failed (4 may have been sent). The service failed from item 10 on: 27 were not tried.',
	);
});

test.each([
	['a web page', '<html><body>Down for maintenance</body></html>'],
	['something else', { id: 'x' }],
])('while the status is %s, nothing more is tried', async (_what, body) => {
	server.onRequest(({ method }) => (method === 'GET' ? { body } : { status: 502 }));
	const { results } = await run({ waitForService: 0 });
	expect(results).toBe(`unknown unknown unknown${' notSent'.repeat(COUNT - 3)}`);
});

/** Sends 40 items, each from the account with this token. */
async function runAccounts(accountOf: (i: number) => number, options: IDataObject = {}) {
	const items = list(COUNT).split(' ');
	const rows = items.map((number, i) => ({ number, token: String(accountOf(i)) }));
	const credential = { token: '={{ $json.token }}' };
	return await sends.run(rows, { answers: 'as before', credential, options });
}

test('a token that the service refuses stops no item with another one', async () => {
	server.onRequest((request) => {
		if (request.headers.token === '0') return { status: 401 };
		return { body: request.method === 'GET' ? { is_connected: true } : { id: 'm' } };
	});
	const { results, summary } = await runAccounts((i) => Math.floor(i / 20), { waitForService: 0 });
	expect(results).toBe(`${'notSent '.repeat(20)}${'m '.repeat(20)}`.trim());
	expect(summary).toContain('The service failed first at item 0: 17 were not tried.');
});

test('a list from several accounts goes on after an outage', async () => {
	probesLeft = 3;
	const { summary } = await runAccounts((i) => i % 4);
	expect(summary).toBe('40 items: 37 sent, 0 skipped, 3 failed (3 may have been sent).');
});

const LOGGED_OUT = { body: { is_connected: false } };
const SAYS_SO = { status: 500, body: { message: 'The account is not connected' } };

/** What the accounts before the last one get for a send and for a look at the status, and the results. */
test.each<[string, accounts: number, send: Script, status: Script, results: RegExp]>([
	['whose sends fail', 2, { status: 500 }, WELL, /^(\w+ ){20}(m ){20}$/],
	['that are logged out', 3, { status: 401 }, LOGGED_OUT, /^(\w+ ){27}(m ){13}$/],
	['that the service says are logged out', 3, SAYS_SO, LOGGED_OUT, /^(\w+ ){27}(m ){13}$/],
])('accounts %s stop no other one', async (_what, count, send, status, expected) => {
	server.onRequest(({ method, headers }) => {
		const isLast = headers.token === String(count - 1);
		if (method === 'GET') return isLast ? WELL : status;
		return isLast ? SENT : send;
	});
	const inBlocks = (i: number) => Math.floor((i * count) / COUNT);
	const { results } = await runAccounts(inBlocks, { waitForService: 0 });
	expect(`${results} `).toMatch(expected);
});

test('Stop ends the wait', async () => {
	let cancel = () => {};
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
		if (ms === 5000) setImmediate(cancel);
		return await new Promise((resolve) => {
			if (ms <= 0) resolve(true);
			signal?.addEventListener('abort', () => resolve(false));
		});
	});
	const { status } = await run({}, { onStart: (execution) => (cancel = () => execution.cancel()) });
	expect(status).toBe('canceled');
	expect(requested()).toBe(list(FIRST + 3));
});

test('while the node waits for the service, no ID of what was not tried is used up', async () => {
	let during = '';
	skipWaits(async () => {
		if (during) return;
		isWell = true;
		during = (await run({}, {}, list(COUNT).slice(2))).results;
	});
	// From the second item on: of the IDs that are reserved together, the first three are tried.
	await run({}, {}, list(COUNT).slice(2));
	expect(during).toMatch(/^(skipped ){9}(skipped\? ){3}m13( m\d+){26}$/);
});
