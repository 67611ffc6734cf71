import type { IDataObject } from 'n8n-workflow';

import { sleep } from '../../../../nodes/MessagingAccount/n8n/sleep';
import { UnfinishedExecution } from '../../../support/unfinishedExecution';
import { RETRY, SENT, useLedger } from '../../../support/ledger';
import { CONTINUE, list, TOOL } from '../../../support/sends';
import { DROPPED } from '../../../support/sendService';
import { useSimulation } from '../../../support/simulation';
import { describeWithExecutionFinish } from '../../../support/skipByFeature';

/** Those that an execution has on record besides its sends. */
const OWN_KEYS = 11;

const { server, store, run, retry, crashAt, untilThereAre } = useLedger();

describeWithExecutionFinish('once n8n has stored an execution', () => {
	useSimulation(store);
	let hooks: UnfinishedExecution;
	beforeEach(() => {
		hooks = new UnfinishedExecution();
	});

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
