/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests let the event loop turn */
import type { IDataObject, NodeError } from 'n8n-workflow';

import { MessagingAccount } from '../../../../nodes/MessagingAccount/MessagingAccount.node';
import { createParameterReader } from '../../../../nodes/MessagingAccount/parameters/parameterReader';
import { Sender } from '../../../../nodes/MessagingAccount/sends/sender';
import { cases } from '../../../support/cases';
import { CREDENTIAL, runNode, type NodeResult, type NodeRun } from '../../../support/engine';
import { executeContext } from '../../../support/executeContext';
import { IdStore } from '../../../support/idStore';
import {
	startScriptedServer,
	type RecordedRequest,
	type Script,
	type ScriptedServer,
} from '../../../support/scriptedServer';

const PARAMETERS = {
	operation: 'sendImage',
	number: '={{ $json.number }}',
	url: 'https://example.com/a.png',
	caption: '={{ $json.caption }}',
};
const SEND_ONCE = { sendOnceId: '={{ $json.order }}' };
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const THREE_TRIES = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

const LOST: Script = (_response, socket) => socket.destroy();
const REFUSED: Script = { status: 422 };

let server: ScriptedServer;

beforeEach(async () => {
	server = await startScriptedServer();
});

afterEach(async () => {
	await server.close();
});

function execute(
	numbers: Array<string | IDataObject>,
	options: IDataObject = {},
	more: Partial<NodeRun> = {},
): Promise<NodeResult> {
	return runNode({
		parameters: { ...PARAMETERS, options } as NodeRun['parameters'],
		items: numbers.map((number) => (typeof number === 'string' ? { number } : number)),
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});
}

const numberOf = ({ body }: RecordedRequest) => (body as IDataObject).number as string;
const requested = () => server.requests.map(numberOf);
const jsonOf = ({ outputs }: NodeResult) => outputs[0].map(({ json }) => json);
const outcomesOf = (result: NodeResult) =>
	jsonOf(result).map(({ id, skipped, error }) => id ?? skipped ?? (error as IDataObject).delivery);

/** Answers with the number as the id, but for the numbers that are listed. */
function answerBut(scripts: Record<string, Script | Script[]>): void {
	const taken: Record<string, number> = {};
	server.answerEach((request) => {
		const number = numberOf(request);
		const script = scripts[number];
		taken[number] = (taken[number] ?? 0) + 1;
		const chosen = Array.isArray(script) ? script[taken[number] - 1] : script;
		return chosen ?? { body: { id: `m${number}` } };
	});
}

