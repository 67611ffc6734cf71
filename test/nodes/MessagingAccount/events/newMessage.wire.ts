import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL } from '../../../support/engine';
import { useNoJitter } from '../../../support/noJitter';
import { Poller } from '../../../support/poller';
import { useScriptedServer } from '../../../support/scriptedServer';

/** A time, in s since 1970. */
const START = 1_700_000_000;

useNoJitter();
const server = useScriptedServer();
/** What the service lists. Without a Page Parameter, it has one page. */
let pages: object[][];
/** The page that cannot be read. */
let broken: number | undefined;

beforeEach(() => {
	broken = undefined;
	server.onRequest(({ path }) => {
		const page = Number(path.split('page=')[1] ?? 0);
		return page === broken ? { status: 500 } : { body: pages[page] ?? [] };
	});
});

const parametersOf = (options: IDataObject) =>
	({ event: 'newMessage', options: { gapOutput: true, ...options } }) as INodeParameters;

const trigger = (options: IDataObject = {}) =>
	new Poller(parametersOf(options), { baseUrl: server.url, ...CREDENTIAL });

/**
 * Messages on one page or on several. As text, `1-3 a` has those with the IDs 1, 2, 3 and `a`, and `3-1` counts down; `a:Hello@5` has
 * its own text and a time, `:Hello` has no ID, and a slash begins another page.
 */
type Messages = string | object[] | object[][];

function toPages(some: Messages): object[][] {
	if (typeof some !== 'string') return Array.isArray(some[0]) ? (some as object[][]) : [some];
	return some.split('/').map((page) => page.split(' ').flatMap(parseMessages));
}

const toItems = (some: Messages) => toPages(some).flatMap((page) => page.map((json) => ({ json })));

function parseMessages(word: string): object[] {
	const [, id, text = `text ${id}`, time] = /^([\w-]*)(?::([^@]*))?(?:@(\d+))?$/.exec(word)!;
	const more = { text, ...(time && { date: START + Number(time) }) };
	if (id === '') return [more];
	const [from, to = from] = id.split('-').map(Number);
	if (Number.isNaN(from)) return [message(id, more)];
	if (to === from) return [message(from, more)];
	const step = Math.sign(to - from);
	return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => message(from + i * step));
}

const message = (id: unknown, more: object = {}) => ({ id, text: `text ${String(id)}`, ...more });

/** Something that happens in a test. */
type Step = (poller: Poller) => unknown;

async function play(poller: Poller, ...steps: Step[]) {
	for (const step of steps) await step(poller);
	return poller;
}

/** A test that consists of steps. */
function plays(title: string, ...steps: Step[]): void {
	test(title, async () => {
		await play(trigger(), ...steps);
	});
}

/**
 * A poll: what the service lists; what the trigger emits, or null if no execution starts; and the warnings that it logs. That of a
 * gap, but no other, has an item in the second output.
 */
function poll(listed: Messages, emitted: Messages | null, ...warnings: RegExp[]): Step {
	return async (poller) => {
		pages = toPages(listed);
		poller.warnings.length = 0;
		server.requests.length = 0;
		const outputs = await poller.poll();
		expect(poller.warnings).toEqual(warnings.map((text) => expect.stringMatching(text) as string));
		const items = emitted && toItems(emitted);
		const isGap = (warning: string) => warning.includes(': Messages may have been missed');
		const gaps = poller.warnings.filter(isGap).map(() => expect.anything() as unknown);
		const { gapOutput } = poller.parameters.options as IDataObject;
		expect(outputs).toEqual(items && (gapOutput ? [items, gaps] : [items]));
	};
}

/** A test run in the editor, which changes nothing: what the service lists, and what n8n shows. */
function shows(listed: Messages, shown: Messages | null): Step {
	return async (poller) => {
		const { state } = poller;
		pages = toPages(listed);
		server.requests.length = 0;
		expect(await poller.test()).toEqual(shown && [toItems(shown), []]);
		expect(poller.state).toEqual(state);
	};
}

/** The options of the polls that follow. */
const set = (options: IDataObject) => (poller: Poller) =>
	(poller.parameters = parametersOf(options));

/** From now on, this page cannot be read. */
const breakPage = (page?: number) => () => (broken = page);

