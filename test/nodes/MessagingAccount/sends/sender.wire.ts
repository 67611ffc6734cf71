import type { IDataObject } from 'n8n-workflow';

import * as exchanging from '../../../../nodes/MessagingAccount/transport/exchange';
import { CREDENTIAL, type NodeRun } from '../../../support/engine';
import type { Script } from '../../../support/scriptedServer';
import {
	CONTINUE,
	list,
	RETRY_ON_FAIL,
	SEND_ONCE,
	sorted,
	TOOL,
	useSends,
	type SendResult,
} from '../../../support/sends';
import { DROPPED, LIMITED, REFUSED } from '../../../support/sendService';
import { waitUntil } from '../../../support/waitUntil';

const RESEND = { resendUncertain: true };

const { server, requested, run, again, retry } = useSends();

describe('a retry in the same execution', () => {
	test('never resends an uncertain item, which fails again with the advice to check the chat', async () => {
		const result = await run('1 2 3', { answers: { '2': DROPPED }, settings: RETRY_ON_FAIL });
		// One that is unknown does not keep the rest from being sent.
		expect(result.requested).toBe('1 2 3');
		expect(result.error?.message).toBe(
			'It is not known whether an earlier attempt sent this item (the connection was lost) [item 1]',
		);
		expect(result.error?.description).toMatch(
			/'Resend When Uncertain'.*check the chat.*Items that may have been sent: 1\. To go on/,
		);
	});

	test.each([1, 5])('sends what is left, then fails (%d at a time)', async (concurrency) => {
		const stopped = await run('1 2', { answers: { '2': DROPPED } });
		const more = { answers: { '3': [LIMITED] }, options: { concurrency } };
		const { error, requested } = await retry(stopped, { items: '1 2 none 3 4', ...more });
		expect([stopped.requested, sorted(requested)]).toEqual(['1 2', '3 3 4']);
		expect(error?.description).toMatch(
			/Other failed items: item (1 \(unknown\)|2 \(notSent\))\. .*Items that may have been sent: 1\. To go on/,
		);
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
		const settings = { ...RETRY_ON_FAIL, onError: 'continueErrorOutput' } as const;
		const result = await run('1 2 3', { answers: { '1': [REFUSED], '3': DROPPED }, settings });
		expect(result).toMatchObject({ requested: '1 2 3 1', results: 'm1 m2 / unknown' });
	});

	test.each([
		['the credential', {}, { baseUrl: 'nonsense' }],
		['a parameter', { timeout: 'soon' }, {}],
		['an expression', { timeout: '={{ $("No Such Node").first().json.ms }}' }, {}],
		['a throttle option', { concurrency: 0 }, {}],
	])('keeps an item uncertain if %s cannot be used', async (_what, broken, credential) => {
		const first = await run('1 2 3', { answers: { '2': DROPPED }, options: RESEND });
		const options = { ...RESEND, ...broken };
		const result = await again(first, { options, credential, settings: CONTINUE });
		expect(result.results).toMatch(/ unknown notSent$/);
		expect(result.errors[1]).toMatch(
			/(?<!null) This item was not sent now, but may have been earlier\./,
		);
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

const settings = { ...CONTINUE, type: TOOL };

test('a tool keeps an image uncertain if an option cannot be used in the next call', async () => {
	const first = await run('2', { answers: { '2': DROPPED }, settings });
	expect((await again(first, { options: { timeout: 0 } })).results).toBe('unknown');
});

describe('Concurrent Sends', () => {
	test.each([
		['with the same ID', '0:A 1:A 2:A 3:B 4:C', 'm0 skipped skipped m3 m4', '0 3 4'],
		['to the same number', '0:A \u200e0:D 3:B 4:C', 'm0 m0 m3 m4', '0 3 4 0'],
	])('others go ahead while an item waits for one %s', async (_what, items, results, names) => {
		const lastRequest = waitUntil('the last item', (saw) => saw(requested()).includes('4'));
		const late: Script = (response) => {
			const end = () => response.end('{ "id": "m0" }');
			void lastRequest.then(end, end);
		};
		const options = { ...SEND_ONCE, concurrency: 2 };
		const sends = run(items, { answers: { '0': late }, options });
		await lastRequest;
		expect(await sends).toMatchObject({ results, requested: names });
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
		const { errors, requested } = await run('1 2 3', { answers: { '1': REFUSED }, options });
		expect(errors[0]).toMatch(/ Items completed before the stop: 0 of 3\.$/);
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