describe('a retry in the same execution', () => {
	test('sends only what is left, and its output is complete', async () => {
		answerBut({ '3': [REFUSED, REFUSED] });
		const result = await execute(['1', '2', '3', '4'], {}, { settings: THREE_TRIES });
		expect(requested()).toEqual(['1', '2', '3', '3', '3', '4']);
		expect(jsonOf(result)).toEqual([{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }, { id: 'm4' }]);
	});

	test('never sends again what may have been sent: it fails again, telling to check the chat', async () => {
		answerBut({ '2': LOST });
		const { error } = await execute(['1', '2', '3'], {}, { settings: THREE_TRIES });
		expect(requested()).toEqual(['1', '2']);
		expect(error?.message).toBe(
			'An earlier attempt to send this item ended without a clear result (ECONNRESET) [item 1]',
		);
		expect(error?.description).toContain('check the chat');
		expect(error?.description).toContain("'Resend When Uncertain'");
	});

	test('sends it again with Resend When Uncertain', async () => {
		answerBut({ '2': [LOST] });
		const result = await execute(
			['1', '2', '3'],
			{ resendUncertain: true },
			{ settings: THREE_TRIES },
		);
		expect(requested()).toEqual(['1', '2', '2', '3']);
		expect(jsonOf(result)).toEqual([{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }]);
	});

	test('says nothing of an earlier try where there was none', async () => {
		answerBut({ '1': { status: 500 } });
		const result = await execute(['1'], {}, { settings: CONTINUE });
		expect(jsonOf(result)[0].error).toMatchObject({ httpCode: '500', delivery: 'unknown' });
		expect(JSON.stringify(jsonOf(result))).not.toContain('earlier');
	});

	test('keeps it uncertain where the resend was refused', async () => {
		answerBut({ '1': [LOST, REFUSED, REFUSED] });
		const result = await execute(
			['1'],
			{ resendUncertain: true },
			{ settings: { ...THREE_TRIES, ...CONTINUE } },
		);
		expect(requested()).toEqual(['1', '1', '1']);
		expect(outcomesOf(result)).toEqual(['unknown']);
		expect(jsonOf(result)[0].error).toMatchObject({
			description: expect.stringContaining('an earlier one may have') as string,
		});
	});

	test('of all items, which n8n makes when the first one has failed, sends only what is left', async () => {
		answerBut({ '1': [REFUSED], '3': LOST });
		const result = await execute(
			['1', '2', '3'],
			{},
			{ settings: { ...THREE_TRIES, onError: 'continueErrorOutput' } },
		);
		expect(requested()).toEqual(['1', '2', '3', '1']);
		expect(jsonOf(result)).toEqual([{ id: 'm1' }, { id: 'm2' }]);
		expect(result.outputs[1]).toMatchObject([
			{ json: { error: { delivery: 'unknown' } }, pairedItem: { item: 2 } },
		]);
	});

	test('takes a caption with the time in it for no change', async () => {
		answerBut({ '2': [REFUSED], '3': [LOST] });
		const result = await runNode({
			parameters: { ...PARAMETERS, caption: '=Sent at {{ $now.toMillis() }}, {{ Math.random() }}' },
			items: ['1', '2', '3'].map((number) => ({ number })),
			settings: THREE_TRIES,
			credential: { baseUrl: server.url, ...CREDENTIAL },
		});
		expect(requested()).toEqual(['1', '2', '2', '3']);
		expect(result.error?.message).toContain('without a clear result');
	});

	test('keeps an id that is a number', async () => {
		answerBut({ '1': { body: { id: 7 } }, '2': [REFUSED] });
		expect(jsonOf(await execute(['1', '2'], {}, { settings: THREE_TRIES }))).toEqual([
			{ id: 7 },
			{ id: 'm2' },
		]);
	});

	test.each([
		['the credential', {}, { baseUrl: 'nonsense' }],
		['a parameter', { timeout: 'soon' }, {}],
		['the pace', { concurrency: 0 }, {}],
	])('keeps it uncertain where %s cannot be used in the retry', async (_what, broken, fields) => {
		answerBut({ '2': LOST });
		const options = { resendUncertain: true };
		const { context } = await execute(['1', '2', '3'], options);
		const result = await execute(
			['1', '2', '3'],
			{ ...options, ...broken },
			{
				context,
				settings: CONTINUE,
				credential: { baseUrl: server.url, ...CREDENTIAL, ...fields },
			},
		);
		expect(outcomesOf(result)[1]).toBe('unknown');
		expect(jsonOf(result)[1].error).toMatchObject({
			description: expect.stringMatching(/ This attempt .* an earlier one may have\./) as string,
		});
		expect(outcomesOf(result)[2]).toBe('notSent');
		expect(requested()).toEqual(['1', '2']);
	});

	test('has no other words for it where n8n has none', async () => {
		answerBut({ '1': LOST });
		const { context } = await execute(['1']);
		const onCredentialRead = () => {
			throw new Error('No database');
		};
		const options = { resendUncertain: true };
		const { error } = await execute(['1'], options, { context, onCredentialRead });
		expect(error?.description).toMatch(/^This attempt sent nothing/);
	});

	test('needs no credential for what is sent', async () => {
		answerBut({ '2': LOST });
		const { context } = await execute(['1'], {});
		const broken = { baseUrl: server.url, clientId: '', token: '' };
		const result = await execute(['1'], {}, { context, credential: broken });
		expect(jsonOf(result)).toEqual([{ id: 'm1' }]);
	});
});