/** The pages that the last poll has requested. */
function requested(...expected: number[]): Step {
	const pageOf = ({ path }: { path: string }) => Number(path.split('page=')[1]);
	return () => expect(server.requests.map(pageOf)).toEqual(expected);
}

/** Another credential for the polls that follow. */
const use = (change: () => Partial<typeof CREDENTIAL & { baseUrl: string }>) => (poller: Poller) =>
	(poller.credential = { ...poller.credential, ...change() });

const GAP = /Messages may have been missed/;
const PAGED = { pageParameter: 'page' };
const EXISTING = { emitExisting: true };
const where = (...rows: IDataObject[]) => ({ onlyMessagesWhere: { rows } });

describe('the first poll', () => {
	plays('of an empty account makes all later messages new', poll([], null), poll('1-2', '1-2'));
	plays('reports no gap if it emits existing messages', set(EXISTING), poll('1-100', '1-100'));
});

describe('a list that is too long to compare', () => {
	test('is cut to its newest 5,000 messages', async () => {
		const timed = Array.from({ length: 5020 }, (_, i) => message(i, { timestamp: START + i }));
		const newestFirst = timed.toReversed();
		const poller = trigger();
		await play(poller, poll(newestFirst.slice(10), null), poll(newestFirst, timed.slice(5010)));
		expect((poller.state.newMessage as IDataObject).known).toHaveLength(5000);
	});

	test('is refused if it is not clear which are the newest', async () => {
		pages = [Array.from({ length: 5001 }, (_, i) => ({ text: `text ${i}` }))];
		await expect(trigger().poll()).rejects.toMatchObject({
			message:
				'The service lists more than 5,000 messages, and it is not clear which are the newest',
		});
	});

	plays(
		'is read up to 5,000 messages if it has pages, and tells of a possible gap',
		set(PAGED),
		poll('3-1', null),
		poll('9999-8000/7999-6000/5999-4000/3999-2000', '6000-9999', GAP),
	);
});

test('a new message is emitted once when two polls with further pages overlap', async () => {
	const poller = await play(trigger(PAGED), poll('1', null));
	const held: Array<() => void> = [];
	server.onRequest(({ path }) => {
		if (path.endsWith('page=0')) return { body: [message(2)] };
		return (response) => {
			held.push(() => response.end(JSON.stringify([message(1)])));
			if (held.length === 2) for (const release of held) release();
		};
	});
	const outputs = await Promise.all([poller.poll(), poller.poll()]);
	expect(outputs.flatMap((one) => one?.[0] ?? [])).toHaveLength(1);
});

