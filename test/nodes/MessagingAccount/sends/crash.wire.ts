import type { IDataObject } from 'n8n-workflow';

import { UnfinishedExecution } from '../../../support/engine';
import { failToStore, PASTED, RETRY, UNUSABLE, useLedger } from '../../../support/ledger';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { CONTINUE, list, type SendRun } from '../../../support/sends';
import { DROPPED, REFUSED } from '../../../support/sendService';
import { describeWithResumeToken } from '../../../support/skipByFeature';

const { origin, store, run, retry, crashAt, killAtCall, untilRemoved } = useLedger();

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

const UNSENDABLE = { options: { timeout: 0 }, settings: CONTINUE };

const rowsOf = (table: string) => {
	const rows = table.trim().split('\n');
	return rows.map((row) => row.split(' |').map((cell) => cell.trim()));
};

/** What a retry does | the crash: item, of a list | settings | its results | requests | results of a second one, without requests */
function testRetries(table: string): void {
	test.each(rowsOf(table))('a retry %s', async (_what, crash, settings, results, names, next) => {
		const [item, count] = crash.split(' of ').map(Number);
		const more = { ...RETRY, ...SETTINGS[settings] };
		// Without a secret, also an equal start before may be on record.
		if (origin.resumeToken === '') await run(list(count));
		await crashAt(String(item), list(count), { parameters: more.parameters });
		expect(await run(list(count), more)).toMatchObject({ results, requested: names });
		expect(await run(list(count), more)).toMatchObject({ results: next, requested: '' });
	});
}

describeWithResumeToken('after a crash', () => {
	testRetries(`
	sends what was not begun   | 1 of 4 |          | sent unknown m2 m3 | 2 3 | sent unknown sent sent
	does not know computed captions | 1 of 2 | computed | skipped? skipped? |  | skipped? skipped?
	resends what is unknown    | 0 of 2 | resend   | m0 m1              | 0 1 | sent sent
	cannot send invalid items  | 0 of 1 | invalid  | unknown            |     | unknown
	may not know whether to try | 0 of 1 | dry run? | unknown           |     | unknown
	does not know other starts | 1 of 2 | another  | m0 m1              | 0 1 | sent sent`);

	test('a retry says what was sent, and why an item is unknown, and keeps that, also if n8n drops it from the record', async () => {
		await crashAt('1', list(2));
		const first = await run(list(2), RETRY);
		expect(first.json[0]).toEqual({ id: null, sent: true });
		expect(first.errors[1]).toContain(
			'It is not known whether an earlier attempt sent this item (n8n may have stopped before it ended) [item 1]: ',
		);
		store.keys = [];
		expect(await retry(first)).toMatchObject({ results: 'sent unknown', requested: '' });
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

describeWithResumeToken('a second retry of the same execution', () => {
	test('knows what the first one sent, and leaves out what that has not tried', async () => {
		const original = await run(list(3), { answers: { 0: REFUSED } });
		expect((await retry(original, { answers: { 1: REFUSED } })).requested).toBe('0 1');
		expect(await retry(original)).toMatchObject({ results: 'sent m1 m2', requested: '1 2' });
	});

	test('is not needed to know what cannot be sent: its log is complete', async () => {
		const first = await retry(await run('0', UNSENDABLE));
		expect([first.results, (await retry(first)).results]).toEqual(['notSent', 'notSent']);
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
	])('is known, if one between sent nothing, after %s', async (_what, scripts, broken, onCall) => {
		const options = { resendUncertain: true };
		const original = await run('0', { options, answers: { 0: scripts[0] } });
		let failed = original;
		for (const one of scripts.slice(1)) failed = await retry(failed, { answers: { 0: one } });
		store.onCall = onCall;
		const between = await retry(failed, { options: { ...options, ...broken } });
		store.onCall = () => {};
		expect((await retry(original)).requested).toBe('0');
		expect(await retry(between, { options })).toMatchObject({ results: 'sent', requested: '' });
	});

	test('tells why an item is unknown', async () => {
		const original = await run('0', { answers: { 0: DROPPED } });
		const first = await retry(original, RETRY);
		expect(first).toMatchObject({ results: 'unknown', requested: '' });
		expect(first.errors[0]).not.toContain('n8n may have stopped');
		expect((await retry(original, RETRY)).json).toEqual(first.json);
	});
});

describeWithResumeToken('a retry after a crash', () => {
	test('knows the attempt after a try that failed before its request', async () => {
		const more = { context: {}, settings: CONTINUE };
		for (const one of [{ answers: { 0: REFUSED } }, { credential: UNUSABLE }])
			await run('0', { ...more, ...one });
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
			const hooks = new UnfinishedExecution();
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

	test('sends all if n8n saved the log before anything was on record', async () => {
		const context: IDataObject = {};
		let saved: IDataObject | undefined;
		store.onCall = () => {
			saved ??= structuredClone(context);
			failToStore();
		};
		await run('0 1', { context, settings: CONTINUE });
		store.onCall = () => {};
		expect(await run('0 1', { ...RETRY, context: saved })).toMatchObject({ results: 'm0 m1' });
	});

	test('has room for its whole list from its first call on', async () => {
		await crashAt('1', list(40));
		const add = jest.spyOn(store, 'checkProcessedAndRecord');
		await run(list(40), RETRY);
		expect(add.mock.calls[0][3]).toMatchObject({ maxEntries: 75_000 + 3 * 40 });
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
			origin.resumeToken = settings.resumeToken ?? origin.resumeToken;
			await crashAt('1', list(count));
			if (origin.resumeToken === '') await run(list(count), RETRY);
			const killed = await killAtCall(call, list(count), { ...RETRY, ...settings });
			const next = await run(list(count), { ...RETRY, ...settings });
			const all = `${next.results}; ${killed.requested}${next.requested}`.trim();
			expect(all).toMatch(new RegExp(`^${expected}$`));
		});
	});
});

describe('without a secret that retries inherit', () => {
	beforeEach(() => (origin.resumeToken = ''));

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