describe('the memory of an execution', () => {
	test('tells an item whose number, image or caption was changed from what was sent', async () => {
		answerBut({});
		const { context } = await execute([{ number: '1', caption: 'a' }]);
		await execute([{ number: '1', caption: 'a' }], {}, { context });
		expect(requested()).toEqual(['1']);
		await execute([{ number: '1', caption: 'b' }], {}, { context });
		expect(requested()).toEqual(['1', '1']);
		await execute([{ number: '2', caption: 'a' }], {}, { context });
		expect(requested()).toEqual(['1', '1', '2']);
	});

	test('forgets what was not sent', async () => {
		answerBut({ '1': REFUSED });
		const { context } = await execute(['1'], {}, { settings: CONTINUE });
		expect(context).toEqual({ sends: { round: 0, items: {} } });
	});

	test('counts a send that ends in a way that nobody foresaw as uncertain', async () => {
		const context = executeContext({ parameters: {} }, [{}]);
		const sender = new Sender(
			context,
			createParameterReader(context),
			0,
			new AbortController().signal,
		);
		const send = async () => await Promise.reject(new TypeError(`of ${CREDENTIAL.token}`));
		const attempt = sender.plan(0, {}, { prepare: async () => {}, attempt: send });
		await expect(attempt()).rejects.toMatchObject({
			message: 'Unexpected error while sending',
			description: 'n8n reports: TypeError.',
			delivery: 'unknown',
		});
		expect(sender.withPreviousAttempt(0, new Error())).toMatchObject({ delivery: 'unknown' });
	});

	test('counts what is under way as uncertain, should n8n be stopped', async () => {
		let context: IDataObject | undefined;
		const execution = execute(['1', '2'], { concurrency: 2 }, { context: (context = {}) });
		await new Promise<void>((resolve) => {
			server.answerEach(() => (response) => {
				if (server.requests.length < 2) return;
				resolve();
				response.destroy();
			});
		});
		expect(Object.values((context.sends as IDataObject).items as object)).toEqual([
			expect.stringMatching(/^.{16}$/),
			expect.stringMatching(/^.{16}$/),
		]);
		await server.close();
		await execution;
		server = await startScriptedServer();
	});
});

describe('a tool of an agent', () => {
	const settings = { type: 'n8n-nodes-messaging-account.messagingAccountTool', ...CONTINUE };

	test('sends each time it is called, but never again what may have been sent', async () => {
		answerBut({ '2': LOST });
		let context: IDataObject = {};
		for (const [call, number] of ['1', '1', '2', '2'].entries()) {
			const item = { number, toolCallId: `call-${call}` };
			({ context } = await execute([item], {}, { settings, context }));
		}
		expect(requested()).toEqual(['1', '1', '2']);
	});

	test('sends something else to whom it may have sent something', async () => {
		answerBut({ '2': [LOST] });
		const { context } = await execute([{ number: '2', caption: 'a' }], {}, { settings });
		await execute([{ number: '2', caption: 'b' }], {}, { settings, context });
		expect(requested()).toEqual(['2', '2']);
	});

	test('that has sent nothing so far says nothing of an earlier call', async () => {
		const result = await execute(['1'], { timeout: 0 }, { settings });
		expect(outcomesOf(result)).toEqual(['notSent']);
	});

	test.each([
		['was not sent', REFUSED, 'The image was not sent.'],
		['may have been sent', LOST, 'The image may have been sent'],
	])('says all in its message where an image %s', async (_what, script, outcome) => {
		answerBut({ '1': script });
		const { error } = await execute(['1'], {}, { settings: { type: settings.type } });
		expect(error?.message).toContain(outcome);
		expect(error?.message.endsWith(error.description!)).toBe(true);
		expect(error?.message).not.toContain('[item');
	});

	test('keeps it uncertain where an option cannot be used in the next call', async () => {
		answerBut({ '2': LOST });
		const { context } = await execute(['2'], {}, { settings });
		const result = await execute(['2'], { timeout: 0 }, { settings, context });
		expect(outcomesOf(result)).toEqual(['unknown']);
	});
});