describe('the ID of a message', () => {
	const from = (sender: string, text: string) => ({ id: 'x', sender, text });
	const inBoth = (x: string, b: number) => ({ id: 1, a: { x }, b });
	const inChat = (id: number, chat: number) => ({ id, chat: { id: chat } });
	const inChats = [inChat(1, 7), inChat(2, 8), inChat(3, 7)];

	plays(
		'cannot be in a field that no message has, and nothing is lost',
		poll('1', null),
		async (poller) => {
			const { state } = poller;
			poller.parameters = parametersOf({ messageIdField: 'nowhere' });
			await expect(poller.poll()).rejects.toThrow("'nowhere'");
			expect(poller.state).toEqual(state);
		},
		set({}),
		poll('1-2', '2'),
	);
	plays(
		'that different messages share is one with what tells them apart',
		poll([from('a', 'Hello')], null),
		poll([from('a', 'Hello'), from('b', 'Hi')], [from('b', 'Hi')], /by 'sender, id'/),
		poll([from('a', 'Hello'), from('b', 'Hi!')], null),
	);
	plays(
		'that the service uses again causes one warning',
		poll('m1@1 m2@2', null),
		poll('m1@1 m2@2 m3@3', 'm3@3'),
		poll('m2@2 m3@3 m1@4', null, /later time than any before: 1\./),
		poll('m3@3 m1@4 m2@5', null),
		poll('m1@4 m2@5', null),
		poll('m1@4 m2@5 m3@6', null),
	);
	plays(
		'may be in several fields that the user enters',
		set({ messageIdField: ' a.x ,b, ' }),
		poll([inBoth('c', 1)], null),
		poll([inBoth('c', 1), inBoth('c', 2), inBoth('d', 1)], [inBoth('c', 2), inBoth('d', 1)]),
	);
	plays(
		'that different messages share in the field of the user causes one warning',
		set({ messageIdField: 'id' }),
		poll('1', null),
		poll('1 1:b', null, /ID of another message but different content: 1\..*chat\.id, message_id/),
		poll('1 1:b 2', '2'),
		poll('1-2', null),
		poll('1:b 1-2', null),
	);
	plays(
		'is found again after the option is removed, and messages hidden so far are emitted',
		set({ messageIdField: 'chat.id' }),
		poll(inChats.slice(0, 2), null),
		poll(inChats, null, /different content: 1\./),
		set({}),
		poll(inChats, [inChat(3, 7)]),
	);
	plays(
		'is found again after the option is removed, even if all messages have that field',
		set({ messageIdField: 'text' }),
		poll('1-2', null),
		set({}),
		poll('1-2', null),
		poll('1 2:edited 3', '3'),
	);
	plays(
		'may be missing: the content then identifies messages, with a warning about the effects',
		poll(':a :b', null, /without an ID: 2\..*changes/),
		poll(':a :b', null),
		poll(':b :c', ':c', /without an ID: 1\./),
		poll(':b :edited', ':edited', /without an ID: 1\./, GAP),
	);
	plays(
		'may be missing in some messages, which their content then identifies',
		poll('1-2', null),
		poll('1 2:edited :notice', ':notice', /without an ID: 1\./),
		poll('1-2 :notice', null),
	);
	plays(
		'that appears later replaces the content',
		poll(':a', null, /without an ID: 1\./),
		poll(':a 1:b', '1:b'),
		poll(':a 1:edited', null),
	);
});

describe('a field that is named like a chat and changes makes no message new:', () => {
	test.each(
		`chat_status chat_name chat_unread_count group_size chat.title chat.last_message_id channel_muted room_topic
		thread_seen group_paid peerOnline chatName conversation last_thread_id group_members chatroom`.split(
			/\s+/,
		),
	)('%s', async (path) => {
		const [outer, inner] = path.split('.');
		const listOf = (count: number, changing: string) =>
			Array.from({ length: count }, (_, i) => ({
				[outer]: inner ? { [inner]: changing } : changing,
				...message(i + 1, { chat_id: 7 }),
			}));
		const poller = await play(trigger(), poll(listOf(20, '1'), null));
		await play(poller, poll(listOf(21, '2'), listOf(21, '2').slice(20)));
	});

	test.each(
		'chat_id chat.id chatId remoteJid key.remoteJid message_thread_id chatid group_uuid conversation-id channel.id'.split(
			' ',
		),
	)('and %s tells equal numbers apart before they are listed together', async (path) => {
		const [outer, inner] = path.split('.');
		const inChat = (id: number, chat: string) =>
			message(id, { [outer]: inner ? { [inner]: chat } : chat });
		const poller = await play(trigger(), poll([inChat(1, 'a')], null));
		await play(poller, poll([inChat(1, 'b')], [inChat(1, 'b')], GAP));
	});
});

test('a changed ID field makes nothing new on pages that the trigger reads once more', async () => {
	const inChat = (id: string, chat: string) => message(id, { chat_name: chat, chat_id: chat });
	const all = Array.from({ length: 12 }, (_, i) => inChat(`old${i}`, `c${i % 2}`)).reverse();
	const poller = trigger(PAGED);
	const emitted: string[][] = [];
	const receive = async (...added: object[]) => {
		all.unshift(...(added as typeof all));
		pages = Array.from({ length: Math.ceil(all.length / 4) }, (_, i) =>
			all.slice(4 * i, 4 * i + 4),
		);
		emitted.push((await poller.poll())?.[0].map(({ json }) => String(json.id)) ?? []);
	};
	for (let i = 0; i < 5; i++) await receive(inChat(`single${i}`, 'c0'));
	await receive(...Array.from({ length: 6 }, (_, i) => inChat(`many${i}`, 'c0')));
	await receive(inChat('twice', 'c1'), inChat('twice', 'c0'));
	expect(emitted.at(-2)).toHaveLength(6);
	expect(emitted.at(-1)).toEqual(['twice', 'twice']);
});

