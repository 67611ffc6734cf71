import type { IDataObject } from 'n8n-workflow';

import { sleep } from '../../../../nodes/MessagingAccount/n8n/sleep';
import { failToStore, RETRY, SENT, useLedger } from '../../../support/ledger';
import { CONTINUE, list, nameOf, SEND_ONCE, type SendRun } from '../../../support/sends';
import { DROPPED, REFUSED } from '../../../support/sendService';
import { useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { testWithResumeToken } from '../../../support/skipByFeature';
import { waitUntil } from '../../../support/waitUntil';

const { server, store, requested, run, ...record } = useLedger();
const { keysOf, untilThereAre, writeBackRemovals } = record;

describe('while an execution goes on', () => {
	useSimulation(store);

	test('a batch has as many sends as start in 0.7 s, and at most as many as there were before', async () => {
		const batches: number[] = [];
		store.onCall = (keys) => {
			const begun = keys.filter((key) => /:begun:1:[^:.]+\.[^:]+:0$/.test(String(key)));
			const isNew = (key: unknown) => !store.keys.includes(key as string);
			if (begun.some(isNew)) batches.push(begun.filter(isNew).length);
		};
		await run(list(20), { options: { delayBetweenSends: 200 } });
		expect(batches).toEqual([1, 1, 2, 4, 4, 4, 4]);
	});

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

	test.each([
		[1, 0, 4],
		// Of those under way, the service may not have seen all requests.
		[5, 0, 8],
		[4, 400, 2],
	])('%d at a time, %d ms apart: at most %d IDs are reserved ahead', async (count, ms, most) => {
		const ahead: number[] = [];
		server.onRequest(() => {
			ahead.push(store.ids.length - server.requests.length);
			return SENT;
		});
		const options = { ...SEND_ONCE, concurrency: count, delayBetweenSends: ms };
		await run(list(40, 'order'), { options, answers: 'as before' });
		expect(Math.max(...ahead)).toBeLessThanOrEqual(most);
	});

	const PACE = { concurrency: 50, delayBetweenSends: 200 };

	testWithResumeToken.each([
		['many sends at a time and a pause between them', PACE, 0, 12],
		['many sends at a time and a pace per account', { ...PACE, pacePerAccount: true }, 0, 12],
		['a service that asks for a pause, 2 s later', {}, 2000, 12],
		['IDs', { sendOnceId: '={{ $json.number }}' }, 0, 14],
	])('a crash with %s: who was never tried is not unknown', async (_what, options, ms, first) => {
		let tried: string[] | undefined;
		const crash = () => void (tried ??= requested().split(' '));
		store.onCall = () => {
			if (tried) failToStore();
		};
		server.onRequest((request) => {
			if (!tried && Number(nameOf(request)) < first) return SENT;
			if (ms > 0) void sleep(ms).then(crash);
			else crash();
			return tried ? DROPPED : { status: 429, headers: { 'retry-after': '30' } };
		});
		await run(list(60), { options, answers: 'as before' });
		startNewProcess();
		store.onCall = () => {};
		const { results } = await run(list(60), { ...RETRY, options });
		expect(tried).toEqual(list(first + 1).split(' '));
		const before = `((sent|unknown) ){${first}}(unknown|m${first})`;
		expect(results).toMatch(new RegExp(`^${before}( (unknown|m\\d+)){${59 - first}}$`));
		const never = results.split(' ').slice(first + 1);
		expect(never.filter((result) => result === 'unknown').length).toBeLessThanOrEqual(5);
	});
});

test('used IDs are looked up together, in few calls, and no others than five are reserved', async () => {
	await run(list(3, 'order'), { options: SEND_ONCE });
	let most = 0;
	store.onCall = () => (most = Math.max(most, store.ids.length - 3 - server.requests.length));
	const { summary } = await run(list(60, 'order'), { options: SEND_ONCE });
	expect(summary).toContain('57 sent, 3 skipped');
	expect(most).toBeLessThanOrEqual(5);
	store.calls = 0;
	await run(list(60, 'order'), { options: SEND_ONCE });
	expect(store.calls).toBeLessThan(15);
});

test('an ID that could be neither released nor reserved is free in the end', async () => {
	let failures = 0;
	server.onRequest(() => {
		store.onCall = () => {
			if (failures++ < 3) failToStore();
		};
		return REFUSED;
	});
	const more = { options: SEND_ONCE, settings: CONTINUE };
	const { results } = await run('0:A 1:A', { ...more, answers: 'as before' });
	expect(results).toBe('notSent notSent');
	expect(failures).toBeGreaterThan(3);
	expect((await run('0:A', more)).results).toBe('m0');
});

test('of rows behind one without an answer, at most four IDs are reserved', async () => {
	const rows = Array.from({ length: 25 }, (_, i) => ({ number: String(i % 5), order: i }));
	const sorted = [...rows].sort((a, b) => Number(a.number) - Number(b.number));
	const items = [...list(20, 'first').split(' '), ...sorted].map((row) =>
		typeof row === 'string' ? { number: `9${row.split(':')[0]}`, order: row } : row,
	);
	const held: Array<() => void> = [];
	let reserved = 0;
	server.onRequest((request) => {
		if (nameOf(request).startsWith('9')) return SENT;
		return (response) => {
			held.push(() => response.end('{ "id": "m" }'));
			if (held.length < 5) return;
			reserved = store.ids.length - server.requests.length;
			for (const release of held.splice(0)) release();
		};
	});
	await run(items, { options: { ...SEND_ONCE, concurrency: 5 }, answers: 'as before' });
	expect(server.requests).toHaveLength(45);
	expect(reserved).toBeLessThanOrEqual(4);
});

describe('if the next batch is late', () => {
	const onRecordAsBegun = () => keysOf('begun').length - keysOf('notSent').length;

	/** Sends 40 or more at once, until several more are on record, then holds the next ones until `release`. */
	async function holdLast(concurrency: number, more: SendRun = {}) {
		const held: Array<() => void> = [];
		let [keys, isReleased, sentBefore] = [store.keys, false, 0];
		server.onRequest(() => {
			const answered = server.requests.length - 1;
			const isFirst = answered >= 40 && onRecordAsBegun() > answered + 5;
			if (isReleased || (held.length === 0 && !isFirst)) return SENT;
			if (held.length === 0) [keys, sentBefore] = [[...store.keys], answered];
			return (response) => held.push(() => response.end('{ "id": "m" }'));
		});
		const release = () => {
			isReleased = true;
			held.forEach((respond) => respond());
		};
		const options = { concurrency };
		const execution = run(list(200), { options, answers: 'as before', ...more });
		await waitUntil('a request that is held', (saw) => saw(held.length) > 0);
		return { execution, keys, release, held, sentBefore };
	}

	test.each([1, 3])('what has not begun leaves the record (%d at a time)', async (concurrency) => {
		const { execution, release, held, sentBefore } = await holdLast(concurrency);
		const isDone = (begun: number) => begun === sentBefore + held.length;
		await waitUntil('nothing else has begun', (saw) => isDone(saw(onRecordAsBegun())));
		await waitUntil('all that was sent', (saw) => saw(keysOf('sent').length) === sentBefore);
		release();
		expect((await execution).json).toHaveLength(200);
		expect(new Set(requested().split(' ')).size).toBe(200);
	});

	test('what another worker writes back does not keep it from being sent', async () => {
		const context: IDataObject = {};
		const { execution, keys, release, sentBefore } = await holdLast(1, { context });
		const maxBegun = sentBefore + 2;
		await waitUntil('few keys of what has not begun', (saw) => saw(onRecordAsBegun()) <= maxBegun);
		const logs: string[] = [];
		store.onCall = () => logs.push(JSON.stringify(context.sendRecord));
		store.keys = [...new Set([...store.keys, ...keys])];
		writeBackRemovals();
		release();
		expect((await execution).json).toEqual(Array(200).fill({ id: 'm' }));
		// Otherwise, an item that fails meanwhile would count as unknown.
		const isComplete = (log: string) => log.includes('"notInLog":[],"hasLost":false');
		expect(logs.filter((log) => !isComplete(log))).toEqual([]);
	});
});
