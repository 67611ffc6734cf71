import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL } from '../../../support/engine';
import { Poller } from '../../../support/poller';
import { startScriptedServer, type ScriptedServer } from '../../../support/scriptedServer';

const GAP_OUTPUT = { gapOutput: true };

let server: ScriptedServer;
let list: unknown;

beforeEach(async () => {
	jest.spyOn(Math, 'random').mockReturnValue(0);
	server = await startScriptedServer();
	server.answerEach(() => ({ body: list }));
});

afterEach(async () => {
	jest.restoreAllMocks();
	await server.close();
});

function trigger(options: IDataObject = {}): Poller {
	const parameters = { event: 'newMessage', options } as INodeParameters;
	return new Poller(parameters, { baseUrl: server.url, ...CREDENTIAL });
}

const message = (id: unknown, more: object = {}) => ({ id, text: `text ${String(id)}`, ...more });
const messages = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, i) => message(from + i));

/** Polls a list, and gives the messages of the first output. */
async function poll(poller: Poller, listed: unknown): Promise<unknown[] | null> {
	list = listed;
	const outputs = await poller.poll();
	return outputs && outputs[0].map(({ json }) => json);
}

async function idsOf(poller: Poller, listed: unknown): Promise<unknown[] | null> {
	const found = await poll(poller, listed);
	return found && found.map((json) => (json as IDataObject).id);
}

const known = (poller: Poller) => (poller.state.newMessage as IDataObject).known as string[];

describe('the first poll', () => {
	test('only takes note', async () => {
		const poller = trigger();
		expect(await poll(poller, messages(1, 3))).toBeNull();
		expect(known(poller)).toHaveLength(3);
		expect(await poll(poller, messages(1, 3))).toBeNull();
		expect(poller.warnings).toEqual([]);
	});

	test('emits what is there when told so, with the options of paging too', async () => {
		const poller = trigger({ emitExisting: true });
		expect(await idsOf(poller, messages(1, 3))).toEqual([1, 2, 3]);
		expect(await poll(poller, messages(1, 3))).toBeNull();

		server.answerEach(({ path }) => ({
			body: path.endsWith('page=0')
				? [{ id: 4 }, { id: 3 }]
				: path.endsWith('1')
					? [{ id: 2 }]
					: [],
		}));
		const paged = trigger({ emitExisting: true, pageParameter: 'page' });
		expect(await idsOf(paged, undefined)).toHaveLength(3);
	});

	test('of an empty account makes everything new that comes later', async () => {
		const poller = trigger(GAP_OUTPUT);
		expect(await poll(poller, [])).toBeNull();
		expect(await idsOf(poller, messages(1, 2))).toEqual([1, 2]);
		expect(poller.warnings).toEqual([]);
	});

	test('reads one page only', async () => {
		const poller = trigger({ pageParameter: 'page' });
		await poll(poller, messages(1, 3));
		expect(server.requests.map(({ path }) => path)).toEqual(['/v1/messages?page=0']);
	});
});

