import type { IDataObject } from 'n8n-workflow';

import { CREDENTIAL } from '../../../support/engine';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import {
	type Step,
	EXISTING,
	GAP,
	PAGED,
	START,
	breakPage,
	list,
	message,
	play,
	plays,
	poll,
	requested,
	set,
	shows,
	toPages,
	trigger,
	use,
	useMessageLists,
	where,
} from '../../../support/newMessages';

const server = useMessageLists();

plays('an empty account makes all later messages new', poll([], null), poll('1-2', '1-2'));
plays('no gap is reported with existing messages', set(EXISTING), poll('1-100', '1-100'));

describe('a list that is too long to compare', () => {
	test('is cut to its newest 5,000 messages', async () => {
		const timed = Array.from({ length: 5020 }, (_, i) => message(i, { timestamp: START + i }));
		const newestFirst = timed.toReversed();
		const poller = trigger();
		await play(poller, poll(newestFirst.slice(10), null), poll(newestFirst, timed.slice(5010)));
		expect((poller.state.newMessage as IDataObject).known).toHaveLength(5000);
	});

	test('is refused if it is not clear which are the newest', async () => {
		list([Array.from({ length: 5001 }, (_, i) => ({ text: `text ${i}` }))]);
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

describe('a list that is sorted by the last change', () => {
	const at = (id: string, minute: number, more: object = {}) =>
		message(id, { date: START + minute * 60, ...more });
	const first = Array.from({ length: 20 }, (_, i) => at(`m${20 - i}`, 20 - i));
	const later = ['x', 'y', 'z'].map((id, i) => at(id, 30 + i)).reverse();
	const read = at('before', -500, { status: 'read' });

	plays(
		'emits no message from before the first poll, whose own time proves its age',
		poll(first, null),
		poll([read, ...first.slice(1)], null, /as old as those of the first poll: 1\./),
		poll([...later, read, ...first.slice(4)], later.toReversed()),
	);
	plays(
		'emits none on a page of ten, nor what moves there after a deletion',
		poll(first.slice(5, 15), null),
		poll([read, ...first.slice(6, 15)], null, /as old as those of the first poll: 1\./),
		poll([read, ...first.slice(7, 17)], null),
	);
	const sameTimes = first.map((one, i) =>
		i === 7 || i === 9 ? { ...one, date: (first[i - 1] as IDataObject).date } : one,
	);
	plays(
		'emits none that moves onto a page of ten, of which two have the time of the one before',
		poll(sameTimes.slice(5, 15), null),
		poll([...sameTimes.slice(5, 10), ...sameTimes.slice(11, 16)], null),
	);
	const pinned = at('pinned', -900);
	plays(
		'emits none that moves onto the page after a deletion, although an old one is pinned',
		poll([pinned, ...first.slice(0, 12)], null),
		poll([pinned, ...first.slice(1, 13)], null),
	);
	plays(
		'emits none either if that one stands behind all others',
		poll([...first.slice(0, 12), pinned], null),
		poll([...first.slice(1, 13), pinned], null, /as old as those of the first poll: 1\./),
	);
	plays(
		'learns from new messages that times can be relied on',
		poll(first.slice(-5), null),
		poll(first.slice(5), first.slice(5, 15).toReversed()),
		poll([read, ...first.slice(6)], null, /as old as those of the first poll: 1\./),
	);
	const listed = (id: string, minute: number) =>
		at(id, minute, { created_at: START + minute * 60 });
	const twoTimes = first.map(({ id }, i) => listed(String(id), 20 - i));
	const late = { ...listed('late', 21), date: START + 12 * 60 };
	const fromBefore = listed('before', -500);
	plays(
		'still emits none after a late message, whose other time tells the order better',
		poll(twoTimes, null),
		poll([late, ...twoTimes.slice(1)], [late]),
		poll([fromBefore, late, ...twoTimes.slice(2)], null, /as old as those of the first poll: 1\./),
	);
	test('emits most of a whole list whose clock is set back, and tells of each poll what stays out', async () => {
		const poller = await play(trigger(), poll(first, null));
		const back = Array.from({ length: 40 }, (_, i) => at(`back${i}`, -1000 + i)).reverse();
		const emitted = [];
		for (const count of [1, 2, 40]) {
			list([[...back.slice(-count), ...first]]);
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

	test.each([{ body: [] }, { status: 400 }, { status: 422 }])(
		'tells of a first page with the number 1 if page 0 is %j',
		async (page0) => {
			server.onRequest(({ path }) => (path.endsWith('=0') ? page0 : { body: [message(1)] }));
			for (const run of ['activate', 'test'] as const)
				await expect(trigger(PAGED)[run]()).rejects.toMatchObject({
					message: 'Page 0 has no messages, but page 1 has some',
				});
		},
	);
	test('tells what the service says if it refuses page 1, too', async () => {
		server.respondWith({ status: 422, body: { error: 'Unknown field page' } });
		await expect(trigger(PAGED).activate()).rejects.toThrow('Unknown field page (HTTP 422)');
	});

	test('goes on if a page 0 that had messages is empty for once', async () => {
		const poller = trigger(PAGED);
		list([[message(1)]]);
		await poller.activate();
		list([[], [message(1)]]);
		expect(await poller.poll()).toBeNull();
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
	])('that cannot read one loses nothing, be it the first: %s', async (_, listed, emitted) => {
		const [first, second, third] = toPages(emitted);
		const poller = trigger({ ...PAGED, ...EXISTING });
		await play(poller, breakPage(1), poll(listed, first), breakPage(2), poll(listed, second));
		await play(poller, breakPage(), poll(listed, third), poll(listed, null));
	});
	plays(
		'with no time left for another page is a whole first poll, which reads one page only',
		set(PAGED),
		(poller) => (poller.budgetMs = 9000),
		poll('d c/b a', N8N_FEATURES.pollBudget ? [] : null),
		(poller) => (poller.budgetMs = 300_000),
		poll('d c/b a', null),
		poll('e d/b a', 'e'),
	);
});

test('the stored state contains neither the account nor the messages', async () => {
	const poller = await play(trigger(EXISTING), poll('the_id', 'the_id'));
	for (const text of [CREDENTIAL.clientId, CREDENTIAL.token, server.url, 'the_id', 'text'])
		expect(poller.allStaticData).not.toContain(text);
});

plays(
	'the stored state is kept for another token, and for the same address in another spelling',
	poll('1', null),
	use(() => ({ baseUrl: `${server.url.replace('http', 'HTTP')}/v1/`, token: 'another' })),
	poll('1-2', '2'),
);

plays(
	'Only Messages Where needs all conditions, and starts nothing if no message meets them',
	set(where({ field: 'id', value: 2 }, { field: 'text', value: 'text 2' })),
	poll([], null),
	poll('1', null),
	poll('1-2', '2'),
);

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
		'starts an execution without items when it begins to hold, so n8n saves what is held',
		...hold(),
		async (poller) => {
			list([[]]);
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
		shows([known, message(8), message(9)], [message(9)]),
	);
});