describe('Send Once per ID', () => {
	const store = new IdStore();

	beforeAll(async () => {
		await store.install();
	});

	beforeEach(() => {
		store.reset();
	});

	const order = (number: string, id: unknown) => ({ number, order: id as string });

	/** For what n8n's engine does not show of a run. */
	const contextOf = (items: IDataObject[], settings: NodeRun['settings'] = {}) =>
		executeContext({ parameters: { ...PARAMETERS, options: SEND_ONCE }, ...settings }, items, {
			baseUrl: server.url,
			...CREDENTIAL,
		});

	test('sends once in all executions, and puts what it skips in its place', async () => {
		answerBut({});
		await execute([order('1', 'A')], SEND_ONCE);
		const result = await execute([order('2', 'B'), order('1', 'A'), order('3', 7)], SEND_ONCE);
		expect(requested()).toEqual(['1', '2', '3']);
		expect(jsonOf(result)).toEqual([
			{ id: 'm2' },
			{ skipped: true, sendOnceId: 'A' },
			{ id: 'm3' },
		]);
		expect(result.outputs[0].map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});

	test('is off where it is empty', async () => {
		answerBut({});
		await execute([order('1', ''), order('1', null), order('1', ' ')], SEND_ONCE);
		expect(requested()).toEqual(['1', '1', '1']);
		expect(store.ids).toEqual([]);
	});

	test('takes no ID for another one than the text "undefined"', async () => {
		answerBut({});
		await execute([order('1', ''), order('2', 'undefined'), order('3', '')], SEND_ONCE);
		expect(requested()).toEqual(['1', '2', '3']);
	});

	test('has a record for each node', async () => {
		answerBut({ '1': REFUSED });
		await execute([order('1', 'A'), order('2', 'B')], SEND_ONCE, { settings: CONTINUE });
		expect([...store.scopes]).toEqual(['node']);
	});

	test.each([[['a']], [{ a: 1 }], [true]])('refuses %j as an ID', async (id) => {
		const { error } = await execute([order('1', id)], SEND_ONCE);
		expect(error?.message).toContain("'Send Once per ID'");
		expect(server.requests).toEqual([]);
	});

	test.each([1, 5])(
		'skips the second of two items with the same ID, whatever becomes of the first (%d at once)',
		async (concurrency) => {
			answerBut({ '1': REFUSED });
			const result = await execute(
				[order('1', 'A'), order('2', 'A'), order('3', 'B'), order('4', 'B')],
				{ ...SEND_ONCE, concurrency },
				{ settings: CONTINUE },
			);
			expect(outcomesOf(result)).toEqual(['notSent', true, 'm3', true]);
			expect(store.ids).toEqual(['B']);
		},
	);

	test('keeps the ID of what may have been sent, and gives back that of what was not', async () => {
		answerBut({ '1': LOST, '2': REFUSED });
		await execute([order('1', 'A'), order('2', 'B')], SEND_ONCE, { settings: CONTINUE });
		expect(store.ids).toEqual(['A']);
		answerBut({});
		const again = await execute([order('1', 'A'), order('2', 'B')], SEND_ONCE);
		expect(outcomesOf(again)).toEqual([true, 'm2']);
	});

	test('in a retry, what was sent gives its id, and what may have been sent fails again', async () => {
		answerBut({ '2': LOST });
		const result = await execute([order('1', 'A'), order('2', 'B')], SEND_ONCE, {
			settings: { ...THREE_TRIES, ...CONTINUE },
			context: (await execute([order('1', 'A'), order('2', 'B')], SEND_ONCE)).context,
		});
		expect(outcomesOf(result)).toEqual(['m1', 'unknown']);
		expect(requested()).toEqual(['1', '2']);
	});

	test('with Resend When Uncertain a retry sends again, and a refusal does not free the ID', async () => {
		answerBut({ '1': [LOST, REFUSED] });
		const options = { ...SEND_ONCE, resendUncertain: true };
		const { context } = await execute([order('1', 'A')], options);
		await execute([order('1', 'A')], options, { context });
		expect(requested()).toEqual(['1', '1']);
		expect(store.ids).toEqual(['A']);
	});

	test('records an ID just before its request: never more without an outcome than requests under way', async () => {
		const ids = Array.from({ length: 40 }, (_, i) => order(String(i), `id-${i}`));
		let most = 0;
		let answered = 0;
		server.answerEach(() => {
			most = Math.max(most, store.ids.length - answered);
			answered++;
			return { body: { id: 'm' } };
		});
		const { error } = await execute(ids, { ...SEND_ONCE, concurrency: 4, delayBetweenSends: 2 });
		expect(error).toBeUndefined();
		expect(store.ids).toHaveLength(40);
		expect(most).toBeLessThanOrEqual(4);
	});

	test('has no ID on record while it waits for another try', async () => {
		const onRecord: unknown[] = [];
		let tries = 0;
		jest.spyOn(Math, 'random').mockImplementation(() => {
			onRecord.push([...store.ids]);
			return 0;
		});
		server.answerEach(() => (tries++ < 2 ? { status: 429 } : { body: { id: 'm1' } }));
		const result = await execute([order('1', 'A')], SEND_ONCE);
		jest.restoreAllMocks();
		expect(onRecord).toContainEqual([]);
		expect(onRecord).not.toContainEqual(['A']);
		expect(outcomesOf(result)).toEqual(['m1']);
		expect(store.ids).toEqual(['A']);
	});

	test('with Resend When Uncertain puts an ID on record that was not there in the first try', async () => {
		answerBut({ '1': [LOST] });
		const { context } = await execute([order('1', 'A')]);
		const options = { ...SEND_ONCE, resendUncertain: true };
		await execute([order('1', 'A')], options, { context });
		expect(requested()).toEqual(['1', '1']);
		expect(store.ids).toEqual(['A']);
	});

	test('never calls the store twice at a time, also from two executions', async () => {
		answerBut({ '1': REFUSED, '3': REFUSED });
		const items = ['1', '2', '3', '4', '5'].map((number) => order(number, number));
		const options = { ...SEND_ONCE, concurrency: 5 };
		const both = [1, 2].map(async () => await execute(items, options, { settings: CONTINUE }));
		const results = await Promise.all(both);
		expect(store.overlaps).toBe(0);
		expect(store.ids.sort()).toEqual(['2', '4', '5']);
		expect(requested().filter((number) => number === '2')).toHaveLength(1);
		expect(results.flatMap(outcomesOf)).toHaveLength(10);
	});

	const cancelWhileRecorded: NodeRun['onStart'] = (execution) => {
		store.whileCalled = () => execution.cancel();
	};

	test('does not give back the ID of what may have been sent when a retry is canceled', async () => {
		answerBut({ '1': [LOST] });
		const options = { ...SEND_ONCE, resendUncertain: true };
		const { context } = await execute([order('1', 'A')], options);
		await execute([order('1', 'A')], options, { context, onStart: cancelWhileRecorded });
		store.whileCalled = () => {};
		// Another execution, whose calls to the store come after those of the canceled one.
		await execute([order('2', 'B')], SEND_ONCE);
		expect(requested()).toEqual(['1', '2']);
		expect(store.ids).toEqual(['A', 'B']);
	});

	test('gives an ID back when the execution is canceled while it is recorded', async () => {
		answerBut({});
		const context: IDataObject = {};
		await execute([order('1', 'A')], SEND_ONCE, { context, onStart: cancelWhileRecorded });
		store.whileCalled = () => {};
		expect(context).toEqual({ sends: { round: 0, items: {} } });
		// Another execution, whose calls to the store come after those of the canceled one.
		await execute([order('2', 'B')], SEND_ONCE);
		expect(requested()).toEqual(['2']);
		expect(store.ids).toEqual(['B']);
	});

	test.each([
		['Stop', undefined],
		['Continue', CONTINUE],
	])('sends nothing on an n8n without a record, with On Error "%s"', async (_name, settings) => {
		answerBut({});
		const context = contextOf([order('1', ''), order('2', 'A')], settings);
		Object.assign(context.helpers, { checkProcessedAndRecord: undefined });
		const outcome = await new MessagingAccount().execute
			.call(context)
			.catch(({ message, description }: NodeError) => [message, description]);
		expect(JSON.stringify(outcome)).toContain("'Send Once per ID' needs n8n 1.64 or later");
		expect(JSON.stringify(outcome)).toContain('Update it, or remove the option.');
		expect(server.requests).toEqual([]);
	});

	test('sends nothing where the store cannot be asked', async () => {
		store.failure = new Error('The database is locked');
		const result = await execute([order('1', 'A')], SEND_ONCE, { settings: CONTINUE });
		expect(jsonOf(result)).toMatchObject([
			{
				error: {
					message: "n8n's store of processed IDs cannot be used: The database is locked [item 0]",
					delivery: 'notSent',
				},
			},
		]);
		expect(server.requests).toEqual([]);
	});

	test('an ID that another process undoes is put on record again, at the next send and at the end', async () => {
		const orders = ['1', '2', '3'].map((number) => order(number, `order-${number}`));
		const onRecord: unknown[] = [];
		server.answerEach((request) => {
			onRecord.push(store.ids);
			// A process that had read the record before this ID was on it writes it back.
			store.ids = store.ids.filter((id) => id !== `order-${numberOf(request)}`);
			return { body: { id: 'm' } };
		});
		await execute(orders, SEND_ONCE);
		expect(onRecord.at(-1)).toEqual(expect.arrayContaining(['order-1', 'order-2', 'order-3']));
		expect(store.ids).toEqual(expect.arrayContaining(['order-1', 'order-2', 'order-3']));
		expect(requested()).toEqual(['1', '2', '3']);
	});

	test('an ID that was taken back stays off the record', async () => {
		answerBut({ '1': REFUSED });
		const items = [order('1', 'A'), order('2', 'B'), order('3', 'C')];
		await execute(items, SEND_ONCE, { settings: CONTINUE });
		expect(store.ids).toEqual(['B', 'C']);
	});

	test('sends where another process makes the record at the same moment', async () => {
		answerBut({});
		store.failure = new Error('duplicate key value violates unique constraint "PK_ca04b9"');
		store.whileCalled = () => {
			store.whileCalled = () => {
				store.failure = undefined;
			};
		};
		const result = await execute([order('1', 'A')], SEND_ONCE);
		expect(jsonOf(result)).toEqual([{ id: 'm1' }]);
		expect(store.ids).toEqual(['A']);
	});

	test('a record that cannot be used after the sends makes none of them a failed one', async () => {
		server.answerEach(() => {
			store.failure = new Error('The database is locked');
			return { body: { id: 'm1' } };
		});
		const context = contextOf([order('1', 'A')]);
		const warn = jest.spyOn(context.logger, 'warn').mockImplementation();
		const [items] = await new MessagingAccount().execute.call(context);
		expect(items).toMatchObject([{ json: { id: 'm1' } }]);
		expect(warn.mock.calls).toEqual([
			[
				expect.stringMatching(
					/^n8n's store .*: The database is locked\. Some IDs .* send them again/,
				),
			],
		]);
		warn.mockRestore();
	});

	describe('where an ID cannot be taken from the record once', () => {
		beforeEach(() => {
			let calls = 0;
			store.whileCalled = () => {
				const isTakingBack = ++calls === 2;
				store.failure = isTakingBack ? new Error('The database is locked') : undefined;
			};
		});

		test('sends in the next try all the same', async () => {
			answerBut({ '1': [{ status: 429, headers: { 'retry-after': '0' } }] });
			const result = await execute([order('1', 'A')], SEND_ONCE);
			expect(outcomesOf(result)).toEqual(['m1']);
			expect(requested()).toEqual(['1', '1']);
			expect(store.ids).toEqual(['A']);
		});

		test('was not sent, also where an option cannot be used in a retry', async () => {
			answerBut({ '1': REFUSED });
			const { context } = await execute([order('1', 'A')], SEND_ONCE);
			const options = { ...SEND_ONCE, timeout: 0 };
			const retry = await execute([order('1', 'A')], options, { context, settings: CONTINUE });
			expect(outcomesOf(retry)).toEqual(['notSent']);
		});

		test('sends in a retry of the execution all the same', async () => {
			answerBut({ '1': [REFUSED] });
			const { context } = await execute([order('1', 'A')], SEND_ONCE);
			expect(store.ids).toEqual(['A']);
			const retry = await execute([order('1', 'A')], SEND_ONCE, { context });
			expect(outcomesOf(retry)).toEqual(['m1']);
			expect(requested()).toEqual(['1', '1']);
		});
	});

	test('says so where an ID stays on record although nothing was sent', async () => {
		server.answerEach(() => {
			store.failure = new Error('The database is locked');
			return REFUSED;
		});
		const result = await execute([order('1', 'A')], SEND_ONCE, { settings: CONTINUE });
		expect(jsonOf(result)).toMatchObject([
			{ error: { delivery: 'notSent', description: expect.stringContaining('skip') as string } },
		]);
	});
});

describe('Concurrent Sends', () => {
	/** Holds all requests until so many are under way. */
	function holdUntil(count: number): { most: () => number; overlapping: () => boolean } {
		const held: Array<() => void> = [];
		const underWay: string[] = [];
		let most = 0;
		let overlapping = false;
		server.answerEach((request) => (response) => {
			const number = numberOf(request);
			overlapping ||= underWay.includes(number);
			underWay.push(number);
			most = Math.max(most, underWay.length);
			held.push(() => {
				underWay.splice(underWay.indexOf(number), 1);
				response.end(JSON.stringify({ id: `m${number}` }));
			});
			// Answered the other way round: the order of the answers must not matter.
			if (held.length >= count) for (const release of held.splice(0).reverse()) release();
		});
		return { most: () => most, overlapping: () => overlapping };
	}

	test('goes so many at a time, and gives the items in input order', async () => {
		const { most } = holdUntil(4);
		const numbers = Array.from({ length: 20 }, (_, i) => String(i));
		const result = await execute(numbers, { concurrency: 4 });
		expect(most()).toBe(4);
		expect(jsonOf(result)).toEqual(numbers.map((number) => ({ id: `m${number}` })));
		expect(result.outputs[0].map(({ pairedItem }) => pairedItem)).toEqual(
			numbers.map((_, item) => ({ item })),
		);
	});

	test('is one at a time, in order, unless it is set', async () => {
		const { most } = holdUntil(1);
		await execute(['1', '2', '3', '4']);
		expect(most()).toBe(1);
		expect(requested()).toEqual(['1', '2', '3', '4']);
	});

	test('keeps the order of sends to the same number, which never overlap; others go ahead', async () => {
		const { most, overlapping } = holdUntil(2);
		const items = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map((caption) => ({
			number: caption.startsWith('a') ? '+1' : '2',
			caption,
		}));
		await execute(items, { concurrency: 2 });
		expect(most()).toBe(2);
		expect(overlapping()).toBe(false);
		for (const letter of ['a', 'b']) {
			const captions = server.requests.map(({ body }) => (body as IDataObject).caption as string);
			expect(captions.filter((caption) => caption.startsWith(letter))).toEqual(
				[1, 2, 3].map((count) => `${letter}${count}`),
			);
		}
	});

	test('with On Error "Stop" starts nothing after a failure, awaits what is under way, and tells of it', async () => {
		const held: Array<() => void> = [];
		server.answerEach((request) => (response, socket) => {
			const number = numberOf(request);
			if (number === '2') held.push(() => response.writeHead(422).end());
			if (number === '1') held.push(() => setImmediate(() => response.end('{"id": "m1"}')));
			if (number === '3') held.push(() => setImmediate(() => socket.destroy()));
			if (held.length === 3) for (const release of held) release();
		});
		const { error, context } = await execute(['1', '2', '3', '4', '5'], { concurrency: 3 });
		expect(requested().sort()).toEqual(['1', '2', '3']);
		expect(error?.description).toContain('completed before the stop: 1 of 5');
		expect([error?.context.itemIndex, error?.description]).toEqual(
			expect.arrayContaining([expect.stringMatching(/item (1 \(notSent\)|2 \(unknown\))/)]),
		);
		expect((context.sends as IDataObject).items).toEqual({
			0: expect.stringContaining('"m1"') as string,
			2: expect.stringContaining('["ECONNRESET"]') as string,
		});
	});

	test('what was not started because of a failure is none itself', async () => {
		answerBut({ '1': REFUSED });
		const { error } = await execute(['1', '2', '3'], { concurrency: 2, delayBetweenSends: 60_000 });
		expect(error?.description).toMatch(/ Items completed before the stop: 0 of 3\.$/);
		expect(requested()).toEqual(['1']);
	});

	test.each([0, 51, 1.5, 'many', '', null])(
		'of %j is refused for each item',
		async (concurrency) => {
			const result = await execute(['1', '2'], { concurrency }, { settings: CONTINUE });
			expect(jsonOf(result)).toEqual([0, 1].map(() => ({ error: expect.anything() as object })));
			expect(jsonOf(result)[1].error).toMatchObject({
				message: expect.stringContaining("'Concurrent Sends'") as string,
				delivery: 'notSent',
			});
			expect(server.requests).toEqual([]);
		},
	);

	test('of 99 is told once with On Error "Stop"', async () => {
		const { error } = await execute(['1', '2', '3'], { concurrency: 99 });
		expect(error?.message).toContain("'Concurrent Sends'");
		expect(error?.description).not.toContain('item 1');
	});

	test('is nothing that another operation reads', async () => {
		server.answer({ body: { is_connected: true } });
		const { error } = await execute(
			['1'],
			{},
			{ parameters: { operation: 'getStatus', options: { concurrency: 0 } } },
		);
		expect(error).toBeUndefined();
	});
});

describe('canceling the execution', () => {
	test('stops new sends at once, those that wait too', async () => {
		let cancel = () => {};
		server.answerEach(() => {
			if (server.requests.length === 3) cancel();
			return { body: { id: 'm' } };
		});
		const numbers = Array.from({ length: 20 }, (_, i) => String(i));
		const { error } = await execute(
			numbers,
			{ concurrency: 2, delayBetweenSends: 5 },
			{
				onStart: (execution) => {
					cancel = () => execution.cancel();
				},
			},
		);
		expect(error?.message).toBe('The execution was canceled');
		expect(error?.description).toMatch(/^Items completed before the stop: \d of 20\./);
		const atCancel = server.requests.length;
		expect(atCancel).toBeGreaterThanOrEqual(3);
		expect(atCancel).toBeLessThanOrEqual(4);
		// Another execution, later than anything that could still have been on its way.
		await execute(['99']);
		expect(server.requests.length).toBe(atCancel + 1);
	});

	test('cuts off what is under way, and takes it for uncertain', async () => {
		const context: IDataObject = {};
		let cancel = () => {};
		const isCutOff = new Promise<void>((resolve) =>
			server.answerEach(() => (_response, socket) => {
				socket.once('close', () => resolve());
				cancel();
			}),
		);
		const execution = execute(
			['1'],
			// The time-out is not what ends it.
			{ timeout: 2 ** 31 - 1 },
			{
				context,
				onStart: ({ cancel: stop }) => {
					cancel = stop;
				},
			},
		);
		await isCutOff;
		await execution;
		answerBut({});
		const again = await execute(['1'], {}, { context, settings: CONTINUE });
		expect(outcomesOf(again)).toEqual(['unknown']);
		expect(requested()).toEqual(['1']);
	});

	test('ends the wait for another try', async () => {
		await execute(
			['1', '2'],
			{},
			{
				onStart: (execution) => {
					server.answerEach(() => {
						setImmediate(() => execution.cancel());
						return { status: 429, headers: { 'retry-after': '50' } };
					});
				},
			},
		).catch(() => undefined);
		expect(requested()).toEqual(['1']);
	});
});

describe('many items', () => {
	const SENDS = cases(2000);

	test(`${SENDS} sends, some of them to the same numbers, keep their order`, async () => {
		server.answerEach((request) => ({ body: { id: numberOf(request) } }));
		const numbers = Array.from({ length: SENDS }, (_, i) => String(i % (0.9 * SENDS)));
		const result = await execute(numbers, { concurrency: 20 });
		expect(jsonOf(result).map(({ id }) => id)).toEqual(numbers);
	});
});