describe('a new message', () => {
	test('comes out once and untouched', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		const added = { id: 'a', deep: { list: [1, null, { x: '' }] }, '': 0, error: 'no error' };
		expect(await poll(poller, [message(1), added])).toEqual([added]);
		expect(await poll(poller, [message(1), added])).toBeNull();
	});

	test.each([
		['at the end', [1, 2, 3, 4], [1, 2]],
		['at the beginning', [4, 3, 2, 1], [2, 1]],
	])('comes out oldest first, wherever it stands: %s', async (_where, now, before) => {
		const poller = trigger();
		await poll(
			poller,
			before.map((id) => message(id)),
		);
		expect(
			await idsOf(
				poller,
				now.map((id) => message(id)),
			),
		).toEqual([3, 4]);
	});

	test('comes out oldest first where the order was learned earlier, and nothing tells it now', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		await poll(poller, [message(2), message(1)]);
		expect(await idsOf(poller, [message(5), message(4), message(3)])).toEqual([3, 4, 5]);
	});

	test('comes out behind the known ones, whatever its time says', async () => {
		const poller = trigger();
		const at = (id: number, day: number) => message(id, { sent_at: `2026-11-0${day}T08:00:00Z` });
		await poll(poller, [at(7, 5)]);
		expect(await idsOf(poller, [at(7, 5), at(9, 4), at(8, 3)])).toEqual([9, 8]);
		expect(await idsOf(poller, [at(8, 3), at(6, 2), at(5, 1)])).toEqual([6, 5]);
	});

	test('comes out oldest first by its time where nothing was learned', async () => {
		const poller = trigger({ emitExisting: true });
		const at = (id: number, day: number) => message(id, { sent_at: `2026-11-0${day}T08:00:00Z` });
		expect(await idsOf(poller, [at(3, 3), at(2, 2), at(1, 1)])).toEqual([1, 2, 3]);
	});

	test('among plain values becomes { value }', async () => {
		const poller = trigger();
		await poll(poller, ['hello']);
		expect(await poll(poller, { messages: ['hello', 'you'] })).toEqual([{ value: 'you' }]);
	});

	test('that was there before and is back at the other end leaves the order as it was learned', async () => {
		const poller = trigger();
		await poll(poller, messages(51, 53));
		expect(await idsOf(poller, messages(51, 54))).toEqual([54]);
		expect(await idsOf(poller, messages(50, 52))).toEqual([50]);
		const later = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
		expect(await idsOf(poller, later)).toEqual(['a', 'b', 'c']);
	});

	test('comes out oldest first where a host changes its order', async () => {
		const poller = trigger();
		const of = (...ids: string[]) => ids.map((id) => message(id));
		await poll(poller, of('a'));
		await poll(poller, of('a', 'b'));
		expect(await idsOf(poller, of('d', 'c', 'b', 'a'))).toEqual(['c', 'd']);
		expect(await idsOf(poller, of('g', 'f', 'e'))).toEqual(['e', 'f', 'g']);
	});

	test('that is listed twice comes out once', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		expect(await idsOf(poller, [message(1), message(2), message(1), message(2)])).toEqual([2]);
	});

	test('comes out once when two polls overlap', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		list = [message(1), message(2)];
		const outputs = await Promise.all([poller.poll(), poller.poll()]);
		expect(outputs.filter(Boolean)).toHaveLength(1);
	});

	test('comes out once when two polls overlap that read further pages', async () => {
		const poller = trigger({ pageParameter: 'page' });
		await poll(poller, [message(1)]);
		const held: Array<() => void> = [];
		server.answerEach(({ path }) => {
			if (path.endsWith('page=0')) return { body: [message(2)] };
			return (response) => {
				held.push(() => response.end(JSON.stringify([message(1)])));
				if (held.length === 2) for (const release of held) release();
			};
		});
		const outputs = await Promise.all([poller.poll(), poller.poll()]);
		expect(outputs.filter(Boolean)).toHaveLength(1);
	});
});

