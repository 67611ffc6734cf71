import type { IDataObject } from 'n8n-workflow';

import { sleep } from '../../../../nodes/MessagingAccount/n8n/sleep';
import { UnfinishedExecution } from '../../../support/engine';
import { RETRY, SENT, useLedger } from '../../../support/ledger';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { CONTINUE, list, nameOf, sorted, TOOL } from '../../../support/sends';
import { DROPPED } from '../../../support/sendService';
import { useSimulation } from '../../../support/simulation';
import {
	describeWithExecutionFinish,
	describeWithResumeToken,
} from '../../../support/skipByFeature';

/** Those that an execution has on record besides its sends. */
const OWN_KEYS = 11;

const { server, store, run, retry, crashAt, ...record } = useLedger();
const { requested, untilThereAre, untilRemoved } = record;

let hooks: UnfinishedExecution;
beforeEach(() => (hooks = new UnfinishedExecution()));

describeWithExecutionFinish('once n8n has stored an execution', () => {
	useSimulation(store);

	test('its keys are removed', async () => {
		await run(list(4), { hooks, settings: CONTINUE, answers: { 2: DROPPED } });
		await untilThereAre(OWN_KEYS + 3 * 3 + 2);
		await hooks.store();
		await untilThereAre(0);
	});

	// A run more has a key, an execution more all but those for the nodes.
	test.each([
		['in a loop', false, OWN_KEYS + 1 + 4 * 3],
		['after it has waited', true, 2 * OWN_KEYS - 6 + 4 * 3],
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

describeWithResumeToken('an execution that goes on although n8n shows it as ended', () => {
	const ITEMS = list(4);
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
		expect(sorted(requested())).toBe(ITEMS);
		return [result.results, (await other)!.results];
	}

	// An n8n that does not tell the end removes nothing.
	const IF_REMOVED = N8N_FEATURES.executionFinish
		? { results: 'unknown unknown unknown unknown', requested: '' }
		: { results: 'sent sent sent sent', requested: '' };

	describe.each(['retry', 'webhook'] as const)('while it runs once more in mode %s', (mode) => {
		test('sends nothing that the other run has begun, nor that one what it has begun', async () =>
			expect(await runAround(mode)).toEqual(['m m sent sent', 'sent unknown m m']));

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
			const added = ['execution:2', 'execution:2:sure', 'owner:2'].map((end) => `${prefix}:${end}`);
			store.keys = [...store.keys.filter((key) => key !== `${prefix}:owner:1`), ...added];
			return SENT;
		});
		const options = { sendOnceId: '={{ $json.number }}' };
		const result = await run(ITEMS, { options, hooks, settings: CONTINUE, answers: 'as before' });
		expect(result).toMatchObject({ results: 'm unknown unknown unknown', requested: '0' });
		expect(store.ids).toEqual(['0']);
	});

	test('sends nothing if another retry has begun before it could be fenced off', async () => {
		await run(list(2), { hooks, settings: CONTINUE });
		const original = store.checkProcessedAndRecord.bind(store);
		const add = jest.spyOn(store, 'checkProcessedAndRecord');
		add.mockImplementation(async (keys, ...rest) => {
			const result = await original(keys, ...rest);
			const taken = keys.map(String).find((key) => key.endsWith(':execution:2:sure'));
			const next = taken?.replace(':2:sure', ':3');
			if (next && !store.keys.includes(next)) store.keys.push(next, `${next}:sure`);
			return result;
		});
		expect((await run(ITEMS, RETRY)).requested).toBe('');
	});

	test('stays fenced off while another retry looks for its number', async () => {
		await run(ITEMS, { hooks, settings: CONTINUE });
		await run(ITEMS, RETRY);
		await run(ITEMS, RETRY);
		const add = jest.spyOn(store, 'checkProcessedAndRecord');
		await run(ITEMS, RETRY);
		const owners = add.mock.calls.flatMap(([keys]) => keys.join(' ').match(/owner:\d+/g) ?? []);
		expect(new Set(owners)).toEqual(new Set(['owner:4']));
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