describe('a list that is sorted by the last change', () => {
	const at = (id: string, minute: number, more: object = {}) =>
		message(id, { date: START + minute * 60, ...more });
	const first = Array.from({ length: 20 }, (_, i) => at(`m${20 - i}`, 20 - i));
	const later = ['x', 'y', 'z'].map((id, i) => at(id, 30 + i)).reverse();
	const read = at('before', -500, { status: 'read' });

	plays(
		'emits no message from before the first poll, whose own time proves its age',
		poll(first, null),
		poll([read, ...first.slice(1)], null, /older than all messages of the first poll: 1\./),
		poll([...later, read, ...first.slice(4)], later.toReversed()),
	);
	plays(
		'emits it if times have not proved themselves: in doubt, a message is new',
		poll(first.slice(-5), null),
		poll([read, ...first.slice(-4)], [read]),
		poll([...later, ...first.slice(-4)], later.toReversed()),
	);
	plays(
		'learns from new messages that times can be relied on',
		poll(first.slice(-5), null),
		poll(first.slice(5), first.slice(5, 15).toReversed()),
		poll([read, ...first.slice(6)], null, /older than all messages of the first poll: 1\./),
	);
	test('emits nearly all messages of a clock that is set back', async () => {
		const poller = await play(trigger(), poll(first, null));
		await play(poller, poll([...later, ...first.slice(3)], later.toReversed()));
		let listed = [...later, ...first];
		let emitted = 0;
		for (let i = 0; i < 20; i++) {
			listed = [at(`back${i}`, -1000 + i), ...listed];
			pages = [listed];
			emitted += (await poller.poll())?.[0].length ?? 0;
		}
		expect(emitted).toBeGreaterThanOrEqual(17);
		expect(poller.warnings.join()).toContain('older than all messages of the first poll');
	});
	test('emits most of a whole list whose clock is set back, and tells of each poll what stays out', async () => {
		const poller = await play(trigger(), poll(first, null));
		const back = Array.from({ length: 40 }, (_, i) => at(`back${i}`, -1000 + i)).reverse();
		const emitted = [];
		for (const count of [1, 2, 40]) {
			pages = [[...back.slice(-count), ...first]];
			emitted.push((await poller.poll())?.[0].length);
		}
		expect(emitted).toEqual([undefined, undefined, 28]);
		const told = poller.warnings.map((text) => /first poll: (\d+)/.exec(text)?.[1]);
		expect(told.filter(Boolean)).toEqual(['1', '1', '10']);
	});
	test('emits what comes after dates of which it turns out that they begin with the month', async () => {
		const on = (id: string, day: string, minute: number) =>
			message(id, { date: `03/${day}/2026 10:${String(10 + minute)}` });
		const list = Array.from({ length: 15 }, (_, i) => on(`d${i}`, '04', i)).reverse();
		const new1 = ['x', 'y', 'z'].map((id, i) => on(id, '13', i)).reverse();
		const new2 = ['u', 'v'].map((id, i) => on(id, '14', i)).reverse();
		const poller = await play(
			trigger(),
			poll(list, null),
			poll([...new1, ...list.slice(3)], new1.toReversed()),
			poll([...new2, ...new1, ...list.slice(5)], new2.toReversed()),
		);
		expect(poller.warnings).toEqual([]);
	});
});