describe('the ID of a message', () => {
	test.each([
		['id', { id: 'x' }, { id: 'y' }],
		['a number', { id: 1 }, { id: 2 }],
		['a usual name', { message_id: 'x' }, { message_id: 'y' }],
		['one level down', { message: { id: 'x' } }, { message: { id: 'y' } }],
		[
			'beside what is the same in all',
			{ id: 'chat-1', message: { id: 'x' } },
			{ id: 'chat-1', message: { id: 'y' } },
		],
	])('is found: %s; what else changes starts nothing', async (_where, one, other) => {
		const poller = trigger();
		const at = (record: object, read_date: string | null) => ({ ...record, read_date });
		await poll(poller, [at(one, null), at(other, null)]);
		expect(await poll(poller, [at(one, '2026-11-01'), at(other, '2026-11-02')])).toBeNull();
		expect(poller.warnings).toEqual([]);
	});

	test('is not the one of a chat or a sender', async () => {
		const poller = trigger();
		const from = (id: number, text: string) => ({ chat: { id }, sender: { id }, text });
		await poll(poller, [from(1, 'a'), from(2, 'b')]);
		expect(await poll(poller, [from(1, 'a'), from(2, 'b'), from(1, 'c')])).toEqual([from(1, 'c')]);
	});

	test('is where the user says, also further down', async () => {
		const poller = trigger({ messageIdField: ' a.b.c ' });
		const at = (c: unknown, id: number) => ({ id, a: { b: { c } } });
		await poll(poller, [at('x', 1)]);
		expect(await poll(poller, [at('x', 2), at('y', 2)])).toEqual([at('y', 2)]);
	});

	test('in a field that no message has is refused, and nothing is lost', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		const { state } = poller;
		const parameters = poller.parameters;
		poller.parameters = { event: 'newMessage', options: { messageIdField: 'nowhere' } };
		await expect(poll(poller, [message(1), message(2)])).rejects.toThrow("'nowhere'");
		expect(poller.state).toEqual(state);
		poller.parameters = parameters;
		expect(await idsOf(poller, [message(1), message(2)])).toEqual([2]);
	});

	test('stays where it was found first', async () => {
		const poller = trigger();
		await poll(poller, [{ uuid: 'x' }]);
		const later = (id: number) => [
			{ uuid: 'x', id },
			{ uuid: 'y', id: id + 1 },
		];
		expect(await poll(poller, later(7))).toEqual([{ uuid: 'y', id: 8 }]);
		expect(await poll(poller, later(9))).toBeNull();
	});

	test('stays where it was found also when a message is listed in several states', async () => {
		const poller = trigger();
		const of = (id: number, record: string, status: string) => ({ id, uuid: record, status });
		await poll(poller, [of(1, 'a', 'read')]);
		const listed = [of(1, 'b', 'read'), of(2, 'c', 'sent'), of(2, 'd', 'read')];
		expect(await idsOf(poller, listed)).toEqual([2]);
		expect(await poll(poller, [of(2, 'e', 'sent'), of(2, 'f', 'read')])).toBeNull();
	});

	test('looked for elsewhere is not taken for what was in the old field', async () => {
		const poller = trigger({ messageIdField: 'chat' });
		const of = (seq: number, chat: number) => ({ seq, chat });
		await poll(poller, [of(1, 12), of(2, 13)]);
		poller.parameters = { event: 'newMessage', options: { messageIdField: 'seq' } };
		const later = [of(1, 12), of(2, 13), of(12, 14), of(13, 15)];
		expect(await poll(poller, later)).toEqual(later.slice(2));
	});

	test('is looked for again where a host has moved it', async () => {
		const poller = trigger();
		await poll(poller, [{ id: 'x' }, { id: 'y' }]);
		const moved = ['x', 'y', 'z'].map((id) => ({ message: { id } }));
		expect(await poll(poller, moved)).toEqual([moved[2]]);
	});

	test('that different messages have is warned of, once', async () => {
		const poller = trigger();
		const of = (chat: string, message_id: number) => ({ chat, message_id });
		const listed = [of('a', 1), of('a', 2), of('b', 1)];
		await poll(poller, listed);
		await poll(poller, [...listed, of('b', 2)]);
		expect(poller.warnings).toEqual([expect.stringContaining('with the ID of another message')]);
	});

	test('that different messages have is warned of when it comes to that', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 2));
		await poll(poller, [...messages(1, 2), message(2, { chat: 'b' })]);
		expect(poller.warnings).toEqual([expect.stringContaining('with the ID of another message')]);
	});

	test('is found again when the option is taken out, and what was hidden so far comes out', async () => {
		const poller = trigger({ messageIdField: 'chat.id' });
		const of = (id: number, chat: number) => ({ id, chat: { id: chat } });
		await poll(poller, [of(1, 7), of(2, 8)]);
		expect(await poll(poller, [of(1, 7), of(2, 8), of(3, 7)])).toBeNull();
		poller.parameters = { event: 'newMessage', options: {} };
		expect(await poll(poller, [of(1, 7), of(2, 8), of(3, 7)])).toEqual([of(3, 7)]);
	});

	test('can be looked for elsewhere later, and known messages stay known', async () => {
		const poller = trigger();
		const both = (n: number) => ({ id: n, other: { id: `m${n}` } });
		await poll(poller, [both(1), both(2)]);
		poller.parameters = { event: 'newMessage', options: { messageIdField: 'other.id' } };
		expect(await poll(poller, [both(1), both(2), both(3)])).toEqual([both(3)]);
		expect(await poll(poller, [both(2), both(3)])).toBeNull();
	});

	test('is not missed: without one the content counts, and a warning tells what that means', async () => {
		const poller = trigger();
		await poll(poller, [{ text: 'a' }, { text: 'b' }]);
		expect(poller.warnings).toEqual([expect.stringMatching(/without an ID: 2\..*changes/)]);
		expect(await poll(poller, [{ text: 'a' }, { text: 'b' }])).toBeNull();
		expect(await poll(poller, [{ text: 'b' }, { text: 'c' }])).toEqual([{ text: 'c' }]);
		expect(await poll(poller, [{ text: 'b' }, { text: 'c!' }])).toEqual([{ text: 'c!' }]);
		expect(poller.warnings).toHaveLength(3);
	});

	test('is missed in some messages only: these count by their content', async () => {
		const poller = trigger();
		await poll(poller, [message(1), message(2)]);
		const notice = { text: 'a notice' };
		expect(await poll(poller, [message(1), message(2, { read: true }), notice])).toEqual([notice]);
		expect(await poll(poller, [message(1), message(2), notice])).toBeNull();
		expect(poller.warnings).toEqual([expect.stringContaining('without an ID: 1.')]);
	});

	test('that comes later replaces the content', async () => {
		const poller = trigger();
		await poll(poller, [{ text: 'a' }]);
		const withId = { text: 'b', id: 1 };
		expect(await poll(poller, [{ text: 'a' }, withId])).toEqual([withId]);
		expect(await poll(poller, [{ text: 'a' }, { ...withId, read: true }])).toBeNull();
	});

	test('that is a number too long to be exact does not make two messages one', async () => {
		const poller = trigger();
		const id = '12345678901234567';
		await poll(poller, `[{"id": ${id}890, "text": "a"}]`);
		expect(
			await poll(poller, `[{"id": ${id}890, "text": "a"}, {"id": ${id}891, "text": "b"}]`),
		).toEqual([expect.objectContaining({ text: 'b' })]);
	});
});

