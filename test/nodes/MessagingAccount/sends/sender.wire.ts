import type { IDataObject } from 'n8n-workflow';

import { MessagingAccount } from '../../../../nodes/MessagingAccount/MessagingAccount.node';
import { createParameterReader } from '../../../../nodes/MessagingAccount/parameters/parameterReader';
import { Sender } from '../../../../nodes/MessagingAccount/sends/sender';
import { SendLog } from '../../../../nodes/MessagingAccount/sends/sendLog';
import { pacesByAccount } from '../../../../nodes/MessagingAccount/transport/throttle';
import { caseCount } from '../../../support/cases';
import { CREDENTIAL, runNode, type NodeResult, type NodeRun } from '../../../support/engine';
import { createExecuteContext } from '../../../support/executeContext';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import {
	useScriptedServer,
	type RecordedRequest,
	type Script,
} from '../../../support/scriptedServer';
import { finish, until, useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { waitUntil } from '../../../support/waitUntil';

/** Recipients are named by the end of their numbers, e.g. 1 for 49151001. */
const NUMBER_START = '4915100';
const PARAMETERS = {
	operation: 'sendImage',
	number: `=${NUMBER_START}{{ $json.number }}`,
	url: 'https://example.com/a.png',
	caption: '={{ $json.caption }}',
};
const SEND_ONCE = { sendOnceId: '={{ $json.order }}' };
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const RETRY_ON_FAIL = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

const DROPPED: Script = (_response, socket) => socket.destroy();
const REFUSED: Script = { status: 422 };

const server = useScriptedServer();
const store = useProcessedDataStore();

async function execute(
	numbers: Array<string | IDataObject>,
	options: IDataObject = {},
	more: Partial<NodeRun> = {},
): Promise<NodeResult> {
	const run = runNode({
		parameters: { ...PARAMETERS, options } as NodeRun['parameters'],
		items: numbers.map((number) => (typeof number === 'string' ? { number } : number)),
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});
	return await finish(run);
}

const numberOf = ({ body }: RecordedRequest) =>
	((body as IDataObject).number as string).slice(NUMBER_START.length);
const requested = () => server.requests.map(numberOf);
const attemptsIn = ({ sendLog }: IDataObject) =>
	Object.values((sendLog as IDataObject).attempts as IDataObject).flat();
const jsonOf = ({ outputs }: NodeResult) => outputs[0].map(({ json }) => json);
const resultsOf = (result: NodeResult) =>
	jsonOf(result).map(({ id, skipped, error }) => id ?? skipped ?? (error as IDataObject).delivery);
const untilUnknown = (count: number) =>
	until(`${count} unknown IDs`, (saw) => saw(store.unknownIds).length === count);

const createItem = (number: string, id: unknown) => ({ number, order: id as string });

/** Responds with an id made from the number, except to the numbers in `scripts`. */
function respondExcept(scripts: Record<string, Script | Script[]>): void {
	const counts: Record<string, number> = {};
	server.onRequest((request) => {
		const number = numberOf(request);
		const script = scripts[number];
		counts[number] = (counts[number] ?? 0) + 1;
		const chosen = Array.isArray(script) ? script[counts[number] - 1] : script;
		return chosen ?? { body: { id: `m${number}` } };
	});
}

describe('a retry in the same execution', () => {
	test('sends only the remaining items, and outputs all of them', async () => {
		respondExcept({ '3': [REFUSED, REFUSED] });
		const result = await execute(['1', '2', '3', '4'], {}, { settings: RETRY_ON_FAIL });
		expect(requested()).toEqual(['1', '2', '3', '3', '3', '4']);
		expect(jsonOf(result)).toEqual([{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }, { id: 'm4' }]);
	});

	test('never resends an uncertain item, which fails again with the advice to check the chat', async () => {
		respondExcept({ '2': DROPPED });
		const { error } = await execute(['1', '2', '3'], {}, { settings: RETRY_ON_FAIL });
		// One that is unknown does not keep the rest from being sent.
		expect(requested()).toEqual(['1', '2', '3']);
		expect(error?.description).toContain('Items that may have been sent: 1. To go on');
		expect(error?.message).toBe(
			'An earlier attempt to send this item ended without a clear result (ECONNRESET) [item 1]',
		);
		expect(error?.description).toContain('check the chat');
		expect(error?.description).toContain("'Resend When Uncertain'");
	});

	test.each([1, 5])(
		'of an execution that stopped sends what is left, then fails because of the rest (concurrency %d)',
		async (concurrency) => {
			const limited: Script = { status: 429, headers: { 'retry-after': '0' } };
			respondExcept({ '2': DROPPED, '3': [limited] });
			const numbers = ['1', '2', 'none', '3', '4'];
			const { context } = await execute(numbers.slice(0, 2));
			const { error } = await execute(numbers, { concurrency }, { context, mode: 'retry' });
			expect(requested().slice(0, 2)).toEqual(['1', '2']);
			expect(requested().slice(2).sort()).toEqual(['3', '3', '4']);
			expect(error?.description).toMatch(
				/Other failed items: item (1 \(unknown\)|2 \(notSent\))\./,
			);
			expect(error?.description).toContain('Items that may have been sent: 1. To go on');
		},
	);

	test('resends it with Resend When Uncertain', async () => {
		respondExcept({ '2': [DROPPED] });
		const result = await execute(
			['1', '2', '3'],
			{ resendUncertain: true },
			{ settings: RETRY_ON_FAIL },
		);
		expect(requested()).toEqual(['1', '2', '2', '3']);
		expect(jsonOf(result)).toEqual([{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }]);
	});

	test('does not mention an earlier attempt if there was none', async () => {
		respondExcept({ '1': { status: 500 } });
		const result = await execute(['1'], {}, { settings: CONTINUE });
		expect(jsonOf(result)[0].error).toMatchObject({ httpCode: '500', delivery: 'unknown' });
		expect(JSON.stringify(jsonOf(result))).not.toContain('earlier');
	});

	test('keeps an item uncertain if the resend was refused', async () => {
		respondExcept({ '1': [DROPPED, REFUSED, REFUSED] });
		const result = await execute(
			['1'],
			{ resendUncertain: true },
			{ settings: { ...RETRY_ON_FAIL, ...CONTINUE } },
		);
		expect(requested()).toEqual(['1', '1', '1']);
		expect(resultsOf(result)).toEqual(['unknown']);
		expect(jsonOf(result)[0].error).toMatchObject({
			description: expect.stringContaining('an earlier one may have') as string,
		});
	});

	test('does not say of an item that is uncertain again that nothing was sent', async () => {
		respondExcept({ '1': DROPPED });
		const options = { resendUncertain: true };
		const { context } = await execute(['1'], options);
		const { error } = await execute(['1'], options, { context });
		expect(requested()).toEqual(['1', '1']);
		expect(error?.description).toContain('check the chat');
		expect(error?.description).not.toContain('This attempt sent nothing');
	});

	test('of all items, which n8n starts if the first one failed, sends only the remaining ones', async () => {
		respondExcept({ '1': [REFUSED], '3': DROPPED });
		const result = await execute(
			['1', '2', '3'],
			{},
			{ settings: { ...RETRY_ON_FAIL, onError: 'continueErrorOutput' } },
		);
		expect(requested()).toEqual(['1', '2', '3', '1']);
		expect(jsonOf(result)).toEqual([{ id: 'm1' }, { id: 'm2' }]);
		expect(result.outputs[1]).toMatchObject([
			{ json: { error: { delivery: 'unknown' } }, pairedItem: { item: 2 } },
		]);
	});

	test('does not treat a caption with the current time as changed', async () => {
		respondExcept({ '2': [REFUSED], '3': [DROPPED] });
		const result = await runNode({
			parameters: { ...PARAMETERS, caption: '=Sent at {{ $now.toMillis() }}, {{ Math.random() }}' },
			items: ['1', '2', '3'].map((number) => ({ number })),
			settings: RETRY_ON_FAIL,
			credential: { baseUrl: server.url, ...CREDENTIAL },
		});
		expect(requested()).toEqual(['1', '2', '2', '3']);
		expect(result.error?.message).toContain('without a clear result');
	});

	test('sends what a dry run has only tried', async () => {
		respondExcept({});
		const { context } = await execute(['1'], { dryRun: true });
		expect(context).toEqual({});
		expect(resultsOf(await execute(['1'], {}, { context, mode: 'retry' }))).toEqual(['m1']);
	});

	test('keeps a numeric id', async () => {
		respondExcept({ '1': { body: { id: 7 } }, '2': [REFUSED] });
		expect(jsonOf(await execute(['1', '2'], {}, { settings: RETRY_ON_FAIL }))).toEqual([
			{ id: 7 },
			{ id: 'm2' },
		]);
	});

	test.each([
		['the credential', {}, { baseUrl: 'nonsense' }],
		['a parameter', { timeout: 'soon' }, {}],
		['a throttle option', { concurrency: 0 }, {}],
	])('keeps an item uncertain if %s cannot be used in the retry', async (_what, broken, fields) => {
		respondExcept({ '2': DROPPED });
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
		expect(resultsOf(result)[1]).toBe('unknown');
		expect(jsonOf(result)[1].error).toMatchObject({
			description: expect.stringMatching(/ This attempt .* an earlier one may have\./) as string,
		});
		expect(resultsOf(result)[2]).toBe('notSent');
		expect(requested()).toEqual(['1', '2']);
	});

	test('adds nothing to the description if the error of n8n has none', async () => {
		respondExcept({ '1': DROPPED });
		const { context } = await execute(['1']);
		const onCredentialRead = () => {
			throw new Error('No database');
		};
		const options = { resendUncertain: true };
		const { error } = await execute(['1'], options, { context, onCredentialRead });
		expect(error?.description).toMatch(/^This attempt sent nothing/);
	});

	test('needs no credential for an item that was sent', async () => {
		respondExcept({ '2': DROPPED });
		const { context } = await execute(['1'], {});
		const broken = { baseUrl: server.url, clientId: '', token: '' };
		const result = await execute(['1'], {}, { context, credential: broken });
		expect(jsonOf(result)).toEqual([{ id: 'm1' }]);
	});
});

describe('the send log of an execution', () => {
	test('knows an item by its recipient, whatever else was changed', async () => {
		respondExcept({});
		const { context } = await execute([{ number: '1', caption: 'a' }]);
		const edited = await execute([{ number: '1', caption: 'b' }], {}, { context });
		expect(jsonOf(edited)).toEqual([{ id: 'm1' }]);
		await execute([{ number: '2', caption: 'a' }], {}, { context });
		expect(requested()).toEqual(['1', '2']);
	});

	test('tells at the node how many recipients had received an earlier version', async () => {
		respondExcept({});
		const rows = ['1', '2', '3'].map((number) => ({ number, caption: 'a' }));
		const { context } = await execute(rows);
		const edited = [rows[0], { ...rows[1], caption: 'b' }, { ...rows[2], caption: 'b' }];
		const hintsOf = ({ stored }: NodeResult) =>
			stored.match(/"message":"[^"]*earlier version[^"]*/g);
		expect(hintsOf(await execute(edited, {}, { context }))).toEqual([
			'"message":"2 recipients had received an earlier version in this execution. To send them the new one, start the workflow again.',
		]);
		expect(hintsOf(await execute(rows.slice(0, 1), {}, { context }))).toBeNull();
	});

	test('keeps an item uncertain if its number was changed, and it was then refused', async () => {
		respondExcept({ '1': DROPPED, '2': REFUSED });
		const { context } = await execute(['1']);
		const { error } = await execute(['2'], {}, { context });
		expect(requested()).toEqual(['1', '2']);
		expect(error?.description).toContain('an earlier one may have');
	});

	test('sends an item that was refused and edited', async () => {
		respondExcept({ '1': [REFUSED] });
		const { context } = await execute([{ number: '1', caption: 'a' }], {}, { settings: CONTINUE });
		await execute([{ number: '1', caption: 'b' }], {}, { context });
		expect(requested()).toEqual(['1', '1']);
	});

	test('knows that an item was not sent', async () => {
		respondExcept({ '1': REFUSED });
		const { context } = await execute(['1'], {}, { settings: CONTINUE });
		expect(attemptsIn(context)).toEqual([expect.stringMatching(/ notSent$/)]);
	});

	test('records a send with an unexpected error as uncertain', async () => {
		const context = createExecuteContext({ parameters: {} }, [{}]);
		const sender = new Sender(
			context,
			createParameterReader(context),
			{ concurrency: 1, delay: 0, randomExtraDelay: 0, isPerAccount: false },
			new AbortController().signal,
			async () => await Promise.reject(new Error('not asked for')),
		);
		const send = async () => await Promise.reject(new TypeError(`of ${CREDENTIAL.token}`));
		const request = { method: 'POST', path: '/v1/sendImage', maxResponseBytes: 1 } as const;
		const steps = { createRequest: async () => request, attempt: send };
		const attempt = sender.plan(0, { recipient: '1', image: {}, caption: '' }, steps);
		await expect(attempt.run()).rejects.toMatchObject({
			message: 'Unexpected error while sending',
			description: 'n8n reports: TypeError.',
			delivery: 'unknown',
		});
		expect(new SendLog(context).mayHaveSent(0)).toBe(true);
		await sender.finish();
	});

	test('already records a send in progress as uncertain, in case n8n stops', async () => {
		let context: IDataObject | undefined;
		const execution = execute(['1', '2'], { concurrency: 2 }, { context: (context = {}) });
		await new Promise<void>((resolve) => {
			server.onRequest(() => (response) => {
				if (server.requests.length < 2) return;
				resolve();
				response.destroy();
			});
		});
		expect(attemptsIn(context)).toEqual([
			expect.stringMatching(/^0 0 .* unknown "it was interrupted"$/),
			expect.stringMatching(/^0 1 .* unknown "it was interrupted"$/),
		]);
		await server.close();
		await execution;
	});
});

describe('a tool of an agent', () => {
	const settings = { type: 'n8n-nodes-messaging-account.messagingAccountTool', ...CONTINUE };

	test('sends at every call, but never resends an uncertain image', async () => {
		respondExcept({ '2': DROPPED });
		let context: IDataObject = {};
		for (const [call, number] of ['1', '1', '2', '2'].entries()) {
			const item = { number, toolCallId: `call-${call}` };
			({ context } = await execute([item], {}, { settings, context }));
		}
		expect(requested()).toEqual(['1', '1', '2']);
	});

	test.each([
		['another image and caption', { url: 'https://example.com/b.png', caption: 'b' }, ['2', '2']],
		['the image', { url: 'https://example.com/a.png', caption: 'b' }, ['2']],
		['the caption', { url: 'https://example.com/b.png', caption: 'a' }, ['2']],
	])('takes a call with %s of an uncertain one accordingly', async (_what, call, numbers) => {
		respondExcept({ '2': [DROPPED] });
		const parameters = { ...PARAMETERS, url: '={{ $json.url }}', options: {} };
		const first = { number: '2', url: 'https://example.com/a.png', caption: 'a' };
		const { context } = await execute([first], {}, { settings, parameters });
		await execute([{ number: '2', ...call }], {}, { settings, parameters, context });
		expect(requested()).toEqual(numbers);
	});

	test('that has not sent anything does not mention an earlier call', async () => {
		const result = await execute(['1'], { timeout: 0 }, { settings });
		expect(resultsOf(result)).toEqual(['notSent']);
	});

	test.each([
		['was not sent', REFUSED, 'The image was not sent.'],
		['may have been sent', DROPPED, 'The image may have been sent'],
	])('says everything in its message if an image %s', async (_what, script, sentence) => {
		respondExcept({ '1': script });
		const { error } = await execute(['1'], {}, { settings: { type: settings.type } });
		expect(error?.message).toContain(sentence);
		expect(error?.message.endsWith(error.description!)).toBe(true);
		expect(error?.message).not.toContain('[item');
	});

	test('keeps an image uncertain if an option cannot be used in the next call', async () => {
		respondExcept({ '2': DROPPED });
		const { context } = await execute(['2'], {}, { settings });
		const result = await execute(['2'], { timeout: 0 }, { settings, context });
		expect(resultsOf(result)).toEqual(['unknown']);
	});
});

describe('Send Once per ID', () => {
	useSimulation(store);

	const SKIPPED = { skipped: true, sendOnceId: 'A' };

	/** For tests that need more than n8n's engine shows of a run. */
	const createContext = (items: IDataObject[], settings: NodeRun['settings'] = {}) =>
		createExecuteContext(
			{ parameters: { ...PARAMETERS, options: SEND_ONCE }, ...settings },
			items,
			{
				baseUrl: server.url,
				...CREDENTIAL,
			},
		);

	test('sends once across all executions, and outputs a skipped item in its place', async () => {
		respondExcept({});
		await execute([createItem('1', 'A')], SEND_ONCE);
		const result = await execute(
			[createItem('2', 'B'), createItem('1', 'A'), createItem('3', 7)],
			SEND_ONCE,
		);
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

	test('is off if it is empty', async () => {
		respondExcept({});
		for (const sendOnceId of ['', ' ', '=', '= ']) await execute(['1'], { sendOnceId });
		expect(requested()).toEqual(['1', '1', '1', '1']);
		expect(store.ids).toEqual([]);
	});

	test.each([
		['gives nothing', '={{ $json.oderNumber }}'],
		['gives nothing for some items', '={{ $json.number === "2" ? "A" : "" }}'],
		['calls what is not there', '={{ $json.a.b.c() }}'],
		['gives null', '={{ null }}'],
		['gives only spaces', '={{ " " }} '],
		['gives nothing beside its text', '=spring-{{ $json.oderNumber }}'],
		['gives null beside its text', '=spring-{{ null }}'],
		['gives nothing on both sides of its text', '={{ $json.a }}-{{ $json.b }}'],
		['gives nothing in one of its parts', '={{ $json.number }}-{{ $json.oderNumber }}'],
		['joins a text with nothing', '={{ "spring-" + $json.oderNumber }}'],
		['joins a text with an object', '={{ "spring-" + $json }}'],
		['is only braces', '={{ }}'],
		['names a node that is not there', '={{ $("No Such Node").first().json.id }}'],
		['has a syntax that n8n does not know', '={{ $json. }}'],
	])('fails, and sends nothing, if its expression %s', async (_what, sendOnceId) => {
		respondExcept({});
		const result = await execute(['1'], { sendOnceId }, { settings: CONTINUE });
		expect(jsonOf(result)[0].error).toMatchObject({
			message: expect.stringContaining("in 'Send Once per ID'") as string,
			description: expect.stringContaining('remove the option') as string,
			delivery: 'notSent',
		});
		expect(server.requests).toEqual([]);
		expect(store.ids).toEqual([]);
	});

	test('does not take a text with an expression for an ID', async () => {
		respondExcept({});
		const sendOnceId = 'spring-{{ $json.order }}';
		const result = await execute([createItem('1', 'A')], { sendOnceId }, { settings: CONTINUE });
		expect(resultsOf(result)).toEqual(['notSent']);
		expect(requested()).toEqual([]);
	});

	test('a full record keeps the IDs that are skipped, and a hint says that it is full', async () => {
		respondExcept({});
		store.ids = Array.from({ length: 50_000 }, (_, i) => `id-${i}`);
		const run = async (ids: string[]) => {
			const context = createContext(ids.map((id, i) => createItem(String(i), id)));
			await finish(new MessagingAccount().execute.call(context));
			return context.hints.map(({ message }) => message);
		};
		const full: unknown[] = [expect.stringContaining("record of 'Send Once per ID' is full")];
		const oldest = Array.from({ length: 30 }, (_, i) => `id-${i}`);
		// Nothing was dropped so far.
		for (let execution = 1; execution <= 2; execution++) expect(await run(oldest)).toEqual([]);
		expect(requested()).toEqual([]);
		const added = Array.from({ length: 320 }, (_, i) => `new-${i}`);
		expect(await run(added)).toEqual([]);
		expect(store.ids[0]).toBe('id-0');
		// The keys are not counted each time.
		let hints: string[] = [];
		for (let i = 0; i < 300 && hints.length === 0; i++) hints = await run([`newer-${i}`]);
		expect(hints).toEqual(full);
		expect(store.ids).not.toContain('id-0');
	});

	test('an ID that another execution has used between two attempts is skipped', async () => {
		let attempts = 0;
		server.onRequest(() => {
			if (++attempts > 2) return { body: { id: 'm' } };
			// The release after the first attempt fails.
			if (attempts === 1) {
				let calls = 0;
				store.onCall = () => {
					store.error = ++calls === 1 ? new Error('The database is locked') : undefined;
				};
			}
			return { status: 429, headers: { 'retry-after': '0' } };
		});
		jest.spyOn(Math, 'random').mockImplementation(() => {
			// Before the third attempt.
			if (attempts === 2 && store.ids.length === 0) store.ids = ['A'];
			return 0;
		});
		const result = await execute([createItem('1', 'A')], SEND_ONCE);
		jest.restoreAllMocks();
		expect(resultsOf(result)).toEqual([true]);
		expect(attempts).toBe(2);
	});

	test('an ID that another process removes is stored again after the execution, also if the database fails once', async () => {
		server.onRequest(({ body }) => {
			const { number } = body as IDataObject;
			if (String(number).endsWith('2')) {
				// Another process writes back what it had read before.
				store.ids = [];
				let calls = 0;
				store.onCall = () => {
					store.error = ++calls === 1 ? new Error('The database is locked') : undefined;
				};
			}
			return { body: { id: 'm' } };
		});
		await execute([createItem('1', 'A'), createItem('2', 'B')], SEND_ONCE);
		await until('two IDs', (saw) => saw(store.ids).length === 2);
		expect(store.ids.sort()).toEqual(['A', 'B']);
	});

	test('takes a text, the same with white space around it and a number for one ID', async () => {
		respondExcept({});
		const items = ['1042', '1042 ', 1042, '\u00a01042'].map((id, i) => createItem(`${i}`, id));
		const result = await execute(items, SEND_ONCE);
		expect(requested()).toEqual(['0']);
		expect(resultsOf(result)).toEqual(['m0', true, true, true]);
	});

	test('what a service says of a delivery does not make an ID unknown', async () => {
		server.respondWith({ body: { id: 'm', delivery: 'unknown' } });
		const items = ['1', '2'].map((number) => createItem(number, 'A'));
		expect(jsonOf(await execute(items, SEND_ONCE))[1]).toEqual(SKIPPED);
	});

	test('stores the IDs for each node, where sends cannot push them out', async () => {
		respondExcept({ '1': REFUSED });
		await execute([createItem('1', 'A'), createItem('2', 'B')], SEND_ONCE, { settings: CONTINUE });
		expect(store.ids).toEqual(['B']);
		expect([...store.scopes].sort()).toEqual(['node', 'workflow']);
	});

	test.each([[['a']], [{ a: 1 }], [true]])('refuses %j as an ID', async (id) => {
		const { error } = await execute([createItem('1', id)], SEND_ONCE);
		expect(error?.message).toContain("'Send Once per ID'");
		expect(server.requests).toEqual([]);
	});

	describe.each([1, 5])('items with the same ID (concurrency %d)', (concurrency) => {
		const options = { ...SEND_ONCE, concurrency };

		test('are tried in their order until one is sent or unknown', async () => {
			respondExcept({ '1': REFUSED, '3': DROPPED });
			const items = [
				...['1', '1', '2', '5', '6'].map((number) => createItem(number, 'A')),
				...['1', '3', '4'].map((number) => createItem(number, 'B')),
			];
			const result = await execute(items, options, { settings: CONTINUE });
			expect(resultsOf(result)).toEqual([
				...['notSent', 'notSent', 'm2', true, true],
				...['notSent', 'unknown', true],
			]);
			expect(jsonOf(result).slice(3, 5)).toEqual([SKIPPED, SKIPPED]);
			expect(jsonOf(result)[7]).toEqual({ ...SKIPPED, sendOnceId: 'B', delivery: 'unknown' });
			expect(requested().sort()).toEqual(['1', '1', '1', '2', '3']);
			expect(store.ids.sort()).toEqual(['A', 'B']);
			await untilUnknown(1);
			expect(store.unknownIds).toEqual(['B']);
		});

		test('leave no slot free that an earlier one needs', async () => {
			respondExcept({ '1': REFUSED });
			const items = ['1', '1', ...'23456789'].map((number, i) =>
				createItem(number, i === 0 ? 'first' : 'A'),
			);
			const result = await execute(items, options, { settings: CONTINUE });
			expect(resultsOf(result)).toEqual(['notSent', 'notSent', 'm2', ...Array(7).fill(true)]);
		});

		test('are resent in a retry if they are unknown, although earlier ones were refused', async () => {
			respondExcept({ '1': REFUSED, '2': [DROPPED] });
			const items = ['1', '2', '3'].map((number) => createItem(number, 'A'));
			const { context } = await execute(items, options, { settings: CONTINUE });
			respondExcept({});
			const retry = await execute(
				items,
				{ ...options, resendUncertain: true },
				{ settings: CONTINUE, context },
			);
			expect(resultsOf(retry)).toEqual([true, 'm2', true]);
			expect(requested()).toEqual(['1', '2', '2']);
			await untilUnknown(0);
		});

		test('are tried in a retry, too, but not after one was sent', async () => {
			respondExcept({ '1': REFUSED });
			const items = ['1', '2'].map((number) => createItem(number, 'A'));
			const { context } = await execute(items, options, { settings: CONTINUE });
			respondExcept({});
			const retry = await execute(items, options, { settings: CONTINUE, context });
			expect(resultsOf(retry)).toEqual([true, 'm2']);
			expect(requested()).toEqual(['1', '2']);
		});
	});

	test.each([
		[['1', '2', '1'], '1 item was', 1],
		[['1', '1', '2', '2', '3'], '3 items were', 2],
		[['1', '1'], undefined, 0],
	])('of the recipients %j are told about: %s', async (numbers, items, example) => {
		respondExcept({});
		const list = numbers.map((number) => createItem(number, 'spring'));
		const expected =
			items &&
			`${items} skipped because an earlier item with another recipient has the same ID, e.g. item ${example}: 'spring'`;
		// Also if all of them are skipped.
		for (let execution = 1; execution <= 2; execution++) {
			const context = createContext(list);
			await finish(new MessagingAccount().execute.call(context));
			expect(context.hints.map(({ message }) => message)).toEqual(expected ? [expected] : []);
		}
	});

	test('tells of a skipped item if its image may not have been sent', async () => {
		const items = ['1', '2'].map((number) => createItem(number, number));
		server.onRequest((request) => {
			if (numberOf(request) === '1') return { body: { id: 'm1' } };
			// n8n is killed.
			store.error = new Error('The database is closed');
			return DROPPED;
		});
		await execute(items, SEND_ONCE, { settings: CONTINUE });
		store.error = undefined;
		respondExcept({});
		const again = async () => jsonOf(await execute(items, SEND_ONCE));
		const expected = [
			{ skipped: true, sendOnceId: '1' },
			{ skipped: true, sendOnceId: '2', delivery: 'unknown' },
		];
		expect(await again()).toEqual(expected);
		// Also the next time.
		expect(await again()).toEqual(expected);
		await untilUnknown(1);
		expect(store.unknownIds).toEqual(['2']);
		expect(requested()).toEqual(['1', '2']);
	});

	test.each(Array.from({ length: 8 }, (_, i) => [i]))(
		'an execution that is killed at call %d of the database makes nothing certain',
		async (call) => {
			respondExcept({ '2': DROPPED });
			const items = ['1', '2'].map((number) => createItem(number, number));
			await execute(items, SEND_ONCE, { settings: CONTINUE });
			await untilUnknown(1);
			let calls = 0;
			store.onCall = () => {
				if (calls++ >= call) throw new Error('n8n has crashed');
			};
			await execute(items, SEND_ONCE, { settings: CONTINUE });
			startNewProcess();
			store.onCall = () => {};
			expect(jsonOf(await execute(items, SEND_ONCE, { settings: CONTINUE }))).toEqual([
				{ skipped: true, sendOnceId: '1' },
				{ skipped: true, sendOnceId: '2', delivery: 'unknown' },
			]);
			expect(requested()).toEqual(['1', '2']);
		},
	);

	test('keeps the ID of an uncertain item, and releases that of an item that was not sent', async () => {
		respondExcept({ '1': DROPPED, '2': REFUSED });
		await execute([createItem('1', 'A'), createItem('2', 'B')], SEND_ONCE, { settings: CONTINUE });
		expect(store.ids).toEqual(['A']);
		respondExcept({});
		const second = await execute([createItem('1', 'A'), createItem('2', 'B')], SEND_ONCE);
		expect(resultsOf(second)).toEqual([true, 'm2']);
	});

	test('in a retry, a sent item outputs its id, and an uncertain one fails again', async () => {
		respondExcept({ '2': DROPPED });
		const result = await execute([createItem('1', 'A'), createItem('2', 'B')], SEND_ONCE, {
			settings: { ...RETRY_ON_FAIL, ...CONTINUE },
			context: (await execute([createItem('1', 'A'), createItem('2', 'B')], SEND_ONCE)).context,
		});
		expect(resultsOf(result)).toEqual(['m1', 'unknown']);
		expect(requested()).toEqual(['1', '2']);
	});

	test('with Resend When Uncertain a retry resends, and a refusal does not release the ID', async () => {
		respondExcept({ '1': [DROPPED, REFUSED] });
		const options = { ...SEND_ONCE, resendUncertain: true };
		const { context } = await execute([createItem('1', 'A')], options);
		await execute([createItem('1', 'A')], options, { context });
		expect(requested()).toEqual(['1', '1']);
		expect(store.ids).toEqual(['A']);
	});

	test('of many used IDs takes few calls of the database', async () => {
		respondExcept({});
		const items = Array.from({ length: 300 }, (_, i) => createItem(String(i), `id-${i}`));
		await execute(items, SEND_ONCE);
		store.calls = 0;
		expect(resultsOf(await execute(items, SEND_ONCE))).toEqual(Array(300).fill(true));
		expect(requested()).toHaveLength(300);
		expect(store.calls).toBeLessThan(20);
	});

	test('reserves at most a second of sends ahead', async () => {
		const items = Array.from({ length: 12 }, (_, i) => createItem(String(i), `id-${i}`));
		const ahead: number[] = [];
		server.onRequest(() => {
			ahead.push(store.ids.length - server.requests.length);
			return { body: { id: 'm' } };
		});
		const options = { ...SEND_ONCE, concurrency: 4, delayBetweenSends: 400 };
		const { error } = await execute(items, options);
		expect(error).toBeUndefined();
		expect(store.ids).toHaveLength(12);
		expect(Math.max(...ahead)).toBeLessThanOrEqual(2);
	});

	test('holds no reservation during the delay before a retry', async () => {
		const stored: unknown[] = [];
		let attempts = 0;
		jest.spyOn(Math, 'random').mockImplementation(() => {
			stored.push([...store.ids]);
			return 0;
		});
		server.onRequest(() => (attempts++ < 2 ? { status: 429 } : { body: { id: 'm1' } }));
		const result = await execute([createItem('1', 'A')], SEND_ONCE);
		jest.restoreAllMocks();
		// The throttle draws after each reservation, the retry before its delay.
		expect(stored).toEqual([['A'], [], ['A'], [], ['A']]);
		expect(resultsOf(result)).toEqual(['m1']);
		expect(store.ids).toEqual(['A']);
	});

	test('with Resend When Uncertain reserves an ID that the first attempt did not have', async () => {
		respondExcept({ '1': [DROPPED] });
		const { context } = await execute([createItem('1', 'A')]);
		const options = { ...SEND_ONCE, resendUncertain: true };
		await execute([createItem('1', 'A')], options, { context });
		expect(requested()).toEqual(['1', '1']);
		expect(store.ids).toEqual(['A']);
	});

	test('never makes overlapping calls to the store, even from two executions', async () => {
		respondExcept({ '1': REFUSED, '3': REFUSED });
		const items = ['1', '2', '3', '4', '5'].map((number) => createItem(number, number));
		const options = { ...SEND_ONCE, concurrency: 5 };
		const executions = [1, 2].map(
			async () => await execute(items, options, { settings: CONTINUE }),
		);
		const results = await Promise.all(executions);
		expect(store.overlaps).toBe(0);
		expect(store.ids.sort()).toEqual(['2', '4', '5']);
		expect(requested().filter((number) => number === '2')).toHaveLength(1);
		expect(results.flatMap(resultsOf)).toHaveLength(10);
	});

	const cancelDuringReservation: NodeRun['onStart'] = (execution) => {
		store.onCall = () => execution.cancel();
	};

	test('does not release the ID of an uncertain item when a retry is canceled', async () => {
		respondExcept({ '1': [DROPPED] });
		const options = { ...SEND_ONCE, resendUncertain: true };
		const { context } = await execute([createItem('1', 'A')], options);
		await execute([createItem('1', 'A')], options, { context, onStart: cancelDuringReservation });
		store.onCall = () => {};
		// The store calls of another execution come after those of the canceled one.
		await execute([createItem('2', 'B')], SEND_ONCE);
		expect(requested()).toEqual(['1', '2']);
		expect(store.ids).toEqual(['A', 'B']);
	});

	test('releases an ID if the execution is canceled during the reservation', async () => {
		respondExcept({});
		const context: IDataObject = {};
		await execute([createItem('1', 'A')], SEND_ONCE, { context, onStart: cancelDuringReservation });
		store.onCall = () => {};
		expect(attemptsIn(context)).toEqual([expect.stringMatching(/ notSent$/)]);
		// The store calls of another execution come after those of the canceled one.
		await execute([createItem('2', 'B')], SEND_ONCE);
		expect(requested()).toEqual(['2']);
		expect(store.ids).toEqual(['B']);
	});

	test('a resend stays unknown if its ID could not be released', async () => {
		respondExcept({ '1': DROPPED });
		const { context } = await execute([createItem('1', 'A')]);
		let calls = 0;
		await execute(
			[createItem('1', 'A')],
			{ ...SEND_ONCE, resendUncertain: true },
			{
				context,
				onStart: (execution) => {
					store.onCall = (keys) => {
						if (!keys.includes('id:A')) return;
						if (++calls === 2) throw new Error('The database is locked');
						execution.cancel();
					};
				},
			},
		);
		await until('two calls', (saw) => saw(calls) === 2);
		store.onCall = () => {};
		const retry = await execute([createItem('1', 'A')], SEND_ONCE, { context, settings: CONTINUE });
		expect(resultsOf(retry)).toEqual(['unknown']);
		expect(requested()).toEqual(['1']);
	});

	test('sends nothing if the store fails', async () => {
		store.error = new Error('The database is locked');
		const result = await execute([createItem('1', 'A')], SEND_ONCE, { settings: CONTINUE });
		expect(jsonOf(result)).toMatchObject([
			{
				error: {
					message: "n8n's database cannot be used: The database is locked",
					delivery: 'notSent',
				},
			},
		]);
		expect(server.requests).toEqual([]);
	});

	test('an ID that another process removes is stored again, at the next send and at the end', async () => {
		const items = ['1', '2', '3'].map((number) => createItem(number, `order-${number}`));
		const stored: unknown[] = [];
		server.onRequest((request) => {
			stored.push(store.ids);
			// Another process that read the store before this ID was added writes it back.
			store.ids = store.ids.filter((id) => id !== `order-${numberOf(request)}`);
			return { body: { id: 'm' } };
		});
		await execute(items, SEND_ONCE);
		expect(stored.at(-1)).toEqual(expect.arrayContaining(['order-1', 'order-2', 'order-3']));
		await until('three IDs', (saw) => saw(store.ids).length === 3);
		expect(requested()).toEqual(['1', '2', '3']);
	});

	test('a released ID is not stored again', async () => {
		respondExcept({ '1': REFUSED });
		const items = [createItem('1', 'A'), createItem('2', 'B'), createItem('3', 'C')];
		await execute(items, SEND_ONCE, { settings: CONTINUE });
		expect(store.ids).toEqual(['B', 'C']);
	});

	test('sends even if another process creates the row of the node at the same time', async () => {
		respondExcept({});
		store.error = new Error('duplicate key value violates unique constraint "PK_ca04b9"');
		store.onCall = () => {
			store.onCall = () => {
				store.error = undefined;
			};
		};
		const result = await execute([createItem('1', 'A')], SEND_ONCE);
		expect(jsonOf(result)).toEqual([{ id: 'm1' }]);
		expect(store.ids).toEqual(['A']);
	});

	test('an error of the store after the sends does not make any of them fail', async () => {
		server.onRequest(() => {
			store.error = new Error('The database is locked');
			return { body: { id: 'm1' } };
		});
		const context = createContext([createItem('1', 'A')]);
		const [items] = await finish(new MessagingAccount().execute.call(context));
		expect(items).toMatchObject([{ json: { id: 'm1' } }]);
		expect(context.hints).toEqual([]);
	});

	describe('if releasing an ID fails once', () => {
		beforeEach(() => {
			let calls = 0;
			store.onCall = (keys) => {
				const isRelease = keys.includes('A') && ++calls === 2;
				store.error = isRelease ? new Error('The database is locked') : undefined;
			};
		});

		test('the next attempt still sends', async () => {
			respondExcept({ '1': [{ status: 429, headers: { 'retry-after': '0' } }] });
			const result = await execute([createItem('1', 'A')], SEND_ONCE);
			expect(resultsOf(result)).toEqual(['m1']);
			expect(requested()).toEqual(['1', '1']);
			expect(store.ids).toEqual(['A']);
		});

		test('the item counts as not sent, even if an option cannot be used in a retry', async () => {
			respondExcept({ '1': REFUSED });
			const { context } = await execute([createItem('1', 'A')], SEND_ONCE);
			const options = { ...SEND_ONCE, timeout: 0 };
			const retry = await execute([createItem('1', 'A')], options, { context, settings: CONTINUE });
			expect(resultsOf(retry)).toEqual(['notSent']);
		});

		test('a retry of the execution still sends', async () => {
			respondExcept({ '1': [REFUSED] });
			const { context } = await execute([createItem('1', 'A')], SEND_ONCE);
			const retry = await execute([createItem('1', 'A')], SEND_ONCE, { context });
			expect(resultsOf(retry)).toEqual(['m1']);
			expect(requested()).toEqual(['1', '1']);
		});
	});

	test('the ID of another execution stays if the database fails while it is looked up', async () => {
		store.ids = ['A'];
		let calls = 0;
		store.onCall = (keys) => {
			if (String(keys[0]).includes('id:A') && ++calls === 2) throw new Error('It is locked');
		};
		const result = await execute([createItem('1', 'A')], SEND_ONCE, { settings: CONTINUE });
		expect(resultsOf(result)).toEqual(['notSent']);
		expect(store.ids).toEqual(['A']);
	});

	test('IDs of what was not started are released, also if the sends cannot be put on record', async () => {
		const items = Array.from({ length: 60 }, (_, i) => createItem(String(i), `order-${i}`));
		server.onRequest((request) => {
			if (numberOf(request) !== '40') return { body: { id: 'm' } };
			store.onCall = (keys) => {
				if (!String(keys[0]).startsWith('id:')) throw new Error('The database is locked');
			};
			return REFUSED;
		});
		await execute(items, SEND_ONCE);
		expect(store.ids).toHaveLength(40);
	});

	test('a retry reserves the ID again if it is not certain that it was released', async () => {
		let isFirst = true;
		server.onRequest(() => {
			if (!isFirst) return { body: { id: store.ids } };
			isFirst = false;
			jest.spyOn(store, 'removeProcessed').mockImplementationOnce(async () => {
				store.ids = [];
				throw new Error('The connection was lost');
			});
			return { status: 429, headers: { 'retry-after': '0' } };
		});
		await execute([createItem('1', 'A')], SEND_ONCE);
		expect(store.ids).toEqual(['A']);
		expect(requested()).toEqual(['1', '1']);
	});

	test('warns if an ID stays reserved although nothing was sent', async () => {
		server.onRequest(() => {
			store.error = new Error('The database is locked');
			return REFUSED;
		});
		const result = await execute([createItem('1', 'A')], SEND_ONCE, { settings: CONTINUE });
		expect(jsonOf(result)).toMatchObject([
			{ error: { delivery: 'notSent', description: expect.stringContaining('skip') as string } },
		]);
	});
});

describe('Concurrent Sends', () => {
	/** Holds requests until `count` of them are pending. */
	function holdUntil(count: number): { maxPending: () => number; overlapping: () => boolean } {
		const held: Array<() => void> = [];
		const pending: string[] = [];
		let maxPending = 0;
		let overlapping = false;
		server.onRequest((request) => (response) => {
			const number = numberOf(request);
			overlapping ||= pending.includes(number);
			pending.push(number);
			maxPending = Math.max(maxPending, pending.length);
			held.push(() => {
				pending.splice(pending.indexOf(number), 1);
				response.end(JSON.stringify({ id: `m${number}` }));
			});
			// In reverse, because the order of responses must not matter.
			if (held.length >= count) for (const release of held.splice(0).reverse()) release();
		});
		return { maxPending: () => maxPending, overlapping: () => overlapping };
	}

	test('sends that many at a time, and outputs items in input order', async () => {
		const { maxPending } = holdUntil(4);
		const numbers = Array.from({ length: 20 }, (_, i) => String(i));
		const result = await execute(numbers, { concurrency: 4 });
		expect(maxPending()).toBe(4);
		expect(jsonOf(result)).toEqual(numbers.map((number) => ({ id: `m${number}` })));
		expect(result.outputs[0].map(({ pairedItem }) => pairedItem)).toEqual(
			numbers.map((_, item) => ({ item })),
		);
	});

	test('is one by default, in order', async () => {
		const { maxPending } = holdUntil(1);
		await execute(['1', '2', '3', '4']);
		expect(maxPending()).toBe(1);
		expect(requested()).toEqual(['1', '2', '3', '4']);
	});

	test('others go ahead while an item waits for one with the same ID', async () => {
		const ids = ['A', 'A', 'A', 'B', 'C'];
		const items = ids.map((id, i) => createItem(String(i), id));
		const lastRequest = waitUntil('the last item', (saw) => saw(requested()).includes('4'));
		server.onRequest((request) => (response) => {
			const end = () => response.end(`{ "id": "m${numberOf(request)}" }`);
			if (numberOf(request) === '0') void lastRequest.then(end, end);
			else end();
		});
		const sends = execute(items, { ...SEND_ONCE, concurrency: 2 });
		const [result] = await Promise.all([sends, lastRequest]);
		expect(resultsOf(result)).toEqual(['m0', true, true, 'm3', 'm4']);
	});

	test('keeps sends to the same number in order without overlap, and lets others go ahead', async () => {
		const { maxPending, overlapping } = holdUntil(2);
		const items = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map((caption) => ({
			number: caption.startsWith('a') ? '\u200e1' : '2',
			caption,
		}));
		await execute(items, { concurrency: 2 });
		expect(maxPending()).toBe(2);
		expect(overlapping()).toBe(false);
		for (const letter of ['a', 'b']) {
			const captions = server.requests.map(({ body }) => (body as IDataObject).caption as string);
			expect(captions.filter((caption) => caption.startsWith(letter))).toEqual(
				[1, 2, 3].map((count) => `${letter}${count}`),
			);
		}
	});

	test('with On Error "Stop" starts nothing after an error, and awaits and reports the sends in progress', async () => {
		const held: Array<() => void> = [];
		server.onRequest((request) => (response, socket) => {
			const number = numberOf(request);
			if (number === '2') held.push(() => response.writeHead(422).end());
			if (number === '1') held.push(() => setImmediate(() => response.end('{"id": "m1"}')));
			if (number === '3') held.push(() => setImmediate(() => socket.destroy()));
			if (held.length === 3) for (const release of held) release();
		});
		const { error, context } = await execute(['1', '2', '3', '4', '5'], { concurrency: 3 });
		expect(requested().sort()).toEqual(['1', '2', '3']);
		expect(error?.description).toContain('completed before the stop: 1 of 5');
		// Whichever of the two failed first has the other one in its description.
		const others: IDataObject = { 1: 'item 2 (unknown)', 2: 'item 1 (notSent)' };
		expect(error?.description).toContain(others[error?.context.itemIndex as number]);
		expect(attemptsIn(context).sort()).toEqual([
			expect.stringMatching(/^0 0 .* sent "m1"$/),
			expect.stringMatching(/^0 1 .* notSent$/),
			expect.stringMatching(/^0 2 .* unknown "ECONNRESET"$/),
		]);
	});

	test('items not started because of an error do not count as failed', async () => {
		respondExcept({ '1': REFUSED });
		const { error } = await execute(['1', '2', '3'], { concurrency: 2, delayBetweenSends: 60_000 });
		expect(error?.description).toMatch(/ Items completed before the stop: 0 of 3\.$/);
		expect(requested()).toEqual(['1']);
	});

	test.each([0, 51, 1.5, 'many', '', null])(
		'of %j is refused for every item',
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

	test('of 99 is reported once with On Error "Stop"', async () => {
		const { error } = await execute(['1', '2', '3'], { concurrency: 99 });
		expect(error?.message).toContain("'Concurrent Sends'");
		expect(error?.description).not.toContain('item 1');
	});

	test('is ignored by other operations', async () => {
		server.respondWith({ body: { is_connected: true } });
		const { error } = await execute(
			['1'],
			{},
			{ parameters: { operation: 'getStatus', options: { concurrency: 0 } } },
		);
		expect(error).toBeUndefined();
	});
});

describe('canceling the execution', () => {
	test('starts no more sends, including those that wait', async () => {
		let cancel = () => {};
		server.onRequest(() => {
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
		// Ends after anything that the canceled execution could still send.
		await execute(['99']);
		const sent = requested().filter((number) => number !== '99');
		expect(sent.length).toBeGreaterThanOrEqual(3);
		// One may have been on its way.
		expect(sent.length).toBeLessThanOrEqual(4);
	});

	test('aborts requests in progress, and records them as uncertain', async () => {
		const context: IDataObject = {};
		let cancel = () => {};
		const aborted = new Promise<void>((resolve) =>
			server.onRequest(() => (_response, socket) => {
				socket.once('close', () => resolve());
				cancel();
			}),
		);
		const execution = execute(
			['1'],
			// Rules out that the timeout ends it.
			{ timeout: 2 ** 31 - 1 },
			{
				context,
				onStart: (execution) => {
					cancel = () => execution.cancel();
				},
			},
		);
		await aborted;
		await execution;
		respondExcept({});
		const retry = await execute(['1'], {}, { context, settings: CONTINUE });
		expect(resultsOf(retry)).toEqual(['unknown']);
		expect(requested()).toEqual(['1']);
	});

	test('ends the delay before a retry', async () => {
		await execute(
			['1', '2'],
			{},
			{
				onStart: (execution) => {
					server.onRequest(() => {
						setImmediate(() => execution.cancel());
						return { status: 429, headers: { 'retry-after': '50' } };
					});
				},
			},
		).catch(() => undefined);
		expect(requested()).toEqual(['1']);
	});
});

describe('Pace per Account', () => {
	const HOUR = 3_600_000;
	const PACED = { pacePerAccount: true, delayBetweenSends: HOUR };
	afterEach(() => pacesByAccount.clear());

	test('another execution waits for its turn, until it is stopped; other accounts do not', async () => {
		respondExcept({});
		expect(resultsOf(await execute(['1'], PACED))).toEqual(['m1']);
		let stop = () => {};
		const waiting = execute(['2'], PACED, { onStart: ({ cancel }) => (stop = cancel) });
		const otherAccount = { baseUrl: server.url, ...CREDENTIAL, clientId: 'another' };
		await execute(['3'], PACED, { credential: otherAccount });
		expect(resultsOf(await execute(['4'], { delayBetweenSends: HOUR }))).toEqual(['m4']);
		expect(requested()).toEqual(['1', '3', '4']);
		stop();
		expect((await waiting).error?.message).toBe('The execution was canceled');
		expect(requested()).toEqual(['1', '3', '4']);
	});

	test('a credential that cannot be used fails the item as without it', async () => {
		const credential = { baseUrl: 'not an address', ...CREDENTIAL };
		const { error } = await execute(['1'], PACED, { credential });
		expect(error?.message).toContain("'Base URL'");
	});
});

describe('many items', () => {
	const SEND_COUNT = caseCount(2000);

	test(`${SEND_COUNT} sends, some to the same number, keep their order`, async () => {
		server.onRequest((request) => ({ body: { id: numberOf(request) } }));
		const numbers = Array.from({ length: SEND_COUNT }, (_, i) => String(i % (0.9 * SEND_COUNT)));
		const result = await execute(numbers, { concurrency: 20 });
		expect(jsonOf(result).map(({ id }) => id)).toEqual(numbers);
	});
});