describe('an ID that is added to messages that had none', () => {
	const bare = ['a', 'b', 'c'].map((text) => ({ text, from: '49' }));
	const added: Array<[string, (n: number) => object]> = [
		['in a field', (n) => ({ id: n })],
		['in a wrapper', (n) => ({ key: { id: `k${n}` } })],
		['in another wrapper', (n) => ({ data: { message: { uuid: `u${n}` } } })],
		['in several fields', (n) => ({ id: n, uuid: `u${n}` })],
	];
	test.each(added)('%s makes none new', async (_where, create) => {
		const poller = await play(trigger(), poll(bare, null, /without an ID: 3/));
		const withIds = [...bare, { text: 'd', from: '49' }].map((one, n) => ({
			...create(n),
			...one,
		}));
		await play(poller, poll(withIds, withIds.slice(3)), poll(withIds, null));
	});
	plays(
		'in the place of null makes none new',
		poll(
			bare.map((one) => ({ id: null, ...one })),
			null,
			/without an ID: 3/,
		),
		poll(
			bare.map((one, id) => ({ id, ...one })),
			null,
		),
	);
});

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
		pages = toPages('1');
		await poller.poll();
		expect(poller.warnings).toHaveLength(1);
		expect(poller.warnings[0].length).toBeLessThan(2100);
		expect(poller.warnings[0]).not.toMatch(/\p{Cc}/u);
	});

	test('what is held comes out beyond a million characters, the oldest first', async () => {
		const options = { combineBy: 'from', waitUntilQuiet: 86_400, waitAtMost: 86_400 };
		const big = (from: string) => message(from, { from, text: 'x'.repeat(400_000) });
		const first = poll([message(1, { from: 'z' })], null);
		const poller = await play(trigger(options), first, poll([message(1), big('a'), big('b')], []));
		pages = [[message(1), big('a'), big('b'), big('c')]];
		const [items] = (await poller.poll())!;
		expect(items.map(({ json }) => json.by)).toEqual(['a']);
		expect(poller.allStaticData.length).toBeLessThan(1_100_000);
	});
});

describe('what people must learn', () => {
	const alertsOf = async (options: IDataObject, ...steps: Step[]) => {
		const poller = await play(trigger({ gapOutput: undefined, ...options }), ...steps);
		return poller.alerts;
	};

	test('is recorded as a failed execution: a gap without an output for it', async () => {
		const steps = [poll('1-5', null), poll('11-15', '11-15', GAP)];
		expect(await alertsOf({}, ...steps)).toEqual([expect.stringMatching(GAP)]);
		expect(await alertsOf({ gapOutput: true }, ...steps)).toEqual([]);
	});

	test('is recorded as a failed execution: starting over, and a wrong field', async () => {
		const other = use(() => ({ clientId: 'another' }));
		const alerts = await alertsOf(
			{},
			poll('1-5', null),
			other,
			poll('1-5', [], /for another account/),
			set(where({ field: 'nowhere', value: 'x' })),
			poll('1-6', null, /has the field 'nowhere'/),
		);
		expect(alerts).toEqual([
			expect.stringContaining('The trigger starts over'),
			expect.stringContaining("No listed message has the field 'nowhere'"),
		]);
	});
});