describe('a poll that fails', () => {
	const failures = [
		['HTTP 500', () => ({ status: 500 }), 3],
		['HTTP 429', () => ({ status: 429, headers: { 'retry-after': '0' } }), 3],
		['HTTP 401', () => ({ status: 401 }), 1],
		['a web page', () => ({ body: '<html></html>' }), 1],
		['an object without a list', () => ({ body: { ok: true } }), 1],
	] as const;

	test.each(failures)('with %s loses nothing', async (_what, script, tries) => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		const { state } = poller;
		server.requests.length = 0;
		server.answerEach(script);
		await expect(poller.poll()).rejects.toThrow();
		expect(server.requests).toHaveLength(tries);
		expect(poller.state).toEqual(state);
		server.answerEach(() => ({ body: list }));
		expect(await idsOf(poller, messages(1, 3))).toEqual([2, 3]);
	});

	test('within its further pages emits nothing, and the next one emits all', async () => {
		const poller = trigger({ pageParameter: 'page' });
		let isBroken = true;
		const pages = [messages(5, 6), messages(3, 4), messages(1, 2)];
		server.answer({ body: messages(1, 2) });
		await poller.poll();
		const { state } = poller;
		server.answerEach(({ path }) => {
			const page = Number(path.slice(-1));
			return isBroken && page === 1 ? { status: 500 } : { body: pages[page] };
		});
		await expect(poller.poll()).rejects.toThrow('could not process the request');
		expect(poller.state).toEqual(state);
		isBroken = false;
		const outputs = await poller.poll();
		expect(outputs![0].map(({ json }) => json.id)).toEqual([3, 4, 5, 6]);
	});
});

