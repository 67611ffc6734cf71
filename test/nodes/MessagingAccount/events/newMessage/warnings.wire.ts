import type { IDataObject } from 'n8n-workflow';

import {
	type Messages,
	type Step,
	EXISTING,
	GAP,
	START,
	list,
	message,
	PAGED,
	play,
	plays,
	poll,
	set,
	shows,
	trigger,
	use,
	useMessageLists,
	where,
} from '../../../../support/newMessages';

const server = useMessageLists();

describe('what comes from outside has a bound:', () => {
	const LONG = 'chat_id\n\u001b[31m'.repeat(20_000);

	test('the name of a field is neither stored nor logged', async () => {
		const listed = [6, 7].map((n) => ({ id: 7, [LONG]: n, [`${LONG}_date`]: START + n }));
		const poller = await play(trigger(), poll([message(5), ...listed], null));
		await play(poller, poll([message(5), ...listed, message(8)], [message(8)]));
		expect(poller.allStaticData.length).toBeLessThan(2000);
		expect(poller.warnings.join().length).toBeLessThan(2000);
	});

	test('the log has one line without control characters, whatever an option names', async () => {
		const poller = trigger(where({ field: LONG, value: 'x' }));
		await play(poller, poll([], null));
		list('1');
		await poller.poll();
		expect(poller.warnings).toHaveLength(1);
		expect(poller.warnings[0].length).toBeLessThan(2100);
		expect(poller.warnings[0]).not.toMatch(/\p{Cc}/u);
	});
});

test('what people must learn is recorded as a failed execution: starting over, a wrong field, and a gap without an output', async () => {
	const poller = await play(
		trigger({ gapOutput: undefined }),
		poll('1-5', null),
		use(() => ({ clientId: 'another' })),
		poll('1-5', [], /for another account/),
		set(where({ field: 'nowhere', value: 'x' })),
		poll('1-6', [], /has the field 'nowhere'/),
		set({}),
		poll('11-15', '11-15', GAP),
		set({ gapOutput: undefined }),
		poll('21-25', '21-25', GAP),
	);
	expect(poller.alerts).toEqual([
		expect.stringContaining('The trigger starts over'),
		expect.stringContaining("No listed message has the field 'nowhere'"),
		expect.stringMatching(GAP),
	]);
});

describe('a possible gap', () => {
	test.each([
		[{ gapOutput: false }, "Poll more often or, if the service has pages, set 'Page Parameter'."],
		[{ ...PAGED, maxPages: 1 }, "Poll more often, or increase 'Page Limit'."],
	])('is logged with advice, and in the output if there is one: %j', async (options, advice) => {
		const poller = await play(trigger(options), poll('1-100', null));
		const { polledAt } = poller.state.newMessage as IDataObject;
		list('101-200');
		const [items, gaps] = (await poller.poll())!;
		expect(items).toHaveLength(100);
		const noticedAt = expect.any(String) as string;
		const gap = [{ json: { noticedAt, messagesListed: 100, since: polledAt } }];
		expect(gaps).toEqual('gapOutput' in options ? undefined : gap);
		expect(poller.warnings).toEqual([
			`Messaging Account Trigger: Messages may have been missed: the 100 listed messages do not connect to those known from the last poll (${String(polledAt)}). ${advice}`,
		]);
		expect(poller.warningMetadata).toEqual([{ workflowId: poller.workflow.id }]);
	});

	const parameters = [{ name: 'now', value: '={{ $now.toMillis() }}{{ Math.random() }}' }];
	plays(
		'is reported even if the query contains the time',
		set({ queryParameters: { parameters } }),
		poll('1-20', null),
		poll('21-40', '21-40', GAP),
	);

	const nothing = where({ field: 'id', value: 0 });
	plays(
		'is not hidden by conditions',
		set(nothing),
		poll('1-5', null),
		poll('11-15', [], GAP),
		set({ ...nothing, gapOutput: undefined }),
		poll('21-25', null, GAP),
	);
});

describe('the trigger starts over, with a warning,', () => {
	/** The options before, what changes after a poll of 1 to 5, and what the next one says and emits. */
	const startsOver = (
		title: string,
		before: IDataObject,
		change: Step,
		warning: RegExp,
		emitted: Messages = [],
	) => {
		const first: Step = async (poller) => {
			list('1-5');
			await poller.poll();
		};
		plays(title, set(before), first, change, poll('3-8', emitted, warning), poll('3-9', '9'));
	};
	const lose: Step = (poller) => (poller.state = { newMessage: {} });
	const moveAccount = use(() => ({ baseUrl: `${server.url}/another` }));
	const QUERY = { queryParameters: { parameters: [{ name: 'chat', value: '7' }] } };

	startsOver('for another Base URL', {}, moveAccount, /another account/);
	startsOver('if lost, whatever Existing says', EXISTING, lose, /cannot be read.*only remembers/);
	startsOver('for another query', {}, set(QUERY), /'Query.*only remembers.*may have missed/);
	startsOver(
		'for another query, and emits what is there with Include Existing Messages',
		EXISTING,
		set({ ...EXISTING, ...QUERY }),
		/it outputs the current messages/,
		'6-8',
	);
});

describe('an option that names a field which no listed message has', () => {
	test.each([
		['Only Messages Where', 'directon', 'the name of a field as it appears'],
		['Only Messages Where', 'sender.nme', 'the name of a field as it appears'],
		['Only Messages Where', 'Text', 'text: capitals and separators count.'],
		['Only Messages Where', 'Name', 'sender.name: capitals'],
		['Only Messages Where', 'sender_Name', 'sender.name: capitals'],
		['Combine Messages By', 'form', 'the name of a field as it appears'],
	])('logs this once: %s, %s', async (option, field, advice) => {
		const isWhere = option === 'Only Messages Where';
		const poller = trigger(isWhere ? where({ field, value: 'x' }) : { combineBy: field });
		await play(poller, poll([], null));
		list([[message(1, { sender: { name: 'Ann' } })]]);
		await poller.poll();
		await poller.poll();
		const expected = `: No listed message has the field '${field}', which '${option}' names. Enter ${advice}`;
		expect(poller.warnings).toEqual([expect.stringContaining(expected)]);
	});

	test.each([
		['nothing passes', 'missing', 'equals'],
		['it surely means another one', 'TEXT', 'notEquals'],
	])('is an error in a test run if %s', async (_when, field, operation) => {
		list('1-3');
		const run = trigger(where({ field, operation, value: 'x' })).test();
		await expect(run).rejects.toThrow(`'${field}'`);
	});

	plays(
		'may be one that messages leave out',
		set(where({ field: 'from_me', operation: 'notEquals', value: 'x' })),
		shows('1-3', '3'),
		poll('1', null, /has the field 'from_me'/),
		poll('1-2', '2'),
		({ alerts }) => expect(alerts).toEqual([]),
	);
});