describe('with a Page Parameter, a poll', () => {
	/** The options; the pages after a poll of 1 to 4; what is emitted; what this and the next poll request; and a gap. */
	test.each<[string, IDataObject, string, string, number[], number[], ...RegExp[]]>([
		['up to a known message', {}, '11-9/8-6/5-3/2-1', '5-11', [0, 1, 2], [0, 1, 2]],
		['one page if it has a known message', {}, '5-3/2-1', '5', [0], [0]],
		['to the end of the list', {}, '11-9', '9-11', [0, 1], [0], GAP],
		['up to Page Limit', { maxPages: 2 }, '9-8/7-6/5-4', '6-9', [0, 1], [0, 1], /the 4 listed/],
	])('reads %s', async (_how, options, listed, emitted, numbers, nextNumbers, ...gap) => {
		const poller = await play(trigger({ ...PAGED, ...options }), poll('4-2/1', null), requested(0));
		await play(poller, poll(listed, emitted, ...gap), requested(...numbers));
		await play(poller, poll(listed, null), requested(...nextNumbers));
	});

	plays(
		'reads the same pages again after pages that may not have fit together',
		set(PAGED),
		poll('4-2/1', null),
		// The host took the second page from a copy of the list that lacked the last messages.
		poll('11-9/5-3/2-1', '5 9-11'),
		poll('11-9/8-6/5-3/2-1', '6-8'),
		poll('11-9/8-6/5-3/2-1', null),
		requested(0),
	);

	const withOther = (text: string) =>
		toPages(text).map((page) => page.map((one) => ({ ...one, other: JSON.stringify(one) })));
	plays(
		'reads up to a known message even if the ID is now in another field',
		set({ ...PAGED, ...EXISTING }),
		poll(withOther('12-10/9-7/6-4/3-1'), withOther('1-12')),
		set({ ...PAGED, ...EXISTING, messageIdField: 'other' }),
		poll(withOther('15-13/12-10/9-7/6-4/3-1'), withOther('13-15')),
		requested(0, 1),
	);

	const ALL = '8-7/6-5/4-3/2-1';
	plays(
		'that cannot read one emits the messages so far, and the next one goes on from there',
		set(PAGED),
		poll('2-1', null),
		breakPage(2),
		poll(ALL, '5-8', /missed: .*A further page could not be read: The service reported/),
		poll(ALL, null),
		breakPage(),
		poll(ALL, '3-4'),
		poll(ALL, null),
		requested(0),
	);

	test.each([
		['without times', 'z y/x/w', 'z y/x/w'],
		['with times', 'z@4 y@3/x@2/w@1', 'y@3 z@4/x@2/w@1'],
	])(
		'that cannot read one loses nothing even if it is the first: %s',
		async (_, listed, emitted) => {
			const [first, second, third] = toPages(emitted);
			const poller = trigger({ ...PAGED, ...EXISTING });
			await play(poller, breakPage(1), poll(listed, first), breakPage(2), poll(listed, second));
			await play(poller, breakPage(), poll(listed, third), poll(listed, null));
		},
	);
	plays(
		'that cannot read one makes nothing new that is older than the first poll, and tells a gap',
		set(PAGED),
		poll('m5@5 m4@4', null),
		breakPage(1),
		poll('m9@9 m8@8/m7@7 m6@6/m5@5 m4@4', 'm8@8 m9@9', GAP),
		poll('m3@3 m2@2', [], GAP),
	);
	plays(
		'with no time left for another page is a whole first poll, which reads one page only',
		set(PAGED),
		(poller) => (poller.budgetMs = 9000),
		poll('d c/b a', null),
		(poller) => (poller.budgetMs = 300_000),
		poll('d c/b a', null),
		poll('e d/b a', 'e'),
	);
});

describe('a possible gap', () => {
	test.each([
		[{ gapOutput: false }, "Poll more often or, if the service has pages, set 'Page Parameter'."],
		[{ ...PAGED, maxPages: 1 }, "Poll more often, or increase 'Page Limit'."],
	])('is logged with advice, and in the output if there is one: %j', async (options, advice) => {
		const poller = await play(trigger(options), poll('1-100', null));
		const { polledAt } = poller.state.newMessage as IDataObject;
		pages = toPages('101-200');
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

test('the stored state contains neither the account nor the messages', async () => {
	const poller = await play(trigger(EXISTING), poll('the_id', 'the_id'));
	for (const text of [CREDENTIAL.clientId, CREDENTIAL.token, server.url, 'the_id', 'text']) {
		expect(poller.allStaticData).not.toContain(text);
	}
});

plays(
	'the stored state is kept for another token, and for the same address in another spelling',
	poll('1', null),
	use(() => ({ baseUrl: `${server.url.replace('http', 'HTTP')}/v1/`, token: 'another' })),
	poll('1-2', '2'),
);

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
			pages = toPages('1-5');
			await poller.poll();
		};
		plays(title, set(before), first, change, poll('3-8', emitted, warning), poll('3-9', '9'));
	};
	const lose: Step = (poller) => (poller.state = { newMessage: {} });
	const moveAccount = use(() => ({ baseUrl: `${server.url}/another` }));
	const QUERY = { queryParameters: { parameters: [{ name: 'chat', value: '7' }] } };

	startsOver('for another Base URL', {}, moveAccount, /another account/);
	startsOver(
		'without its state, even with Include Existing',
		EXISTING,
		lose,
		/cannot be read.*only remembers/,
	);
	startsOver('for another query', {}, set(QUERY), /'Query.*only remembers.*may have missed/);
	startsOver('for no query any more', QUERY, set({}), /'Query Parameters' have changed/);
	startsOver(
		'for another query, and emits what is there with Include Existing Messages',
		EXISTING,
		set({ ...EXISTING, ...QUERY }),
		/it outputs the current messages/,
		'6-8',
	);
});

plays(
	'Only Messages Where needs all conditions, and starts nothing if no message meets them',
	set(where({ field: 'id', value: 2 }, { field: 'text', value: 'text 2' })),
	poll([], null),
	poll('1', null),
	poll('1-2', '2'),
);

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
		pages = [[message(1, { sender: { name: 'Ann' } })]];
		await poller.poll();
		await poller.poll();
		const expected = `: No listed message has the field '${field}', which '${option}' names. Enter ${advice}`;
		expect(poller.warnings).toEqual([expect.stringContaining(expected)]);
	});

	test.each([
		['nothing passes', 'missing', 'equals'],
		['it surely means another one', 'TEXT', 'notEquals'],
	])('is an error in a test run if %s', async (_when, field, operation) => {
		pages = toPages('1-3');
		const run = trigger(where({ field, operation, value: 'x' })).test();
		await expect(run).rejects.toThrow(`'${field}'`);
	});

	plays(
		'may be one that messages leave out',
		set(where({ field: 'from_me', operation: 'notEquals', value: 'x' })),
		shows('1-3', '3'),
	);
});

