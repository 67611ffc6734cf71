import type { IDataObject } from 'n8n-workflow';

import * as exchanging from '../../../../nodes/MessagingAccount/transport/exchange';
import { pacesByAccount } from '../../../../nodes/MessagingAccount/sends/throttle';
import { CREDENTIAL, type NodeRun } from '../../../support/engine';
import { useNoJitter } from '../../../support/noJitter';
import type { Script } from '../../../support/scriptedServer';
import {
	CONTINUE,
	list,
	nameOf,
	RETRY_ON_FAIL,
	SEND_ONCE,
	TOOL,
	useSends,
	type SendResult,
	type SendRun,
} from '../../../support/sends';
import { DROPPED, REFUSED } from '../../../support/sendService';
import { until, useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { waitUntil } from '../../../support/waitUntil';

const LIMITED: Script = { status: 429, headers: { 'retry-after': '0' } };
const RESEND = { resendUncertain: true };

useNoJitter();
const { server, store, requested, run, again, retry } = useSends();

const sorted = (names: string) => names.split(' ').sort().join(' ');
const fail = () => {
	throw new Error('The database is locked');
};

describe('a retry in the same execution', () => {
	test('never resends an uncertain item, which fails again with the advice to check the chat', async () => {
		const answers = { '2': DROPPED };
		const result = await run('1 2 3', { answers, settings: RETRY_ON_FAIL });
		// One that is unknown does not keep the rest from being sent.
		expect(result.requested).toBe('1 2 3');
		expect(result.error?.message).toBe(
			'It is not known whether an earlier attempt sent this item (the connection was lost) [item 1]',
		);
		expect(result.error?.description).toMatch(
			/'Resend When Uncertain'.*check the chat.*Items that may have been sent: 1\. To go on/,
		);
	});

	test.each([1, 5])(
		'of an execution that stopped sends what is left, then fails because of the rest (concurrency %d)',
		async (concurrency) => {
			const stopped = await run('1 2', { answers: { '2': DROPPED } });
			const { error, requested } = await retry(stopped, {
				items: '1 2 none 3 4',
				answers: { '3': [LIMITED] },
				options: { concurrency },
			});
			expect([stopped.requested, sorted(requested)]).toEqual(['1 2', '3 3 4']);
			expect(error?.description).toMatch(
				/Other failed items: item (1 \(unknown\)|2 \(notSent\))\. .*Items that may have been sent: 1\. To go on/,
			);
		},
	);

	test('resends it with Resend When Uncertain', async () => {
		const answers = { '2': [DROPPED] };
		const result = await run('1 2 3', { answers, options: RESEND, settings: RETRY_ON_FAIL });
		expect(result).toMatchObject({ requested: '1 2 2 3', results: 'm1 m2 m3' });
	});

	test.each([
		['was refused', REFUSED, /This item was not sent now, but may have been earlier\./],
		['is uncertain again', DROPPED, /^(?!.*This attempt).*check the chat/],
	])('keeps an item uncertain if the resend %s, and says so', async (_what, script, sentence) => {
		const answers = { '1': [DROPPED, script, script] };
		const settings = { ...RETRY_ON_FAIL, ...CONTINUE };
		const result = await run('1', { answers, options: RESEND, settings });
		expect(result).toMatchObject({ requested: '1 1 1', results: 'unknown' });
		expect(result.errors[0]).toMatch(sentence);
	});

	test('of all items, which n8n starts if the first one failed, sends only the remaining ones', async () => {
		const answers = { '1': [REFUSED], '3': DROPPED };
		const settings = { ...RETRY_ON_FAIL, onError: 'continueErrorOutput' } as const;
		const result = await run('1 2 3', { answers, settings });
		expect(result).toMatchObject({ requested: '1 2 3 1', results: 'm1 m2 / unknown' });
	});

	test.each([
		['the credential', {}, { baseUrl: 'nonsense' }],
		['a parameter', { timeout: 'soon' }, {}],
		['a throttle option', { concurrency: 0 }, {}],
	])('keeps an item uncertain if %s cannot be used', async (_what, broken, credential) => {
		const first = await run('1 2 3', { answers: { '2': DROPPED }, options: RESEND });
		const options = { ...RESEND, ...broken };
		const result = await again(first, { options, credential, settings: CONTINUE });
		expect(result.results).toMatch(/ unknown notSent$/);
		expect(result.errors[1]).toMatch(/ This item was not sent now, but may have been earlier\./);
		expect([first.requested, result.requested]).toEqual(['1 2', '']);
	});

	test('needs no credential for an item that was sent', async () => {
		const result = await again(await run('1'), { credential: { clientId: '', token: '' } });
		expect(result.json).toEqual([{ id: 'm1' }]);
	});
});

describe('the send log of an execution', () => {
	test('has a send with an unexpected error as uncertain', async () => {
		const { exchange } = exchanging;
		jest.spyOn(exchanging, 'exchange').mockImplementationOnce(async (...args) => {
			await exchange(...args);
			throw new TypeError(`of ${CREDENTIAL.token}`);
		});
		const first = await run('1', { settings: CONTINUE });
		expect(first).toMatchObject({ results: 'unknown', requested: '1' });
		expect(first.errors[0]).toMatch(
			/^The node stopped unexpectedly while sending \(TypeError\): This is a fault of the node: .* The image may have been sent/,
		);
		expect(await again(first)).toMatchObject({ results: 'unknown', requested: '' });
	});

	test('already has a send in progress as uncertain, in case n8n stops', async () => {
		const context: IDataObject = {};
		let stored: IDataObject = {};
		server.onRequest(() => {
			stored = structuredClone(context);
			return { body: { id: 'm' } };
		});
		await run('1 2', { answers: 'as before', context });
		const next = await run('1 2', { context: stored, settings: CONTINUE });
		expect(next).toMatchObject({ results: 'm unknown', requested: '' });
		expect(next.errors[1]).toContain('(it was interrupted)');
	});
});

describe('a tool of an agent', () => {
	const settings = { ...CONTINUE, type: TOOL };

	test('sends at every call, but never resends an uncertain image', async () => {
		const first = await run('1', { settings });
		const second = await again(first);
		const third = await again(second, { items: '2', answers: { '2': DROPPED } });
		const fourth = await again(third);
		const all = [first, second, third, fourth];
		expect(all.map(({ requested }) => requested)).toEqual(['1', '1', '2', '']);
	});

	test('sends once per ID, whatever else it is called with', async () => {
		const first = await run('1:A', { options: SEND_ONCE, settings });
		const second = await again(first, { items: '2:A' });
		expect(first).toMatchObject({ results: 'm1', requested: '1' });
		expect(second).toMatchObject({ results: 'skipped', requested: '' });
	});

	test('keeps an image uncertain if an option cannot be used in the next call', async () => {
		const first = await run('2', { answers: { '2': DROPPED }, settings });
		expect((await again(first, { options: { timeout: 0 } })).results).toBe('unknown');
	});
});

describe('Send Once per ID', () => {
	useSimulation(store);

	const RESEND_ONCE = { ...SEND_ONCE, ...RESEND };
	const FIVE_AT_A_TIME = { options: { concurrency: 5 }, settings: CONTINUE };

	const runOnce = async (items: string | IDataObject[], more: SendRun = {}) =>
		await run(items, { ...more, options: { ...SEND_ONCE, ...more.options } });
	const untilUnknown = async (...ids: string[]) =>
		await until(`unknown IDs: ${ids}`, (saw) => saw(store.unknownIds).join() === ids.join());

	test('sends once across all executions, and outputs a skipped item in its place', async () => {
		await runOnce('1:A');
		const result = await runOnce([
			{ number: '2', order: 'B' },
			{ number: '1', order: ' A' },
			{ number: '3', order: 7 },
		]);
		expect(result.requested).toBe('2 3');
		expect(result.outputs[0]).toEqual([
			{ json: { id: 'm2' }, pairedItem: { item: 0 } },
			{ json: { skipped: true, sendOnceId: ' A', reason: 'id' }, pairedItem: { item: 1 } },
			{ json: { id: 'm3' }, pairedItem: { item: 2 } },
		]);
	});

	test.each([
		['gives nothing beside its text', '=spring-{{ $json.oderNumber }}'],
		['is only braces', '={{ }}'],
		['names a node that is not there', '={{ $("No Such Node").first().json.id }}'],
		['has a syntax that n8n does not know', '={{ $json. }}'],
	])('fails, and sends nothing, if its expression %s', async (_what, sendOnceId) => {
		const result = await run('1', { options: { sendOnceId }, settings: CONTINUE });
		expect(result).toMatchObject({ results: 'notSent', requested: '' });
		expect(result.errors[0]).toMatch(/ in 'Send Once per ID'.*: .*remove the option/);
		expect(store.ids).toEqual([]);
	});

	test.each([
		[50_000, []],
		[50_001, [expect.stringContaining("record of 'Send Once per ID' is full") as string]],
	])(
		'of %d IDs on record, a skipped one pushes out none, and a new one is sent',
		async (count, hints) => {
			store.ids = Array.from({ length: count }, (_, i) => `id-${i}`);
			expect(await runOnce('1:id-0')).toMatchObject({ results: 'skipped', requested: '', hints });
			expect([store.ids.length, store.ids[0]]).toEqual([count, 'id-0']);
			expect((await runOnce('1:new')).requested).toBe('1');
		},
	);

	test('an ID that another execution has used between two attempts is skipped', async () => {
		const remove = store.removeProcessed.bind(store);
		let removals = 0;
		jest.spyOn(store, 'removeProcessed').mockImplementation(async (keys, ...rest) => {
			const isOfId = keys.includes('id:A');
			if (isOfId && ++removals === 1) fail();
			await remove(keys, ...rest);
			if (isOfId) store.ids = ['A'];
		});
		const result = await runOnce('1:A', { answers: { '1': [LIMITED, LIMITED] } });
		expect(result).toMatchObject({ results: 'skipped', requested: '1 1' });
	});

	test.each([1, 5])(
		'items with the same ID are tried in their order until one is sent or unknown (concurrency %d)',
		async (concurrency) => {
			const result = await runOnce('1:A 1:\u00a0A 2:A 5:A 6:A 1:B 3:B 4:B', {
				answers: { '1': REFUSED, '3': DROPPED },
				options: { concurrency },
				settings: CONTINUE,
			});
			expect(result.results).toBe('notSent notSent m2 skipped skipped notSent unknown skipped?');
			expect(result.json[3]).toEqual({ skipped: true, sendOnceId: 'A', reason: 'id' });
			expect(result.json[7]).toEqual({
				skipped: true,
				sendOnceId: 'B',
				reason: 'id',
				delivery: 'unknown',
			});
			expect(sorted(result.requested)).toBe('1 1 1 2 3');
			expect(store.ids.sort()).toEqual(['A', 'B']);
			await untilUnknown('B');
		},
	);

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
			"Skipped because an earlier item with another recipient has the same ID: 3 items, e.g. item 1: 'spring'. Give each image an ID of its own.";
		const items = '1:spring 2:spring 1:spring 3:spring 3:spring';
		expect(await runOnce(items)).toMatchObject({ requested: '1', hints: [hint] });
		// Also if all of them are skipped.
		expect(await runOnce(items)).toMatchObject({ requested: '', hints: [hint] });
	});

	test('tells that all items were skipped because their ID is a fixed text', async () => {
		const fixed = { options: { sendOnceId: 'spring' } };
		expect(await run('1 1', fixed)).toMatchObject({ requested: '1', hints: [] });
		const hint = /^All items were skipped: .* is the same text for every item/;
		expect(await run('1', fixed)).toMatchObject({
			requested: '',
			hints: [expect.stringMatching(hint)],
		});
	});

	test.each(Array.from({ length: 8 }, (_, i) => [i]))(
		'an execution that is killed at call %d of the database makes nothing certain',
		async (call) => {
			await runOnce('1:A 2:B', { answers: { '2': DROPPED }, settings: CONTINUE });
			await untilUnknown('B');
			let calls = 0;
			store.onCall = () => {
				if (calls++ >= call) throw new Error('n8n has crashed');
			};
			const killed = await runOnce('1:A 2:B', { settings: CONTINUE });
			startNewProcess();
			store.onCall = () => {};
			const next = await runOnce('1:A 2:B', { settings: CONTINUE });
			expect(killed.requested).toBe('');
			expect(next).toMatchObject({ results: 'skipped skipped?', requested: '' });
		},
	);

	test('with Resend When Uncertain a retry resends, and a refusal does not release the ID', async () => {
		const first = await runOnce('1:A', { answers: { '1': DROPPED }, options: RESEND });
		expect((await again(first, { answers: { '1': REFUSED } })).requested).toBe('1');
		expect(store.ids).toEqual(['A']);
	});

	test('with Resend When Uncertain uses an ID that the first attempt did not have, once', async () => {
		const first = await run('1:A', { answers: { '1': DROPPED } });
		expect((await again(first, { options: RESEND_ONCE })).requested).toBe('1');
		expect(store.ids).toEqual(['A']);
		expect((await again(first, { options: RESEND_ONCE })).results).toBe('skipped');
	});

	test('of many used IDs takes few calls of the database', async () => {
		const items = list(300, 'id');
		await runOnce(items);
		store.calls = 0;
		const { json, requested } = await runOnce(items);
		expect(json.filter(({ skipped }) => skipped)).toHaveLength(300);
		expect(requested).toBe('');
		expect(store.calls).toBeLessThan(20);
	});

	test('reserves at most a second of sends ahead', async () => {
		const ahead: number[] = [];
		server.onRequest(() => {
			ahead.push(store.ids.length - server.requests.length);
			return { body: { id: 'm' } };
		});
		const options = { concurrency: 4, delayBetweenSends: 400 };
		await runOnce(list(12, 'id'), { answers: 'as before', options });
		expect(store.ids).toHaveLength(12);
		expect(Math.max(...ahead)).toBeLessThanOrEqual(2);
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

	test.each([1, 2])(
		'sends nothing if the store fails at call %d for an ID, and the ID of another execution stays',
		async (failing) => {
			store.ids = ['A'];
			let calls = 0;
			store.onCall = (keys) => {
				if (String(keys[0]).includes('id:A') && ++calls === failing) fail();
			};
			const result = await runOnce('1:A', { settings: CONTINUE });
			expect(result).toMatchObject({ results: 'notSent', requested: '' });
			expect(store.ids).toEqual(['A']);
		},
	);

	const failFromRequest = (script: Script) =>
		server.onRequest(() => {
			store.error = new Error('The database is locked');
			return script;
		});

	test('an error of the store after the sends does not make any of them fail', async () => {
		failFromRequest({ body: { id: 'm1' } });
		jest.spyOn(store, 'getProcessedDataCount').mockRejectedValue(new Error('It is locked'));
		const result = await runOnce('1:A', { answers: 'as before' });
		expect(result).toMatchObject({ results: 'm1', hints: [] });
	});

	test('if releasing an ID fails once, it is released at the end, and a retry still sends', async () => {
		let calls = 0;
		store.onCall = (keys) => {
			if (keys.includes('id:A') && ++calls === 2) fail();
		};
		const first = await runOnce('1:A', { answers: { '1': REFUSED } });
		expect([calls, store.ids]).toEqual([3, []]);
		expect(await again(first)).toMatchObject({ results: 'm1', requested: '1' });
	});

	test('IDs of what was not started are released, also if the sends cannot be put on record', async () => {
		const refuse: Script = (response) => {
			store.onCall = (keys) => {
				if (!String(keys[0]).startsWith('id:')) fail();
			};
			response.writeHead(422).end();
		};
		await runOnce(list(60, 'order'), { answers: { '40': refuse } });
		expect(store.ids).toHaveLength(40);
	});

	test('the ID of an item that is not tried again is released, also if the next attempt cannot be put on record', async () => {
		store.onCall = (keys) => {
			if (server.requests.length > 0 && keys.join().includes(':begun:')) fail();
		};
		const first = await runOnce('1:A', { answers: { '1': LIMITED } });
		expect([first.requested, store.ids]).toEqual(['1', []]);
	});

	test('Resend When Uncertain keeps the ID through a refusal, and sends', async () => {
		const first = await runOnce('1:A', { answers: { '1': DROPPED }, settings: CONTINUE });
		const options = { ...SEND_ONCE, resendUncertain: true };
		const refused = await again(first, { mode: 'retry', options, answers: { '1': REFUSED } });
		expect(refused).toMatchObject({ results: 'unknown', requested: '1' });
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

	test('warns if an ID stays reserved although nothing was sent', async () => {
		failFromRequest(REFUSED);
		const result = await runOnce('1:A', { answers: 'as before', settings: CONTINUE });
		expect(result.results).toBe('notSent');
		expect(result.errors[0]).toContain('skip');
	});
});

describe('Concurrent Sends', () => {
	/** Holds requests until `count` of them are pending. */
	function holdUntil(count: number) {
		const held: Array<() => void> = [];
		const pending: string[] = [];
		const seen = { maxPending: 0, hasOverlap: false };
		server.onRequest((request) => (response) => {
			const name = nameOf(request);
			seen.hasOverlap ||= pending.includes(name);
			seen.maxPending = Math.max(seen.maxPending, pending.push(name));
			held.push(() => {
				pending.splice(pending.indexOf(name), 1);
				response.end(`{ "id": "m${name}" }`);
			});
			// In reverse, because the order of responses must not matter.
			if (held.length >= count) for (const release of held.splice(0).reverse()) release();
		});
		return seen;
	}

	test('others go ahead while an item waits for one with the same ID', async () => {
		const lastRequest = waitUntil('the last item', (saw) => saw(requested()).endsWith('4'));
		const late: Script = (response) => {
			const end = () => response.end('{ "id": "m0" }');
			void lastRequest.then(end, end);
		};
		const options = { ...SEND_ONCE, concurrency: 2 };
		const sends = run('0:A 1:A 2:A 3:B 4:C', { answers: { '0': late }, options });
		const [{ results }] = await Promise.all([sends, lastRequest]);
		expect(results).toBe('m0 skipped skipped m3 m4');
	});

	test('keeps sends to the same number in order without overlap, and lets others go ahead', async () => {
		const seen = holdUntil(2);
		const numbers = { a1: '\u200e1', a2: '1', b1: '2', b2: '2' };
		const items = Object.entries(numbers).map(([caption, number]) => ({ number, caption }));
		await run(items, { answers: 'as before', options: { concurrency: 2 } });
		expect(seen).toEqual({ maxPending: 2, hasOverlap: false });
		const captions = server.requests.map(({ body }) => (body as IDataObject).caption as string);
		const byLetter = captions.sort(([one], [other]) => one.localeCompare(other));
		expect(byLetter).toEqual(Object.keys(numbers));
	});

	test('with On Error "Stop" starts nothing after an error, and awaits and reports the sends in progress', async () => {
		const held: Array<() => void> = [];
		const hold = (end: () => void) => {
			if (held.push(end) === 3) for (const release of held) release();
		};
		const answers: Record<string, Script> = {
			'1': (response) => hold(() => setImmediate(() => response.end('{ "id": "m1" }'))),
			'2': (response) => hold(() => response.writeHead(422).end()),
			'3': (_response, socket) => hold(() => setImmediate(() => socket.destroy())),
		};
		const stopped = await run('1 2 3 4 5', { answers, options: { concurrency: 3 } });
		expect(sorted(stopped.requested)).toBe('1 2 3');
		expect(stopped.errors[0]).toContain('completed before the stop: 1 of 5');
		// Whichever of the two failed first has the other one in its description.
		const others: IDataObject = { 1: 'item 2 (unknown)', 2: 'item 1 (notSent)' };
		expect(stopped.errors[0]).toContain(others[stopped.error?.context.itemIndex as number]);
		const next = await again(stopped, { settings: CONTINUE });
		expect(next.results).toBe('m1 m2 unknown m4 m5');
		expect(sorted(next.requested)).toBe('2 4 5');
	});

	test('items not started because of an error do not count as failed', async () => {
		const options = { concurrency: 2, delayBetweenSends: 60_000 };
		const { error, requested } = await run('1 2 3', { answers: { '1': REFUSED }, options });
		expect(error?.description).toMatch(/ Items completed before the stop: 0 of 3\.$/);
		expect(requested).toBe('1');
	});

	test('of 99 is refused for every item, and is reported once with On Error "Stop"', async () => {
		const result = await run('1 2', { options: { concurrency: 99 }, settings: CONTINUE });
		expect(result).toMatchObject({ results: 'notSent notSent', requested: '' });
		expect(result.errors[1]).toContain("'Concurrent Sends'");
		const stopped = await again(result, { settings: {} });
		expect(stopped.errors[0]).toMatch(/^(?!.*item 1).*'Concurrent Sends'/);
	});
});

test('an option for all items that n8n cannot evaluate lets nothing be sent', async () => {
	const options = { includeInputFields: '={{ $("Nowhere").item.json.field }}' };
	const { error, requested } = await run('1 2', { options });
	expect(error?.description).toMatch(/^(?!.*may have been sent)/);
	expect([error?.message, requested]).toEqual([expect.stringContaining('Referenced node'), '']);
});

describe('canceling the execution', () => {
	test('starts no more sends, including those that wait', async () => {
		const onStart: NodeRun['onStart'] = ({ cancel }) =>
			server.onRequest(() => {
				if (server.requests.length === 3) cancel();
				return { body: { id: 'm' } };
			});
		const { error } = await run(list(20), { options: { delayBetweenSends: 5 }, onStart });
		expect(error?.message).toBe('The execution was canceled');
		expect(error?.description).toMatch(/^Items completed before the stop: \d of 20\./);
		// Ends after anything that the canceled execution could still send.
		expect((await run('99', { answers: 'as before' })).requested).toBe('0 1 2 99');
	});

	test('aborts requests in progress, and records them as uncertain', async () => {
		let canceled!: Promise<SendResult>;
		await new Promise<void>((resolve) => {
			const onStart: NodeRun['onStart'] = ({ cancel }) =>
				server.onRequest(() => (_response, socket) => {
					socket.once('close', () => resolve());
					cancel();
				});
			// Rules out that the timeout ends it.
			canceled = run('1', { options: { timeout: 2 ** 31 - 1 }, onStart });
		});
		const next = await again(await canceled, { settings: CONTINUE });
		expect(next).toMatchObject({ results: 'unknown', requested: '' });
	});
});

describe('Share Pace Across Workflows', () => {
	const HOUR = 3_600_000;
	const PACED = { pacePerAccount: true, delayBetweenSends: HOUR };
	afterEach(() => pacesByAccount.clear());

	test('another execution waits for its turn, until it is stopped; other accounts do not', async () => {
		expect((await run('1', { options: PACED })).requested).toBe('1');
		let stop = () => {};
		const waiting = run('2', { options: PACED, onStart: ({ cancel }) => (stop = cancel) });
		await run('3', { answers: 'as before', options: PACED, credential: { clientId: 'another' } });
		expect(requested()).toBe('3');
		stop();
		expect((await waiting).error?.message).toBe('The execution was canceled');
		expect(requested()).toBe('3');
	});

	test('a credential that cannot be used fails the item as without it', async () => {
		const { errors } = await run('1', {
			options: PACED,
			credential: { baseUrl: 'not an address' },
		});
		expect(errors[0]).toContain("'Base URL'");
	});
});