describe('a possible gap', () => {
	test('is told where a full page has nothing that is known: 100 new at once', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, messages(1, 100));
		const { polledAt } = poller.state.newMessage as IDataObject;
		list = messages(101, 200);
		const [items, gaps] = (await poller.poll())!;
		expect(items).toHaveLength(100);
		expect(gaps).toEqual([
			{ json: { noticedAt: expect.any(String) as string, messagesListed: 100, since: polledAt } },
		]);
	});

	test.each([
		[{}, "Poll more often or, if the service has pages, set 'Page Parameter'."],
		[{ pageParameter: 'page', maxPages: 1 }, "Poll more often, or increase 'Max Pages'."],
	])('is warned of without the output too, with what to do: %j', async (options, advice) => {
		const poller = trigger(options);
		await poll(poller, messages(1, 100));
		const { polledAt } = poller.state.newMessage as IDataObject;
		list = messages(101, 200);
		expect(await poller.poll()).toHaveLength(1);
		expect(poller.warnings).toEqual([
			`Messaging Account Trigger: Messages may have been missed: none of the 100 listed messages is known from the last poll (${String(polledAt)}). ${advice}`,
		]);
		expect(poller.warnedOf).toEqual([{ workflowId: 'workflow-1' }]);
	});

	test('is told where a page is full with fewer', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, messages(1, 20));
		list = messages(21, 40);
		expect((await poller.poll())![1]).toHaveLength(1);
	});

	test.each([
		['one is known', messages(1, 100), messages(100, 199)],
		['the page is not full', messages(1, 20), messages(21, 30)],
		['the account was empty', [], messages(1, 99)],
	])('is not told where %s', async (_when, before, now) => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, before);
		list = now;
		expect((await poller.poll())![1]).toEqual([]);
		expect(poller.warnings).toEqual([]);
	});

	test('is not told at the first poll, where existing messages are emitted', async () => {
		const poller = trigger({ ...GAP_OUTPUT, emitExisting: true });
		list = messages(1, 100);
		expect((await poller.poll())![1]).toEqual([]);
		expect(poller.warnings).toEqual([]);
	});

	test('is told of an account that was empty, where the page is as long as the service lists', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, []);
		list = messages(1, 100);
		expect((await poller.poll())![1]).toHaveLength(1);
	});

	test('is told where the query has the time of day in it', async () => {
		const parameters = [{ name: 'now', value: '={{ $now.toMillis() }}{{ Math.random() }}' }];
		const poller = trigger({ ...GAP_OUTPUT, queryParameters: { parameters } });
		await poll(poller, messages(1, 20));
		list = messages(21, 40);
		expect((await poller.poll())![1]).toHaveLength(1);
	});

	test('is measured by the longest page so far', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, messages(1, 20));
		await poll(poller, messages(18, 20));
		expect(await idsOf(poller, messages(21, 28))).toHaveLength(8);
		expect(poller.warnings).toEqual([]);
	});

	test('is told where a page has as many as the service lists, also if there were longer ones', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, messages(1, 150));
		list = messages(151, 250);
		expect((await poller.poll())![1]).toHaveLength(1);
	});

	test('is measured by the pages of the same query', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, messages(1, 50));
		const queryParameters = { parameters: [{ name: 'limit', value: '10' }] };
		poller.parameters = { event: 'newMessage', options: { ...GAP_OUTPUT, queryParameters } };
		await poll(poller, messages(41, 50));
		list = messages(51, 60);
		expect((await poller.poll())![1]).toHaveLength(1);
	});
});

describe('with a Page Parameter', () => {
	/** Serves pages of three from all messages, which are listed newest first. */
	function serve(all: () => unknown[], pageOf = (page: number) => page): void {
		server.answerEach(({ path }) => {
			const page = pageOf(Number(new URLSearchParams(path.split('?')[1]).get('page')));
			const newestFirst = [...all()].reverse();
			return { body: newestFirst.slice(page * 3, page * 3 + 3) };
		});
	}
	const OPTIONS = { ...GAP_OUTPUT, pageParameter: 'page' };
	const pagesAsked = () => server.requests.map(({ path }) => Number(path.split('page=')[1]));

	async function afterFirst(
		options: IDataObject,
		all: unknown[],
		pageOf?: (page: number) => number,
	) {
		const poller = trigger({ ...OPTIONS, ...options });
		serve(() => messages(1, 4), pageOf);
		await poller.poll();
		server.requests.length = 0;
		serve(() => all, pageOf);
		const [items, gaps] = (await poller.poll())!;
		return { ids: items.map(({ json }) => json.id), gaps, poller };
	}

	test('reads as far as a known message', async () => {
		const { ids, gaps } = await afterFirst({}, messages(1, 11));
		expect(ids).toEqual([5, 6, 7, 8, 9, 10, 11]);
		expect(pagesAsked()).toEqual([0, 1, 2]);
		expect(gaps).toEqual([]);
	});

	test('reads one page where that has a known message', async () => {
		const { ids } = await afterFirst({}, messages(1, 5));
		expect(ids).toEqual([5]);
		expect(pagesAsked()).toEqual([0]);
	});

	test('reads until the list ends: then there is no gap', async () => {
		const { ids, gaps } = await afterFirst({}, messages(5, 11));
		expect(ids).toEqual([5, 6, 7, 8, 9, 10, 11]);
		expect(pagesAsked()).toEqual([0, 1, 2, 3]);
		expect(gaps).toEqual([]);
	});

	test('reads as far as a known message where the ID is looked for elsewhere from now on', async () => {
		const both = messages(1, 15).map((one) => ({ ...one, other: `x${one.id as number}` }));
		const poller = trigger({ ...OPTIONS, emitExisting: true });
		serve(() => both.slice(0, 12));
		await poller.poll();
		poller.parameters = {
			event: 'newMessage',
			options: { ...OPTIONS, messageIdField: 'other' },
		};
		server.requests.length = 0;
		serve(() => both);
		const [items, gaps] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual([13, 14, 15]);
		expect(gaps).toEqual([]);
		expect(pagesAsked()).toEqual([0, 1]);
	});

	test('takes 404 for the end of the list', async () => {
		const poller = trigger(OPTIONS);
		serve(() => []);
		await poller.poll();
		server.answerEach(({ path }) =>
			path.endsWith('=2') ? { status: 404 } : { body: [message(path)] },
		);
		const [items] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual([1, 0].map((n) => `/v1/messages?page=${n}`));
	});

	test('tells of the gap where the list ends behind a first page that is full', async () => {
		const { ids, gaps } = await afterFirst({}, messages(9, 11));
		expect(ids).toEqual([9, 10, 11]);
		expect(gaps).toHaveLength(1);
	});

	test('ends at a page that is repeated, and tells of the gap', async () => {
		const { ids, gaps } = await afterFirst({}, messages(1, 11), () => 0);
		expect(ids).toEqual([9, 10, 11]);
		expect(pagesAsked()).toEqual([0, 1]);
		expect(gaps).toHaveLength(1);
	});

	test('ends with Max Pages, and tells of the gap', async () => {
		const { ids, gaps } = await afterFirst({ maxPages: 2, firstPage: 0 }, messages(1, 20));
		expect(ids).toEqual([15, 16, 17, 18, 19, 20]);
		expect(gaps).toMatchObject([{ json: { messagesListed: 6 } }]);
	});

	test('takes a message once that moves on to the next page meanwhile', async () => {
		const all = messages(1, 9);
		const poller = trigger(OPTIONS);
		serve(() => messages(1, 4));
		await poller.poll();
		let isFirst = true;
		server.answerEach(({ path }) => {
			const page = Number(path.split('page=')[1]);
			const body = [...all].reverse().slice(page * 3, page * 3 + 3);
			if (isFirst) all.push(message(10));
			isFirst = false;
			return { body };
		});
		const [items] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual([5, 6, 7, 8, 9]);
		expect((await poller.poll())![0].map(({ json }) => json.id)).toEqual([10]);
	});
});

