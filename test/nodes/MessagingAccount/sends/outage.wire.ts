import type { IDataObject } from 'n8n-workflow';

import * as sleeping from '../../../../nodes/MessagingAccount/n8n/sleep';
import { CREDENTIAL, runNode, type NodeRun } from '../../../support/engine';
import { IS_NIGHT } from '../../../support/testSize';
import { useNoJitter } from '../../../support/noJitter';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import { useScriptedServer, type Script } from '../../../support/scriptedServer';
import { DROPPED, numberOf } from '../../../support/sendService';
import { startNewProcess } from '../../../support/singleNodeWorkflow';

const { sleepUnlessAborted } = sleeping;
const server = useScriptedServer();
useProcessedDataStore();
useNoJitter();

const ROWS = Array.from({ length: 40 }, (_, i) => ({ number: String(49151000000 + i) }));
/** The first row at which the service fails. */
const FIRST = 10;
/** How they are sent: how many at a time, and in which batches. */
const SHAPES: Array<[string, number, number]> = [
	['a list', 1, ROWS.length],
	['a list, 20 at a time', 20, ROWS.length],
	['a loop of batches of 1', 1, 1],
	['a loop of batches of 20', 1, 20],
	['a loop of batches of 20, at the same time', 20, 20],
];
const NO_STATUS: Script = { status: 503 };

/** What a service that fails does with a send. */
const OUTAGES: Record<string, { sends: Script; sent: boolean; delivery: string }> = {
	'HTTP 502': { sends: { status: 502 }, sent: false, delivery: 'unknown' },
	'a lost connection': { sends: DROPPED, sent: false, delivery: 'unknown' },
	'no answer': { sends: () => {}, sent: true, delivery: 'unknown' },
	'HTTP 401': { sends: { status: 401 }, sent: false, delivery: 'notSent' },
	'HTTP 429': {
		sends: { status: 429, headers: { 'retry-after': '0' } },
		sent: false,
		delivery: 'notSent',
	},
};

/** The recipients of all images that were sent, in order. */
let messages: string[];
let isWell: boolean;
let kind: (typeof OUTAGES)[string];
/** The number of the status requests after which the service is well. */
let probesLeft: number;

beforeEach(() => {
	[messages, isWell, probesLeft] = [[], false, Infinity];
	server.onRequest((request) => {
		if (request.method === 'GET') {
			probesLeft--;
			isWell ||= probesLeft <= 0;
			return isWell ? { body: { is_connected: true } } : NO_STATUS;
		}
		const number = numberOf(request);
		const fails = !isWell && number >= ROWS[FIRST].number;
		if (!fails || kind.sent) messages.push(number);
		return fails ? kind.sends : { body: { id: `m${number}` } };
	});
	// The waits between two looks at the status.
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
		const isProbe = [5000, 10_000, 20_000].includes(ms) || (ms > 20_000 && ms < 30_000);
		return await sleepUnlessAborted(isProbe ? 0 : ms, signal);
	});
});

afterEach(() => jest.restoreAllMocks());

let executions = 0;

async function run(items: IDataObject[], options: IDataObject = {}, more: Partial<NodeRun> = {}) {
	return await runNode({
		parameters: {
			operation: 'sendImage',
			number: '={{ $json.number }}',
			url: 'https://example.com/a.png',
			options: { sendOnceId: '={{ $json.number }}', ...options },
		},
		items,
		settings: { onError: 'continueRegularOutput' },
		credential: { baseUrl: server.url, ...CREDENTIAL },
		executionId: String(++executions),
		...more,
	});
}

/** Returns the items of a list that is sent in batches, as in a loop. */
async function runBatches(size: number, options: IDataObject): Promise<IDataObject[]> {
	const executionId = String(++executions);
	const items: IDataObject[] = [];
	let context: IDataObject = {};
	for (let round = 0; round * size < ROWS.length; round++) {
		const batch = ROWS.slice(round * size, (round + 1) * size);
		const more = { executionId, context, round, isInLoop: true };
		const result = await run(batch, options, more);
		({ context } = result);
		items.push(...result.outputs[0].map(({ json }) => json));
	}
	return items;
}

const deliveryOf = ({ error }: IDataObject) => (error as IDataObject | undefined)?.delivery;
const messageOf = ({ error }: IDataObject) => String((error as IDataObject).message);
const countOf = (items: IDataObject[], delivery: string) =>
	items.filter((item) => deliveryOf(item) === delivery).length;

async function expectEverybodyOnceAfterRecovery(underWay: number): Promise<void> {
	isWell = true;
	const { outputs } = await run(ROWS);
	const unknown = outputs[0].filter(({ json }) => json.delivery === 'unknown').length;
	expect(unknown).toBeLessThanOrEqual(3 + underWay);
	expect(new Set(messages).size).toBe(messages.length);
	expect(messages.length).toBeGreaterThanOrEqual(ROWS.length - unknown);
}

