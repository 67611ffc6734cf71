import type { IDataObject } from 'n8n-workflow';

import { Ledger } from '../../../../nodes/MessagingAccount/sends/ledger';
import { SendOnceIds } from '../../../../nodes/MessagingAccount/sends/sendOnceIds';
import { sleep } from '../../../../nodes/MessagingAccount/n8n/sleep';
import { CREDENTIAL } from '../../../support/engine';
import { createExecuteContext } from '../../../support/executeContext';
import { failToStore, RETRY, SENT, useLedger } from '../../../support/ledger';
import { list, nameOf, type SendRun } from '../../../support/sends';
import { DROPPED } from '../../../support/sendService';
import { useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { testIfToldApart } from '../../../support/toldApart';
import { waitUntil } from '../../../support/waitUntil';

const { server, store, requested, run, origin, ...record } = useLedger();
const { keysOf, untilThereAre, writeBackRemovals, failAfterAdding } = record;

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
	const context = createExecuteContext({ parameters: {} }, items, CREDENTIAL, origin.resumeToken);
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