describe('what is remembered', () => {
	test('is at most 1,000 short keys, and what is on the page is never forgotten', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 100));
		for (let from = 51; from <= 2001; from += 50) {
			const listed = messages(from, from + 99);
			expect(await idsOf(poller, listed)).toEqual(
				messages(from + 50, from + 99).map(({ id }) => id),
			);
			expect(known(poller).length).toBeLessThanOrEqual(1000);
			expect(await poll(poller, listed)).toBeNull();
		}
		expect(known(poller)).toHaveLength(1000);
		expect(JSON.stringify(poller.state).length).toBeLessThan(14_000);
	});

	test('keeps what stays on the page, however much comes and goes beside it', async () => {
		const poller = trigger();
		const pinned = message('pinned');
		await poll(poller, [pinned]);
		for (let from = 1; from <= 1200; from += 99) {
			const listed = [pinned, ...messages(from, from + 98)];
			expect(await idsOf(poller, listed)).toHaveLength(99);
		}
		expect(known(poller)).toHaveLength(1000);
	});

	test('keeps what has left the page, however often the same is listed', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 100));
		for (let polls = 0; polls < 12; polls++) await poll(poller, messages(51, 150));
		expect(await poll(poller, messages(1, 100))).toBeNull();
	});

	test('holds a page that is longer than that', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 1200));
		expect(await poll(poller, messages(1, 1200))).toBeNull();
	});

	test('does not name the account, nor the messages', async () => {
		const poller = trigger();
		await poll(poller, [message('the-id')]);
		const stored = JSON.stringify(poller.state);
		for (const text of [CREDENTIAL.clientId, CREDENTIAL.token, server.url, 'the-id', 'text']) {
			expect(stored).not.toContain(text);
		}
	});

	test.each([
		['the client id', () => ({ clientId: 'another' })],
		['the base URL', (url: string) => ({ baseUrl: `${url}/another` })],
	])('starts anew with another account: %s', async (_what, change) => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		poller.credential = { ...poller.credential, ...change(server.url) };
		expect(await poll(poller, messages(5, 7))).toBeNull();
		expect(poller.warnings).toEqual([expect.stringContaining('another account')]);
		expect(await idsOf(poller, messages(5, 8))).toEqual([8]);
	});

	test('stays with another token, and with the same address written in another way', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		const baseUrl = `${server.url.replace('http', 'HTTP')}/v1/`;
		poller.credential = { ...poller.credential, baseUrl, token: 'another' };
		expect(await idsOf(poller, messages(1, 2))).toEqual([2]);
	});

	test.each([
		['no object', 'nonsense'],
		['null', null],
		['no list', { known: 'all' }],
		['a list of something else', { known: [1, {}] }],
	])('that cannot be read (%s) starts anew, with a warning', async (_what, newMessage) => {
		const poller = trigger();
		poller.state = { newMessage } as IDataObject;
		expect(await poll(poller, messages(1, 2))).toBeNull();
		expect(poller.warnings).toEqual([expect.stringContaining('cannot be read')]);
		expect(await idsOf(poller, messages(1, 3))).toEqual([3]);
	});

	test('that cannot be read makes nothing come out again, also where existing messages are emitted', async () => {
		const poller = trigger({ emitExisting: true });
		poller.state = { newMessage: 'nonsense' };
		expect(await poll(poller, messages(1, 2))).toBeNull();
	});

	test('by an older version is of use as far as it goes', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 2));
		poller.state = {
			newMessage: { known: known(poller), newestFirst: 'yes', longestPage: 'many', polledAt: 7 },
		};
		expect(await idsOf(poller, messages(1, 3))).toEqual([3]);
		expect(poller.warnings).toEqual([]);
	});

	test('by an older version does not tell when the last poll was', async () => {
		const poller = trigger(GAP_OUTPUT);
		poller.state = { newMessage: { known: ['some key'] } };
		list = messages(1, 100);
		expect((await poller.poll())![1]).toMatchObject([{ json: { since: null } }]);
		expect(poller.warnings).toEqual([expect.stringContaining('is known from the last poll. ')]);
	});

	test('is stored with what goes out, so a restart neither repeats nor loses', async () => {
		const poller = trigger();
		list = [message(1)];
		await poller.activate();
		expect(await idsOf(poller, messages(1, 2))).toEqual([2]);
		await poll(poller, messages(1, 2));
		list = messages(1, 4);
		expect((await poller.activate())![0].map(({ json }) => json.id)).toEqual([3, 4]);
		expect(await poller.activate()).toBeNull();
	});
});