describe('a test run in the editor', () => {
	plays('shows the newest message', poll('1', null), poll('2-1', '2'), shows('3-1', '3'));
	plays(
		'shows the newest message that meets the conditions, or nothing',
		set(where({ field: 'text', value: 'text 2' })),
		shows('1-3', '2'),
		shows('3-4', null),
	);
	plays('reads one page', set(PAGED), poll('1-2', null), shows('3-4/1-2', '4'), requested(0));
});

test("an unusable 'Message ID Field' is an error that names it, and nothing is requested", async () => {
	await expect(trigger({ messageIdField: 5 }).poll()).rejects.toMatchObject({
		message: expect.stringContaining("'Message ID Field'") as string,
		description: expect.stringContaining('Enter the name of the field') as string,
	});
	expect(server.requests).toEqual([]);
});

describe('Combine Messages By', () => {
	const COMBINE = { combineBy: 'from', waitUntilQuiet: 0, waitAtMost: 86_400 };
	const from = (id: number, sender: string) => message(id, { from: sender });
	const combined = (...messages: Array<ReturnType<typeof message>>) => ({
		by: (messages[0] as IDataObject).from,
		count: messages.length,
		messages,
	});
	const [known, a, b, c] = [from(1, '47'), from(2, '49'), from(3, '49'), from(4, '48')];
	/** Two polls, after which the message `a` is held. */
	const hold = (options: IDataObject = {}) => [
		set({ ...COMBINE, ...options }),
		poll([known], null),
		poll([known, a], []),
	];
	const LATER = { waitUntilQuiet: 86_400 };

	const isStored = (text: string, expected: boolean): Step => {
		return ({ allStaticData }) => expect(allStaticData.includes(text)).toBe(expected);
	};

	plays(
		'holds messages until their sender is quiet, and then emits them as one item',
		...hold(),
		poll([known, a, b], []),
		poll([known, a, b, c], [combined(a, b)]),
		isStored('"held"', true),
		poll([known, a, b, c], [combined(c)]),
		isStored('"held"', false),
		poll([known, a, b, c], null),
	);
	plays(
		'starts an execution without items when it begins to hold, so n8n saves what is held',
		...hold(),
		async (poller) => {
			pages = [[]];
			expect(await poller.activate()).toEqual([[{ json: combined(a) }], []]);
		},
	);
	plays('starts none while it only waits', ...hold(LATER), poll([known, a], null));

	plays(
		'emits what is held, by itself, if the option is turned off',
		...hold(LATER),
		isStored('text 2', true),
		set({}),
		poll([a, message(9)], [a, message(9)]),
		isStored('text 2', false),
	);
	plays(
		'emits what is held if the account changes',
		...hold(LATER),
		use(() => ({ clientId: 'another' })),
		poll([a, message(9)], [combined(a)], /for another account/),
		isStored('text 2', false),
	);
	plays(
		'in the editor, shows the newest message with the others of its sender, at once',
		set(COMBINE),
		shows([known, a, c, b], [combined(a, b)]),
	);
	plays(
		'holds only what passes the filter',
		set({ ...COMBINE, ...where({ field: 'from', operation: 'notEquals', value: '49' }) }),
		poll([known], null),
		poll([known, a, c], []),
		poll([known, a, c], [combined(c)]),
	);
});