describe.each(Object.keys(OUTAGES))('an outage with %s', (name) => {
	const timeout = name === 'no answer' ? 2000 : 60_000;

	beforeEach(() => {
		kind = OUTAGES[name];
	});

	test.each(IS_NIGHT || name === 'HTTP 502' ? SHAPES : [SHAPES[0], SHAPES.at(-1)!])(
		'costs %s three sends, and those under way',
		async (_name, concurrency, size) => {
			const items = await runBatches(size, { concurrency, timeout });
			const failed = items.filter((item) => item.error);
			expect(failed).toHaveLength(ROWS.length - FIRST);
			const tried = failed.filter((item) => !messageOf(item).startsWith('This item was not tried'));
			expect(tried.length).toBeGreaterThanOrEqual(3);
			expect(tried.length).toBeLessThanOrEqual(3 + concurrency - 1);
			expect(new Set(tried.map(deliveryOf))).toEqual(new Set([kind.delivery]));
			expect(countOf(failed, 'notSent')).toBeGreaterThanOrEqual(failed.length - tried.length);
			await expectEverybodyOnceAfterRecovery(concurrency - 1);
		},
	);

	test('goes on as soon as the account is connected', async () => {
		probesLeft = 3;
		const { outputs } = await run(ROWS, { timeout });
		expect(outputs[0].filter(({ json }) => !json.error)).toHaveLength(ROWS.length - 3);
		expect(new Set(messages).size).toBe(messages.length);
	});

	test('costs no more under Retry On Fail', async () => {
		const settings = {
			retryOnFail: true,
			maxTries: 3,
			waitBetweenTries: 1,
			onError: 'continueRegularOutput',
		} as const;
		await run(ROWS, { timeout }, { settings });
		const sends = server.requests.filter(({ method }) => method === 'POST').length;
		// HTTP 429 is tried three times for each.
		expect(sends).toBeLessThanOrEqual(FIRST + 3 * (name === 'HTTP 429' ? 3 : 1));
	});

	test('costs three more in a Retry after n8n was killed', async () => {
		const token = { resumeToken: `start ${name}`, executionId: String(++executions) };
		await run(ROWS, { waitForService: 0, timeout }, token);
		startNewProcess();
		server.requests.length = 0;
		const { outputs } = await run(
			ROWS,
			{ waitForService: 0, timeout },
			{ ...token, mode: 'retry', executionId: String(++executions) },
		);
		expect(outputs[0]).toHaveLength(ROWS.length);
		expect(server.requests.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(9);
		expect(new Set(messages).size).toBe(messages.length);
	});
});

test('three numbers in a row that the service refuses stop nothing', async () => {
	server.onRequest((request) => {
		const isRefused = [3, 4, 5, 6].includes(
			ROWS.findIndex((row) => row.number === numberOf(request)),
		);
		return isRefused ? { status: 422, body: { message: 'No such number' } } : { body: { id: 'm' } };
	});
	const { outputs } = await run(ROWS.slice(0, 10));
	expect(outputs[0].filter(({ json }) => json.error)).toHaveLength(4);
});

test('the hint names the outage', async () => {
	kind = OUTAGES['HTTP 502'];
	const { stored } = await run(ROWS);
	expect(stored).toContain(
		'40 items: 10 sent, 0 skipped, 30 failed (3 may have been sent). The service failed from item 10 on: 27 were not tried.',
	);
});

test('Stop ends the wait', async () => {
	kind = OUTAGES['HTTP 502'];
	let cancel = () => {};
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
		if (ms === 5000) setImmediate(cancel);
		return await new Promise((resolve) => {
			if (ms <= 0) resolve(true);
			signal?.addEventListener('abort', () => resolve(false));
		});
	});
	const { status } = await run(
		ROWS,
		{},
		{ onStart: (execution) => (cancel = () => execution.cancel()) },
	);
	expect(status).toBe('canceled');
	expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(FIRST + 3);
});

describe('while the node waits for the service', () => {
	test('no ID of what was not tried is used up', async () => {
		kind = OUTAGES['HTTP 502'];
		let during: Array<IDataObject> = [];
		let isFirst = true;
		jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
			if (ms !== 5000 || !isFirst)
				return await sleepUnlessAborted(ms > 5000 && ms < 30_000 ? 0 : ms, signal);
			isFirst = false;
			isWell = true;
			during = (await run(ROWS)).outputs[0].map(({ json }) => json);
			return true;
		});
		await run(ROWS);
		expect(during.filter(({ delivery }) => delivery === 'unknown')).toHaveLength(3);
		expect(during.filter(({ id }) => id !== undefined)).toHaveLength(ROWS.length - FIRST - 3);
	});
});