describe('a test run in the editor', () => {
	test('shows the latest messages, oldest first, and changes nothing', async () => {
		const poller = trigger(GAP_OUTPUT);
		list = [message(1)];
		await poller.activate();
		await poll(poller, [message(2), message(1)]);
		const { state } = poller;
		list = [message(3), message(2), message(1)];
		const [items, gaps] = (await poller.test())!;
		expect(items.map(({ json }) => json.id)).toEqual([1, 2, 3]);
		expect(gaps).toEqual([]);
		expect(poller.state).toEqual(state);
		expect(await idsOf(poller, list)).toEqual([3]);
	});

	test('before the first poll takes note of nothing', async () => {
		const poller = trigger();
		list = messages(1, 2);
		expect((await poller.test())![0]).toHaveLength(2);
		expect(poller.state).toEqual({});
	});

	test('reads one page', async () => {
		const poller = trigger({ pageParameter: 'page' });
		list = messages(1, 2);
		await poller.activate();
		server.requests.length = 0;
		list = messages(3, 4);
		await poller.test();
		expect(server.requests).toHaveLength(1);
	});

	test('of an empty account shows nothing', async () => {
		list = [];
		expect(await trigger().test()).toBeNull();
	});
});

test.each(['={{ null }}', ' '])(
	'a Message ID Field that is %j is as good as none',
	async (messageIdField) => {
		const poller = trigger({ messageIdField });
		await poll(poller, messages(1, 2));
		expect(await idsOf(poller, messages(1, 3))).toEqual([3]);
	},
);

test.each([
	['Message ID Field', { messageIdField: 5 }, 'Enter the name of the field'],
	['Max Pages', { pageParameter: 'page', maxPages: 0 }, 'Enter one'],
])(
	"'%s' that cannot be used is told by its name, and nothing is requested",
	async (name, options, advice) => {
		await expect(trigger(options).poll()).rejects.toMatchObject({
			message: expect.stringContaining(`'${name}'`) as string,
			description: expect.stringContaining(advice) as string,
		});
		expect(server.requests).toEqual([]);
	},
);
