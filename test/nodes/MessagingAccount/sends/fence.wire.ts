import { UnfinishedExecution } from '../../../support/unfinishedExecution';
import { RETRY, SENT, useLedger } from '../../../support/ledger';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { CONTINUE, list, nameOf } from '../../../support/sends';
import { describeWithResumeToken } from '../../../support/skipByFeature';

const { server, store, requested, run, untilRemoved } = useLedger();

describeWithResumeToken('an execution that goes on although n8n shows it as ended', () => {
	const ITEMS = list(4);
	let hooks: UnfinishedExecution;
	beforeEach(() => {
		hooks = new UnfinishedExecution();
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

	// docs/design/no-duplicate-sends.md names this limit: nothing tells that the execution was there.
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
		add.mockRestore();
	});

	test('stays fenced off while another retry looks for its number', async () => {
		await run(ITEMS, { hooks, settings: CONTINUE });
		await run(ITEMS, RETRY);
		await run(ITEMS, RETRY);
		const add = jest.spyOn(store, 'checkProcessedAndRecord');
		await run(ITEMS, RETRY);
		const owners = add.mock.calls.flatMap(([keys]) => keys.join(' ').match(/owner:\d+/g) ?? []);
		expect(new Set(owners)).toEqual(new Set(['owner:4']));
		add.mockRestore();
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
