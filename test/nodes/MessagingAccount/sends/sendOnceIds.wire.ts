import type { IDataObject } from 'n8n-workflow';

import type { NodeRun } from '../../../support/engine';
import { failToStore } from '../../../support/ledger';
import type { Script } from '../../../support/scriptedServer';
import {
	CONTINUE,
	list,
	SEND_ONCE,
	sorted,
	TOOL,
	useSends,
	type SendRun,
} from '../../../support/sends';
import { DROPPED, LIMITED, REFUSED } from '../../../support/sendService';
import { until, useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';

const RESEND = { resendUncertain: true };

const { server, store, run, again, killAtCall } = useSends();

const RESEND_ONCE = { ...SEND_ONCE, ...RESEND };
const FIVE_AT_A_TIME = { options: { concurrency: 5 }, settings: CONTINUE };

const runOnce = async (items: string | IDataObject[], more: SendRun = {}) =>
	await run(items, { ...more, options: { ...SEND_ONCE, ...more.options } });
const untilUnknown = async (...ids: string[]) =>
	await until(`unknown IDs: ${ids}`, (saw) => saw(store.unknownIds).join() === ids.join());

describe('Send Once per ID', () => {
	useSimulation(store);

	test('sends once across all executions, and outputs a skipped item in its place', async () => {
		await runOnce('1:A\u202fB');
		const result = await runOnce([
			{ number: '2', order: 7 },
			{ number: '1', order: ' A B' },
		]);
		expect(result.requested).toBe('2');
		expect(result.outputs[0]).toEqual([
			{ json: { id: 'm2' }, pairedItem: { item: 0 } },
			{ json: { skipped: true, sendOnceId: ' A B', reason: 'id' }, pairedItem: { item: 1 } },
		]);
	});

	test('an execution that begins at once in another process finds an ID that was overwritten during its request', async () => {
		server.onRequest(() => {
			store.ids = [];
			return { body: { id: 'm1' } };
		});
		await runOnce('1:A', { answers: 'as before' });
		startNewProcess();
		expect(await runOnce('1:A')).toMatchObject({ results: 'skipped', requested: '' });
	});

	test.each([
		['gives nothing beside its text', '=spring-{{ $json.oderNumber }}', 'fill it in'],
		['adds nothing to its text', '={{ "spring " + $json.order }}', 'fill it in'],
		['adds null', '={{ "spring " + ($json.order ?? null) }}', 'fill it in'],
		['is only braces', '={{ }}', 'remove the option'],
		['names a node that is not there', '={{ $("Nowhere").first().json.id }}', 'remove the option'],
		['has a syntax that n8n does not know', '={{ $json. }}', 'remove the option'],
	])('fails, and sends nothing, if its expression %s', async (_what, sendOnceId, advice) => {
		const result = await run('1', { options: { sendOnceId }, settings: CONTINUE });
		expect(result).toMatchObject({ results: 'notSent', requested: '' });
		expect(result.errors[0]).toContain(" in 'Send Once per ID'");
		expect(result.errors[0]).toContain(advice);
		expect(store.ids).toEqual([]);
	});

	test.each([
		[50_000, []],
		[50_001, [expect.stringContaining("record of 'Send Once per ID' is full") as string]],
	])('of %d IDs on record, a skipped one pushes out none', async (count, hints) => {
		store.ids = Array.from({ length: count }, (_, i) => `id-${i}`);
		expect(await runOnce('1:id-0')).toMatchObject({ results: 'skipped', requested: '', hints });
		expect([store.ids.length, store.ids[0]]).toEqual([count, 'id-0']);
		expect((await runOnce('1:new')).requested).toBe('1');
	});

	test('in a loop, another order of a person is sent, although an earlier one is unknown', async () => {
		const order = (name: string) => [{ number: '1', order: name, caption: name }];
		const first = await runOnce(order('A'), { answers: { 1: DROPPED }, settings: CONTINUE });
		const { context } = first;
		expect((await runOnce(order('B'), { context, round: 1, isInLoop: true })).results).toBe('m1');
	});

	test('a model that thinks up another ID after an unknown call sends nothing', async () => {
		const agent = { settings: { ...CONTINUE, type: TOOL }, executionId: 'agent', context: {} };
		const call = async (order: string, more: SendRun = {}) =>
			await runOnce([{ number: '1', order }], { ...agent, ...more });
		await call('A', { answers: { 1: DROPPED } });
		expect(await call('A-retry')).toMatchObject({ results: 'unknown', requested: '' });
	});

	test('an ID that another execution has used between two attempts is skipped', async () => {
		const remove = store.removeProcessed.bind(store);
		let removals = 0;
		jest.spyOn(store, 'removeProcessed').mockImplementation(async (keys, ...rest) => {
			const isOfId = keys.includes('id:A');
			if (isOfId && ++removals === 1) failToStore();
			await remove(keys, ...rest);
			if (isOfId) store.ids = ['A'];
		});
		const result = await runOnce('1:A', { answers: { '1': [LIMITED, LIMITED] } });
		expect(result).toMatchObject({ results: 'skipped', requested: '1 1' });
	});

	test.each([1, 5])('items with an ID are tried until one has it (%d at a time)', async (count) => {
		const more = { options: { concurrency: count }, settings: CONTINUE };
		const answers = { '1': REFUSED, '3': DROPPED };
		const items = '1:A 1:\u00a0A 2:A 5:A 6:A 1:B 3:B 4:B';
		const { results, json, requested } = await runOnce(items, { answers, ...more });
		expect(results).toBe('notSent notSent m2 skipped skipped notSent unknown skipped?');
		const skipped = { skipped: true, reason: 'id' };
		expect(json[3]).toEqual({ ...skipped, sendOnceId: 'A' });
		expect(json[7]).toEqual({ ...skipped, sendOnceId: 'B', delivery: 'unknown' });
		expect(sorted(requested)).toBe('1 1 1 2 3');
		expect(store.ids.sort()).toEqual(['A', 'B']);
		await untilUnknown('B');
	});

	test('in a retry, an unknown item is resent, although earlier ones with its ID were refused', async () => {
		const answers = { '1': REFUSED, '2': DROPPED };
		const first = await runOnce('1:A 2:A 3:A', { ...FIVE_AT_A_TIME, answers });
		const second = await again(first, { options: { ...RESEND_ONCE, concurrency: 5 } });
		expect(first.requested).toBe('1 2');
		expect(second).toMatchObject({ results: 'skipped? m2 skipped', requested: '2' });
		await untilUnknown();
	});

	test('in a retry, a refused item is tried, too, but not after one with its ID was sent', async () => {
		const answers = { '1': REFUSED, '3': DROPPED };
		const first = await runOnce('1:A 2:A 3:B', { ...FIVE_AT_A_TIME, answers });
		expect(sorted(first.requested)).toBe('1 2 3');
		expect(await again(first)).toMatchObject({ results: 'skipped m2 unknown', requested: '' });
	});

	test('tells how many items were skipped although they have another recipient', async () => {
		const hint =
			'Skipped because an earlier item with another recipient has the same ID: 3 items, e.g. item 1. If nobody has the images yet, give each one an ID of its own. Otherwise, put these in a list of their own, with other IDs: with new IDs for the full list, everybody gets the image again.';
		const items = '1:spring 2:spring 1:spring 3:spring 3:spring';
		expect(await runOnce(items)).toMatchObject({ requested: '1', hints: [hint] });
		// Also if all of them are skipped.
		expect(await runOnce(items)).toMatchObject({ requested: '', hints: [hint] });
	});

	test('tells that all items were skipped because their ID is a fixed text', async () => {
		const fixed = { options: { sendOnceId: 'spring' } };
		expect(await run('1 1', fixed)).toMatchObject({ requested: '1', hints: [] });
		const { requested, hints } = await run('1', fixed);
		expect(requested).toBe('');
		expect(hints).toEqual([expect.stringMatching(/^All items .* is the same text for every item/)]);
	});

	const CALLS = Array.from({ length: 8 }, (_, i) => i);

	test.each(CALLS)('one killed at call %d of the database makes nothing certain', async (call) => {
		await runOnce('1:A 2:B', { answers: { '2': DROPPED }, settings: CONTINUE });
		await untilUnknown('B');
		const more = { options: SEND_ONCE, settings: CONTINUE };
		const killed = await killAtCall(call, '1:A 2:B', more);
		const next = await run('1:A 2:B', more);
		expect(killed.requested).toBe('');
		expect(next).toMatchObject({ results: 'skipped skipped?', requested: '' });
	});

	test('with Resend When Uncertain uses an ID that the first attempt did not have, once', async () => {
		const first = await run('1:A', { answers: { '1': DROPPED } });
		expect((await again(first, { options: RESEND_ONCE })).requested).toBe('1');
		expect(store.ids).toEqual(['A']);
		expect((await again(first, { options: RESEND_ONCE })).results).toBe('skipped');
	});

	const cancelDuringReservation: NodeRun['onStart'] = (execution) => {
		store.onCall = () => execution.cancel();
	};

	test('an uncertain item stays so, and keeps its ID, if its resend is canceled', async () => {
		const first = await runOnce('1:A', { answers: { '1': DROPPED }, options: RESEND });
		const canceled = await again(first, { onStart: cancelDuringReservation });
		store.onCall = () => {};
		const next = await again(canceled, { options: SEND_ONCE, settings: CONTINUE });
		expect([first.requested, canceled.requested]).toEqual(['1', '']);
		expect(next).toMatchObject({ results: 'unknown', requested: '' });
		expect(store.ids).toEqual(['A']);
	});

	test('releases an ID if the execution is canceled during the reservation', async () => {
		const canceled = await runOnce('1:A', { onStart: cancelDuringReservation });
		store.onCall = () => {};
		expect(JSON.stringify(canceled.context)).toContain(' notSent"');
		// The store calls of another execution come after those of the canceled one.
		const other = await runOnce('2:B');
		expect(store.ids).toEqual(['B']);
		expect([canceled.requested, other.requested]).toEqual(['', '2']);
		expect(await again(canceled)).toMatchObject({ results: 'm1', requested: '1' });
	});

	test('an ID that is reserved for a send that Stop has just closed is released', async () => {
		const { waitForTurn } = store;
		let execution: Parameters<NonNullable<NodeRun['onStart']>>[0] | undefined;
		store.waitForTurn = async () => {
			if (server.requests.length >= 15 && execution) {
				execution.cancel();
				execution = undefined;
				// Long enough for all sends that wait to be closed.
				for (let turn = 0; turn < 1000; turn++) await waitForTurn();
			}
			await waitForTurn();
		};
		const run = { onStart: (started: typeof execution) => void (execution = started) };
		await runOnce(list(60, 'order'), { ...run, options: { ...SEND_ONCE, concurrency: 5 } });
		store.waitForTurn = waitForTurn;
		await until('the release', (saw) => saw(store.ids.length) === saw(server.requests.length));
	});

	test.each([1, 2])('if the store fails at call %d for an ID, nothing is sent', async (failing) => {
		store.ids = ['A'];
		let calls = 0;
		store.onCall = (keys) => {
			if (String(keys[0]).includes('id:A') && ++calls === failing) failToStore();
		};
		const result = await runOnce('1:A', { settings: CONTINUE });
		expect(result).toMatchObject({ results: 'notSent', requested: '' });
		// That of another execution.
		expect(store.ids).toEqual(['A']);
	});

	test.each<[what: string, script: Script, results: string, warning: string]>([
		['one that was sent does not fail', { body: { id: 'm1' } }, 'm1', ''],
		['one that was refused warns that its ID stays reserved', REFUSED, 'notSent', 'skip'],
	])('if the store fails after the request, %s', async (_what, script, results, warning) => {
		server.onRequest(() => {
			store.onCall = (keys) => {
				if (String(keys[0]).includes('id:')) failToStore();
			};
			return script;
		});
		jest.spyOn(store, 'getProcessedDataCount').mockRejectedValue(new Error('It is locked'));
		const result = await runOnce('1:A', { answers: 'as before', settings: CONTINUE });
		expect(result).toMatchObject({ results, hints: [] });
		expect(result.errors[0]).toContain(warning);
	});

	test('IDs of what was not started are released, also if the sends cannot be put on record', async () => {
		const refuse: Script = (response) => {
			store.onCall = (keys) => {
				if (!String(keys[0]).startsWith('id:')) failToStore();
			};
			response.writeHead(422).end();
		};
		await runOnce(list(60, 'order'), { answers: { '40': refuse } });
		expect(store.ids).toHaveLength(40);
	});

	test('the ID of an item that is not tried again is released, also if the next attempt cannot be put on record', async () => {
		store.onCall = (keys) => {
			if (server.requests.length > 0 && keys.join().includes(':begun:')) failToStore();
		};
		const first = await runOnce('1:A', { answers: { '1': LIMITED } });
		expect([first.requested, store.ids]).toEqual(['1', []]);
	});

	test('Resend When Uncertain keeps the ID through a refusal, and sends', async () => {
		const first = await runOnce('1:A', { answers: { '1': DROPPED }, settings: CONTINUE });
		const options = RESEND_ONCE;
		const refused = await again(first, { mode: 'retry', options, answers: { '1': REFUSED } });
		expect(refused).toMatchObject({ results: 'unknown', requested: '1' });
		expect(store.ids).toEqual(['A']);
		const resent = await again(first, { mode: 'retry', options, answers: { '1': [LIMITED] } });
		expect(resent).toMatchObject({ results: 'm1', requested: '1 1' });
	});

	test('a retry reserves the ID again if it is not certain that it was released', async () => {
		const stored: string[][] = [];
		server.onRequest(() => {
			stored.push(store.ids);
			if (stored.length > 1) return { body: { id: 'm' } };
			jest.spyOn(store, 'removeProcessed').mockImplementationOnce(async () => {
				store.ids = [];
				throw new Error('The connection was lost');
			});
			return LIMITED;
		});
		expect((await runOnce('1:A', { answers: 'as before' })).requested).toBe('1 1');
		expect(stored).toEqual([['A'], ['A']]);
		expect(store.ids).toEqual(['A']);
	});
});
