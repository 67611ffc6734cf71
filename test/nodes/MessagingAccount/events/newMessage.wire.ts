import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL } from '../../../support/engine';
import { useNoJitter } from '../../../support/noJitter';
import { Poller } from '../../../support/poller';
import { useScriptedServer } from '../../../support/scriptedServer';
import { currentWorkflowId } from '../../../support/singleNodeWorkflow';

const GAP_OUTPUT = { gapOutput: true };

useNoJitter();
/** A time, in s since 1970. */
const START = 1_700_000_000;

const server = useScriptedServer();
let list: unknown;

beforeEach(() => {
	server.onRequest(() => ({ body: list }));
});

function trigger(options: IDataObject = {}): Poller {
	const parameters = { event: 'newMessage', options } as INodeParameters;
	return new Poller(parameters, { baseUrl: server.url, ...CREDENTIAL });
}

const message = (id: unknown, more: object = {}) => ({ id, text: `text ${String(id)}`, ...more });
const messages = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, i) => message(from + i));

/** Polls while the service lists these messages. Returns the items of the first output. */
async function poll(poller: Poller, listed: unknown): Promise<unknown[] | null> {
	list = listed;
	const outputs = await poller.poll();
	return outputs && outputs[0].map(({ json }) => json);
}

async function idsOf(poller: Poller, listed: unknown): Promise<unknown[] | null> {
	const emitted = await poll(poller, listed);
	return emitted && emitted.map((json) => (json as IDataObject).id);
}

const known = (poller: Poller) => (poller.state.newMessage as IDataObject).known as string[];

describe('the first poll', () => {
	test('only remembers', async () => {
		const poller = trigger();
		expect(await poll(poller, messages(1, 3))).toBeNull();
		expect(known(poller)).toHaveLength(3);
		expect(await poll(poller, messages(1, 3))).toBeNull();
		expect(poller.warnings).toEqual([]);
	});

	test('emits existing messages if the option is on, with paging too', async () => {
		const poller = trigger({ emitExisting: true });
		expect(await idsOf(poller, messages(1, 3))).toEqual([1, 2, 3]);
		expect(await poll(poller, messages(1, 3))).toBeNull();

		server.onRequest(({ path }) => ({
			body: path.endsWith('page=0')
				? [{ id: 4 }, { id: 3 }]
				: path.endsWith('1')
					? [{ id: 2 }]
					: [],
		}));
		const paged = trigger({ emitExisting: true, pageParameter: 'page' });
		expect(await idsOf(paged, undefined)).toHaveLength(3);
	});

	test('of an empty account makes all later messages new', async () => {
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

describe('a list that is too long to compare', () => {
	test.each([
		['oldest first', (all: unknown[]) => all],
		['newest first', (all: unknown[]) => all.toReversed()],
	])('is cut to its newest 5,000 messages, %s', async (_order, arrange) => {
		const poller = trigger(GAP_OUTPUT);
		const timed = Array.from({ length: 5020 }, (_, i) => message(i, { timestamp: START + i }));
		await poll(poller, arrange(timed.slice(0, 5010)));
		expect(await idsOf(poller, arrange(timed))).toEqual(timed.slice(5010).map(({ id }) => id));
		expect(known(poller)).toHaveLength(5000);
		expect(poller.warnings).toEqual([]);
	});

	test('is refused if nothing tells which are the newest', async () => {
		const texts = Array.from({ length: 5001 }, (_, i) => ({ text: `text ${i}` }));
		await expect(poll(trigger(), texts)).rejects.toMatchObject({
			message: 'The service lists more than 5,000 messages, and nothing tells which are the newest',
		});
	});

	test('is read up to 5,000 messages if it has pages, and tells of a possible gap', async () => {
		const poller = trigger({ ...GAP_OUTPUT, pageParameter: 'page' });
		await poll(poller, messages(1, 3));
		server.onRequest(({ path }) => {
			const page = Number(path.split('=')[1]);
			return { body: messages(100_000 - 2000 * (page + 1), 99_999 - 2000 * page).reverse() };
		});
		expect(await idsOf(poller, undefined)).toHaveLength(4000);
		expect(poller.warnings).toEqual([expect.stringContaining('Messages may have been missed')]);
	});
});

describe('a new message', () => {
	test('is emitted once and untouched', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		const added = { id: 'a', deep: { list: [1, null, { x: '' }] }, '': 0, error: 'no error' };
		expect(await poll(poller, [message(1), added])).toEqual([added]);
		expect(await poll(poller, [message(1), added])).toBeNull();
	});

	test.each([
		['at the end', [1, 2, 3, 4], [1, 2]],
		['at the beginning', [4, 3, 2, 1], [2, 1]],
	])('is emitted oldest first, wherever it is listed: %s', async (_where, now, before) => {
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

	test('is emitted oldest first if only an earlier poll showed the order', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		await poll(poller, [message(2), message(1)]);
		expect(await idsOf(poller, [message(5), message(4), message(3)])).toEqual([3, 4, 5]);
	});

	test('counts as newer than known ones, whatever its time says', async () => {
		const poller = trigger();
		const at = (id: number, day: number) => message(id, { sent_at: `2026-11-0${day}T08:00:00Z` });
		await poll(poller, [at(7, 5)]);
		expect(await idsOf(poller, [at(7, 5), at(9, 4), at(8, 3)])).toEqual([9, 8]);
		expect(await idsOf(poller, [at(8, 3), at(6, 2), at(5, 1)])).toEqual([6, 5]);
	});

	test('is emitted oldest first by its time while the order is unknown', async () => {
		const poller = trigger({ emitExisting: true });
		const at = (id: number, day: number) => message(id, { sent_at: `2026-11-0${day}T08:00:00Z` });
		expect(await idsOf(poller, [at(3, 3), at(2, 2), at(1, 1)])).toEqual([1, 2, 3]);
	});

	test('among plain values becomes { value }', async () => {
		const poller = trigger();
		await poll(poller, ['hello']);
		expect(await poll(poller, { messages: ['hello', 'you'] })).toEqual([{ value: 'you' }]);
	});

	test('with names that n8n gives a meaning arrives, and only once', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 1));
		const listed = [message(1), message(2, { $error: { message: 'x' }, $json: {} })];
		const expected = message(2, { _$error: { message: 'x' }, _$json: {} });
		expect(await poll(poller, listed)).toEqual([expected]);
		expect(await poll(poller, listed)).toBeNull();
	});

	test('that reappears at the other end does not change the known order', async () => {
		const poller = trigger();
		await poll(poller, messages(51, 53));
		expect(await idsOf(poller, messages(51, 54))).toEqual([54]);
		expect(await idsOf(poller, messages(50, 52))).toEqual([50]);
		const later = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
		expect(await idsOf(poller, later)).toEqual(['a', 'b', 'c']);
	});

	test('is emitted oldest first if a host changes its order', async () => {
		const poller = trigger();
		const listOf = (...ids: string[]) => ids.map((id) => message(id));
		await poll(poller, listOf('a'));
		await poll(poller, listOf('a', 'b'));
		expect(await idsOf(poller, listOf('d', 'c', 'b', 'a'))).toEqual(['c', 'd']);
		expect(await idsOf(poller, listOf('g', 'f', 'e'))).toEqual(['e', 'f', 'g']);
	});

	test('that is listed twice is emitted once', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		expect(await idsOf(poller, [message(1), message(2), message(1), message(2)])).toEqual([2]);
	});

	test('is emitted once when two polls overlap', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		list = [message(1), message(2)];
		const outputs = await Promise.all([poller.poll(), poller.poll()]);
		expect(outputs.flatMap((one) => one?.[0] ?? [])).toHaveLength(1);
	});

	test('is emitted once when two polls with further pages overlap', async () => {
		const poller = trigger({ pageParameter: 'page' });
		await poll(poller, [message(1)]);
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
});

describe('the ID of a message', () => {
	test.each([
		['id', { id: 'x' }, { id: 'y' }],
		['a number', { id: 1 }, { id: 2 }],
		['a usual name', { message_id: 'x' }, { message_id: 'y' }],
		['one level down', { message: { id: 'x' } }, { message: { id: 'y' } }],
		[
			'next to a field that is the same in all messages',
			{ id: 'chat-1', message: { id: 'x' } },
			{ id: 'chat-1', message: { id: 'y' } },
		],
	])('is found, and other changes start nothing: %s', async (_where, one, other) => {
		const poller = trigger({ emitExisting: true });
		const at = (record: object, read_date: string | null) => ({ ...record, read_date });
		expect(await poll(poller, [at(one, null), at(other, null)])).toHaveLength(2);
		expect(await poll(poller, [at(one, '2026-11-01'), at(other, '2026-11-02')])).toBeNull();
		expect(poller.warnings).toEqual([]);
	});

	test('is not the ID of a chat or a sender', async () => {
		const poller = trigger();
		const from = (id: number, text: string) => ({ chat: { id }, sender: { id }, text });
		await poll(poller, [from(1, 'a'), from(2, 'b')]);
		expect(await poll(poller, [from(1, 'a'), from(2, 'b'), from(1, 'c')])).toEqual([from(1, 'c')]);
	});

	test('is in the field that the user enters, at any depth', async () => {
		const poller = trigger({ messageIdField: ' a.b.c ' });
		const at = (c: unknown, id: number) => ({ id, a: { b: { c } } });
		await poll(poller, [at('x', 1)]);
		expect(await poll(poller, [at('x', 2), at('y', 2)])).toEqual([at('y', 2)]);
	});

	test('cannot be in a field that no message has, and nothing is lost', async () => {
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

	test('stays in the field where it was first found', async () => {
		const poller = trigger();
		await poll(poller, [{ uuid: 'x' }]);
		const later = (id: number) => [
			{ uuid: 'x', id },
			{ uuid: 'y', id: id + 1 },
		];
		expect(await poll(poller, later(7))).toEqual([{ uuid: 'y', id: 8 }]);
		expect(await poll(poller, later(9))).toBeNull();
	});

	test('stays in its field even if a message is listed in several states', async () => {
		const poller = trigger();
		const createMessage = (id: string, status: string) => ({ id, status });
		await poll(poller, [createMessage('a', 'read')]);
		const listed = [
			createMessage('a', 'read'),
			createMessage('b', 'sent'),
			createMessage('b', 'read'),
		];
		expect(await idsOf(poller, listed)).toEqual(['b']);
		expect(await poll(poller, [createMessage('b', 'sent'), createMessage('b', 'seen')])).toBeNull();
	});

	test('from another field is not mistaken for one of the old field', async () => {
		const poller = trigger({ messageIdField: 'chat' });
		const createMessage = (seq: number, chat: number) => ({ seq, chat });
		await poll(poller, [createMessage(1, 12), createMessage(2, 13)]);
		poller.parameters = { event: 'newMessage', options: { messageIdField: 'seq' } };
		const later = [
			createMessage(1, 12),
			createMessage(2, 13),
			createMessage(12, 14),
			createMessage(13, 15),
		];
		expect(await poll(poller, later)).toEqual(later.slice(2));
	});

	test('is found again after a host moved it', async () => {
		const poller = trigger();
		await poll(poller, [{ id: 'x' }, { id: 'y' }]);
		const moved = ['x', 'y', 'z'].map((id) => ({ message: { id } }));
		expect(await poll(poller, moved)).toEqual([moved[2]]);
	});

	test('that counts per chat is one with the chat', async () => {
		const poller = trigger();
		const createMessage = (chat: string, message_id: number) => ({ chat, message_id });
		const listed = [createMessage('a', 1), createMessage('a', 2), createMessage('b', 1)];
		await poll(poller, listed.slice(0, 1));
		expect(await poll(poller, listed)).toEqual(listed.slice(1));
		expect(await poll(poller, [...listed, createMessage('b', 2)])).toEqual([createMessage('b', 2)]);
		expect(poller.warnings).toEqual([]);
	});

	test('that different messages share is one with what tells them apart', async () => {
		const poller = trigger();
		const createMessage = (id: string, sender: string, text: string) => ({ id, sender, text });
		const first = createMessage('x', 'a', 'Hello');
		await poll(poller, [first]);
		const other = createMessage('x', 'b', 'Hi');
		expect(await poll(poller, [first, other])).toEqual([other]);
		expect(await poll(poller, [first, { ...other, text: 'Hi!' }])).toBeNull();
		expect(poller.warnings).toEqual([expect.stringContaining("by 'sender, id'")]);
	});

	test('that the service uses again causes one warning', async () => {
		const poller = trigger();
		const at = (id: number, time: number) => ({ id: `m${id}`, date: START + time });
		await poll(poller, [at(1, 1), at(2, 2)]);
		expect(await poll(poller, [at(1, 1), at(2, 2), at(3, 3)])).toHaveLength(1);
		expect(poller.warnings).toEqual([]);
		expect(await poll(poller, [at(2, 2), at(3, 3), at(1, 4)])).toBeNull();
		expect(poller.warnings).toHaveLength(1);
		expect(await poll(poller, [at(3, 3), at(1, 4), at(2, 5)])).toBeNull();
		expect(poller.warnings).toEqual([expect.stringContaining('later time than any before: 1.')]);
	});

	test('may be in several fields that the user enters', async () => {
		const poller = trigger({ messageIdField: ' a.x ,b, ' });
		const createMessage = (x: string, b: number) => ({ id: 1, a: { x }, b });
		await poll(poller, [createMessage('c', 1)]);
		const listed = [createMessage('c', 1), createMessage('c', 2), createMessage('d', 1)];
		expect(await poll(poller, listed)).toEqual(listed.slice(1));
		expect(poller.warnings).toEqual([]);
	});

	test('that different messages share in the field of the user causes one warning', async () => {
		const poller = trigger({ messageIdField: 'id' });
		const listed = [message(1), message(1, { text: 'other' })];
		expect(await poll(poller, listed)).toBeNull();
		expect(await idsOf(poller, [...listed, message(2)])).toEqual([2]);
		expect(poller.warnings).toEqual([
			expect.stringMatching(
				/ID of another message but different content: 1\..*chat\.id, message_id/,
			),
		]);
	});

	test('the warning also comes if they share it only later', async () => {
		const poller = trigger({ messageIdField: 'id' });
		await poll(poller, [message(1)]);
		expect(poller.warnings).toEqual([]);
		const listed = [message(1), message(1, { text: 'other' }), message(2)];
		expect(await idsOf(poller, listed)).toEqual([2]);
		expect(poller.warnings).toEqual([expect.stringContaining('different content: 1.')]);
	});

	test('is found again after the option is removed, and messages hidden so far are emitted', async () => {
		const poller = trigger({ messageIdField: 'chat.id' });
		const createMessage = (id: number, chat: number) => ({ id, chat: { id: chat } });
		await poll(poller, [createMessage(1, 7), createMessage(2, 8)]);
		expect(
			await poll(poller, [createMessage(1, 7), createMessage(2, 8), createMessage(3, 7)]),
		).toBeNull();
		poller.parameters = { event: 'newMessage', options: {} };
		expect(
			await poll(poller, [createMessage(1, 7), createMessage(2, 8), createMessage(3, 7)]),
		).toEqual([createMessage(3, 7)]);
	});

	test('is found again after the option is removed, even if all messages have that field', async () => {
		const poller = trigger({ messageIdField: 'text' });
		await poll(poller, messages(1, 2));
		poller.parameters = { event: 'newMessage', options: {} };
		expect(await poll(poller, messages(1, 2))).toBeNull();
		const listed = [message(1), message(2, { text: 'edited' }), message(3)];
		expect(await idsOf(poller, listed)).toEqual([3]);
	});

	test('may be set to another field later, and known messages stay known', async () => {
		const poller = trigger();
		const both = (n: number) => ({ id: n, other: { id: `m${n}` } });
		await poll(poller, [both(1), both(2)]);
		poller.parameters = { event: 'newMessage', options: { messageIdField: 'other.id' } };
		expect(await poll(poller, [both(1), both(2), both(3)])).toEqual([both(3)]);
		expect(await poll(poller, [both(2), both(3)])).toBeNull();
	});

	test('may be missing: the content then identifies messages, with a warning about the effects', async () => {
		const poller = trigger();
		await poll(poller, [{ text: 'a' }, { text: 'b' }]);
		expect(poller.warnings).toEqual([expect.stringMatching(/without an ID: 2\..*changes/)]);
		expect(await poll(poller, [{ text: 'a' }, { text: 'b' }])).toBeNull();
		expect(await poll(poller, [{ text: 'b' }, { text: 'c' }])).toEqual([{ text: 'c' }]);
		expect(await poll(poller, [{ text: 'b' }, { text: 'c!' }])).toEqual([{ text: 'c!' }]);
		expect(poller.warnings.filter((text) => text.includes('without an ID'))).toHaveLength(3);
	});

	test('may be missing in some messages, which their content then identifies', async () => {
		const poller = trigger();
		await poll(poller, [message(1), message(2)]);
		const notice = { text: 'a notice' };
		expect(await poll(poller, [message(1), message(2, { read: true }), notice])).toEqual([notice]);
		expect(await poll(poller, [message(1), message(2), notice])).toBeNull();
		expect(poller.warnings).toEqual([expect.stringContaining('without an ID: 1.')]);
	});

	test('that appears later replaces the content', async () => {
		const poller = trigger();
		await poll(poller, [{ text: 'a' }]);
		const withId = { text: 'b', id: 1 };
		expect(await poll(poller, [{ text: 'a' }, withId])).toEqual([withId]);
		expect(await poll(poller, [{ text: 'a' }, { ...withId, read: true }])).toBeNull();
	});

	test('that is too long a number to be exact does not merge two messages', async () => {
		const poller = trigger();
		const id = '12345678901234567';
		await poll(poller, `[{"id": ${id}890, "text": "a"}]`);
		expect(
			await poll(poller, `[{"id": ${id}890, "text": "a"}, {"id": ${id}891, "text": "b"}]`),
		).toEqual([expect.objectContaining({ text: 'b' })]);
	});
});

describe('a failed poll', () => {
	const errors = [
		['HTTP 500', () => ({ status: 500 }), 3],
		['HTTP 429', () => ({ status: 429, headers: { 'retry-after': '0' } }), 3],
		['HTTP 401', () => ({ status: 401 }), 1],
		['a web page', () => ({ body: '<html></html>' }), 1],
		['an object without a list', () => ({ body: { ok: true } }), 1],
	] as const;

	test.each(errors)('with %s loses nothing', async (_what, script, attempts) => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		const { state } = poller;
		server.requests.length = 0;
		server.onRequest(script);
		await expect(poller.poll()).rejects.toThrow();
		expect(server.requests).toHaveLength(attempts);
		expect(poller.state).toEqual(state);
		server.onRequest(() => ({ body: list }));
		expect(await idsOf(poller, messages(1, 3))).toEqual([2, 3]);
	});

	describe('on a further page', () => {
		const newestFirst = (from: number, to: number) => messages(from, to).reverse();
		let pages: unknown[][];
		let broken: number;

		beforeEach(() => {
			server.onRequest(({ path }) => {
				const page = Number(path.split('page=')[1]);
				return page === broken ? { status: 500 } : { body: pages[page] ?? [] };
			});
		});

		const outputsOf = async (poller: Poller) => {
			const [items, gaps] = (await poller.poll()) ?? [[], []];
			return { ids: items.map(({ json }) => json.id), gaps: gaps.length };
		};

		test('emits the messages so far, and the next poll goes on from there', async () => {
			const poller = trigger({ ...GAP_OUTPUT, pageParameter: 'page' });
			pages = [newestFirst(1, 2)];
			await poller.poll();
			pages = [newestFirst(7, 8), newestFirst(5, 6), newestFirst(3, 4), newestFirst(1, 2)];
			broken = 2;
			expect(await outputsOf(poller)).toEqual({ ids: [5, 6, 7, 8], gaps: 1 });
			expect(poller.warnings).toEqual([
				expect.stringContaining('A further page could not be read: The service did not respond'),
			]);
			expect(await outputsOf(poller)).toEqual({ ids: [], gaps: 0 });
			broken = -1;
			expect(await outputsOf(poller)).toEqual({ ids: [3, 4], gaps: 0 });
			server.requests.length = 0;
			expect(await outputsOf(poller)).toEqual({ ids: [], gaps: 0 });
			expect(server.requests).toHaveLength(1);
			expect(poller.warnings).toHaveLength(1);
		});

		test('loses nothing of an account that was empty', async () => {
			const poller = trigger({ ...GAP_OUTPUT, pageParameter: 'page' });
			pages = [];
			await poller.poll();
			pages = [newestFirst(5, 6), newestFirst(3, 4), newestFirst(1, 2)];
			broken = 1;
			expect((await outputsOf(poller)).ids).toEqual([5, 6]);
			broken = 2;
			expect((await outputsOf(poller)).ids).toEqual([3, 4]);
			broken = -1;
			expect((await outputsOf(poller)).ids).toEqual([1, 2]);
		});

		test.each<[string, (id: string) => IDataObject]>([
			['a text', (id) => ({ id })],
			['a number', (id) => ({ id: parseInt(id, 36) })],
			['a text next to a time', (id) => ({ id, date: START + parseInt(id, 36) })],
		])(
			'loses no message of a first poll with Emit Existing Messages: the ID is %s',
			async (_what, listedAs) => {
				const poller = trigger({ ...GAP_OUTPUT, emitExisting: true, pageParameter: 'page' });
				const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(listedAs);
				pages = [[d, c], [b], [a]];
				broken = 1;
				expect(new Set((await outputsOf(poller)).ids)).toEqual(new Set([c.id, d.id]));
				broken = 2;
				expect((await outputsOf(poller)).ids).toEqual([b.id]);
				broken = -1;
				expect((await outputsOf(poller)).ids).toEqual([a.id]);
				expect(await outputsOf(poller)).toEqual({ ids: [], gaps: 0 });
			},
		);

		test('makes nothing new that is older than the first poll, and tells a gap', async () => {
			const poller = trigger({ ...GAP_OUTPUT, pageParameter: 'page' });
			const dated = (...ids: number[]) =>
				ids.map((id) => ({ id: `m${id}`, sent_at: new Date((START + id) * 1000).toISOString() }));
			pages = [dated(5, 4)];
			await poller.poll();
			pages = [dated(9, 8), dated(7, 6), dated(5, 4)];
			broken = 1;
			expect((await outputsOf(poller)).ids).toEqual(['m8', 'm9']);
			pages = [dated(3, 2)];
			expect(await outputsOf(poller)).toEqual({ ids: [], gaps: 1 });
		});
	});

	test('with no time left for another page is a whole first poll: it reads one page only', async () => {
		const poller = trigger({ pageParameter: 'page' });
		const listOf = (...ids: string[]) => ids.map((id) => ({ id }));
		let first = listOf('d', 'c');
		poller.budgetMs = 9000;
		server.onRequest(({ path }) => ({ body: path.endsWith('=0') ? first : listOf('b', 'a') }));
		expect(await poller.poll()).toBeNull();
		poller.budgetMs = 300_000;
		expect(await poller.poll()).toBeNull();
		first = listOf('e', 'd');
		expect(await poller.poll()).toEqual([[{ json: { id: 'e' } }]]);
	});
});

describe('a possible gap', () => {
	test('is reported if a full page contains no known message: 100 new at once', async () => {
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
		[{ pageParameter: 'page', maxPages: 1 }, "Poll more often, or increase 'Page Limit'."],
	])('is logged with advice even without the output: %j', async (options, advice) => {
		const poller = trigger(options);
		await poll(poller, messages(1, 100));
		const { polledAt } = poller.state.newMessage as IDataObject;
		list = messages(101, 200);
		expect((await poller.poll())!.map(({ length }) => length)).toEqual([100]);
		expect(poller.warnings).toEqual([
			`Messaging Account Trigger: Messages may have been missed: the 100 listed messages do not follow on those known from the last poll (${String(polledAt)}). ${advice}`,
		]);
		expect(poller.warningMetadata).toEqual([{ workflowId: currentWorkflowId() }]);
	});

	test('is reported however short the list is', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, messages(1, 20));
		list = messages(21, 23);
		expect((await poller.poll())![1]).toHaveLength(1);
	});

	test.each([
		['one is known', messages(1, 100), messages(100, 199)],
		['the account was empty', [], messages(1, 99)],
	])('is not reported if %s', async (_when, before, now) => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, before);
		list = now;
		expect((await poller.poll())!.map(({ length }) => length)).toEqual([99, 0]);
		expect(poller.warnings).toEqual([]);
	});

	test('is reported if the only known message was not the newest: it may be pinned', async () => {
		const poller = trigger(GAP_OUTPUT);
		const pinned = { id: 'a' };
		const listed = (from: number, to: number) => [
			pinned,
			...messages(from, to)
				.reverse()
				.map(({ id }) => ({ id: `m${id as number}` })),
		];
		await poll(poller, listed(1, 9));
		await poll(poller, listed(2, 10));
		list = listed(20, 28);
		const [items, gaps] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual(
			listed(20, 28)
				.slice(1)
				.reverse()
				.map(({ id }) => id),
		);
		expect(gaps).toHaveLength(1);
	});

	test('is not reported by a first poll that emits existing messages', async () => {
		const poller = trigger({ ...GAP_OUTPUT, emitExisting: true });
		list = messages(1, 100);
		expect((await poller.poll())!.map(({ length }) => length)).toEqual([100, 0]);
		expect(poller.warnings).toEqual([]);
	});

	test.each([10, 25, 50, 100])(
		'is reported for an account that was empty, if the list may be cut off: %d messages',
		async (count) => {
			const poller = trigger(GAP_OUTPUT);
			await poll(poller, []);
			list = messages(1, count);
			expect((await poller.poll())![1]).toHaveLength(1);
		},
	);

	test('is reported even if the query contains the time', async () => {
		const parameters = [{ name: 'now', value: '={{ $now.toMillis() }}{{ Math.random() }}' }];
		const poller = trigger({ ...GAP_OUTPUT, queryParameters: { parameters } });
		await poll(poller, messages(1, 20));
		list = messages(21, 40);
		expect((await poller.poll())![1]).toHaveLength(1);
	});
});

describe('with a Page Parameter', () => {
	/** Serves all messages, newest first, in pages of three. */
	function serve(all: () => unknown[], pageOf = (page: number) => page): void {
		server.onRequest(({ path }) => {
			const page = pageOf(Number(new URLSearchParams(path.split('?')[1]).get('page')));
			const newestFirst = [...all()].reverse();
			return { body: newestFirst.slice(page * 3, page * 3 + 3) };
		});
	}
	const OPTIONS = { ...GAP_OUTPUT, pageParameter: 'page' };
	const requestedPages = () => server.requests.map(({ path }) => Number(path.split('page=')[1]));

	async function pollTwice(
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

	test('reads up to a known message', async () => {
		const { ids, gaps } = await pollTwice({}, messages(1, 11));
		expect(ids).toEqual([5, 6, 7, 8, 9, 10, 11]);
		expect(requestedPages()).toEqual([0, 1, 2]);
		expect(gaps).toEqual([]);
	});

	test('reads one page if it contains a known message', async () => {
		const { ids } = await pollTwice({}, messages(1, 5));
		expect(ids).toEqual([5]);
		expect(requestedPages()).toEqual([0]);
	});

	test('reports a gap even if it reads to the end of the list: the host may keep only the last messages', async () => {
		const { ids, gaps } = await pollTwice({}, messages(5, 11));
		expect(ids).toEqual([5, 6, 7, 8, 9, 10, 11]);
		expect(requestedPages()).toEqual([0, 1, 2, 3]);
		expect(gaps).toHaveLength(1);
	});

	test('reads the same pages again at the next poll: they may not have fit together', async () => {
		const poller = trigger(OPTIONS);
		serve(() => messages(1, 4));
		await poller.poll();
		const all = messages(1, 11);
		// The host took the second page from a copy of the list that lacked the last messages.
		server.onRequest(({ path }) => {
			const page = Number(path.split('page=')[1]);
			const newestFirst = (page === 0 ? all : all.slice(0, -3)).toReversed();
			return { body: newestFirst.slice(page * 3, page * 3 + 3) };
		});
		expect((await poller.poll())![0].map(({ json }) => json.id)).toEqual([5, 9, 10, 11]);
		serve(() => all);
		expect((await poller.poll())![0].map(({ json }) => json.id)).toEqual([6, 7, 8]);
		server.requests.length = 0;
		expect(await poller.poll()).toBeNull();
		expect(requestedPages()).toEqual([0]);
	});

	test('reads up to a known message even if the ID is now in another field', async () => {
		const all = messages(1, 15).map((one) => ({ ...one, other: `x${one.id as number}` }));
		const poller = trigger({ ...OPTIONS, emitExisting: true });
		serve(() => all.slice(0, 12));
		await poller.poll();
		poller.parameters = {
			event: 'newMessage',
			options: { ...OPTIONS, messageIdField: 'other' },
		};
		server.requests.length = 0;
		serve(() => all);
		const [items, gaps] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual([13, 14, 15]);
		expect(gaps).toEqual([]);
		expect(requestedPages()).toEqual([0, 1]);
	});

	test('treats 404 as the end of the list', async () => {
		const poller = trigger(OPTIONS);
		serve(() => []);
		await poller.poll();
		server.onRequest(({ path }) =>
			path.endsWith('=2') ? { status: 404 } : { body: [message(path)] },
		);
		const [items] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual([1, 0].map((n) => `/v1/messages?page=${n}`));
	});

	test('reports a gap if the list ends after a full first page, and does not look for it again', async () => {
		const { ids, gaps, poller } = await pollTwice({}, messages(9, 11));
		expect(ids).toEqual([9, 10, 11]);
		expect(gaps).toHaveLength(1);
		server.requests.length = 0;
		expect(await poller.poll()).toBeNull();
		expect(requestedPages()).toEqual([0]);
	});

	test('stops at a repeated page, and reports a gap', async () => {
		const { ids, gaps } = await pollTwice({}, messages(1, 11), () => 0);
		expect(ids).toEqual([9, 10, 11]);
		expect(requestedPages()).toEqual([0, 1, 2]);
		expect(gaps).toHaveLength(1);
	});

	test('stops after Page Limit, and reports a gap', async () => {
		const { ids, gaps } = await pollTwice({ maxPages: 2, firstPage: 0 }, messages(1, 20));
		expect(ids).toEqual([15, 16, 17, 18, 19, 20]);
		expect(gaps).toMatchObject([{ json: { messagesListed: 6 } }]);
	});

	test('emits a message once if it moves to the next page during the poll', async () => {
		const all = messages(1, 9);
		const poller = trigger(OPTIONS);
		serve(() => messages(1, 4));
		await poller.poll();
		let isFirst = true;
		server.onRequest(({ path }) => {
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

describe('the stored state', () => {
	test('has at most 5,000 short keys, and never drops a listed message', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 500));
		for (let from = 251; from <= 6001; from += 250) {
			const listed = messages(from, from + 499);
			expect(await idsOf(poller, listed)).toEqual(
				messages(from + 250, from + 499).map(({ id }) => id),
			);
			expect(known(poller).length).toBeLessThanOrEqual(5000);
			expect(await poll(poller, listed)).toBeNull();
		}
		expect(known(poller)).toHaveLength(5000);
		expect(JSON.stringify(poller.state).length).toBeLessThan(66_000);
	});

	test('keeps a message that stays listed, however many others come and go', async () => {
		const poller = trigger();
		const pinned = message('pinned');
		await poll(poller, [pinned]);
		for (let from = 1; from <= 6000; from += 499) {
			const listed = [pinned, ...messages(from, from + 498)];
			expect(await idsOf(poller, listed)).toHaveLength(499);
		}
		expect(known(poller)).toHaveLength(5000);
	});

	test('keeps messages that are no longer listed, however often the others are', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 100));
		for (let polls = 0; polls < 12; polls++) await poll(poller, messages(51, 150));
		expect(await idsOf(poller, [...messages(1, 100), message(151)])).toEqual([151]);
	});

	test('never drops what the longest list had', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 2000));
		await poll(poller, []);
		expect(await idsOf(poller, messages(1996, 2005))).toEqual([2001, 2002, 2003, 2004, 2005]);
		expect(await poll(poller, messages(1, 2005))).toBeNull();
	});

	test('contains neither the account nor the messages', async () => {
		const poller = trigger({ emitExisting: true });
		expect(await idsOf(poller, [message('the-id')])).toEqual(['the-id']);
		const stored = JSON.stringify(poller.state);
		for (const text of [CREDENTIAL.clientId, CREDENTIAL.token, server.url, 'the-id', 'text']) {
			expect(stored).not.toContain(text);
		}
	});

	test.each([
		['the client ID', () => ({ clientId: 'another' })],
		['the Base URL', (url: string) => ({ baseUrl: `${url}/another` })],
	])('is replaced for another account: %s', async (_what, change) => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		poller.credential = { ...poller.credential, ...change(server.url) };
		// n8n saves the new state with this execution, which has no items.
		expect(await poll(poller, messages(5, 7))).toEqual([]);
		expect(poller.warnings).toEqual([expect.stringContaining('another account')]);
		expect(await idsOf(poller, messages(5, 8))).toEqual([8]);
	});

	test('is kept for another token, and for the same address in another spelling', async () => {
		const poller = trigger();
		await poll(poller, [message(1)]);
		const baseUrl = `${server.url.replace('http', 'HTTP')}/v1/`;
		poller.credential = { ...poller.credential, baseUrl, token: 'another' };
		expect(await idsOf(poller, messages(1, 2))).toEqual([2]);
	});

	test.each([
		['not a list', { known: 'all' }],
		['without what is known', {}],
	])('is replaced with a warning if it cannot be read: %s', async (_what, stored) => {
		const poller = trigger();
		poller.state = { newMessage: { ...stored, nodeId: poller.node.id } } as IDataObject;
		expect(await poll(poller, messages(1, 2))).toEqual([]);
		expect(poller.warnings).toEqual([expect.stringContaining('cannot be read')]);
		expect(await idsOf(poller, messages(1, 3))).toEqual([3]);
	});

	test('does not cause messages to be emitted again if it cannot be read, even with Emit Existing Messages', async () => {
		const poller = trigger({ emitExisting: true });
		poller.state = { newMessage: { nodeId: poller.node.id } };
		expect(await poll(poller, messages(1, 2))).toEqual([]);
		expect(await idsOf(poller, messages(1, 3))).toEqual([3]);
	});

	test('is saved together with the emitted items, so a restart neither repeats nor loses any', async () => {
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

describe('an old message that moves into the list', () => {
	const at = (n: number) => ({ id: `m${n}`, sent_at: new Date((START + n) * 1000).toISOString() });
	const newestFirst = (...numbers: number[]) => numbers.toSorted((a, b) => b - a).map(at);
	const range = (from: number, to: number) =>
		Array.from({ length: to - from + 1 }, (_, i) => from + i);

	test.each([
		['after a chat was cleared', newestFirst(...range(1, 70), ...range(80, 90), 101)],
		['after the list became longer', newestFirst(...range(1, 101))],
		['even if a single known one is left', newestFirst(...range(1, 60), 90, 101)],
	])('starts nothing %s', async (_when, listed) => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, newestFirst(...range(71, 100)));
		expect(await idsOf(poller, listed)).toEqual(['m101']);
		expect(await poll(poller, listed)).toBeNull();
		expect(poller.warnings).toEqual([]);
	});

	test('starts nothing if none of the listed ones is known, but messages may be missing', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, newestFirst(...range(71, 100)));
		list = newestFirst(...range(41, 70));
		expect(await poller.poll()).toEqual([[], [expect.anything()]]);
		expect(await idsOf(poller, newestFirst(...range(72, 101)))).toEqual(['m101']);
	});

	test('is told from new ones below a pinned one by its time', async () => {
		const poller = trigger(GAP_OUTPUT);
		await poll(poller, [at(3), ...newestFirst(...range(71, 99))]);
		list = [at(3), ...newestFirst(...range(200, 228))];
		const [items, gaps] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual(range(200, 228).map((n) => `m${n}`));
		expect(gaps).toHaveLength(1);
	});

	test('starts nothing without times, once the order is certain; a possible gap is reported', async () => {
		const poller = trigger(GAP_OUTPUT);
		const listOf = (from: number, to: number) =>
			newestFirst(...range(from, to)).map(({ id }) => ({ id }));
		for (let n = 30; n <= 33; n++) await poll(poller, listOf(n - 9, n));
		expect(poller.warnings).toEqual([]);
		list = listOf(20, 32);
		expect(await poller.poll()).toEqual([[], [expect.anything()]]);
		expect(await idsOf(poller, listOf(20, 34))).toEqual(['m34']);
	});
});

describe('another query', () => {
	const query = (value: string) => ({
		queryParameters: { parameters: [{ name: 'chat', value }] },
	});

	test('starts over, with a warning, and what was known stays known', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 5));
		poller.parameters = { event: 'newMessage', options: query('7') };
		expect(await poll(poller, messages(3, 8))).toEqual([]);
		expect(poller.warnings).toEqual([
			expect.stringMatching(/'Query Parameters' have changed.*only remembers.*may have missed/),
		]);
		expect(await idsOf(poller, messages(3, 9))).toEqual([9]);
		poller.parameters = { event: 'newMessage', options: {} };
		expect(await poll(poller, messages(1, 9))).toEqual([]);
		expect(poller.warnings).toHaveLength(2);
	});

	test('emits messages that are not known with Emit Existing Messages', async () => {
		const poller = trigger({ emitExisting: true });
		await poll(poller, messages(1, 5));
		poller.parameters = { event: 'newMessage', options: { emitExisting: true, ...query('7') } };
		expect(await idsOf(poller, messages(3, 8))).toEqual([6, 7, 8]);
		expect(poller.warnings).toEqual([expect.stringContaining('it emits the messages')]);
	});
});

describe('the state belongs to the node', () => {
	test('whatever its name is', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 2));
		await poll(poller, messages(1, 3));
		poller.node.name = 'Another Name';
		expect(await idsOf(poller, messages(1, 4))).toEqual([4]);
		poller.node.name = 'Messaging Account Trigger';
		expect(await idsOf(poller, messages(1, 5))).toEqual([5]);
	});

	test('and not to a new one with its name', async () => {
		const poller = trigger();
		await poll(poller, messages(1, 2));
		poller.node.id = 'trigger-2';
		expect(await poll(poller, messages(101, 200))).toBeNull();
		expect(await idsOf(poller, messages(102, 201))).toEqual([201]);
		expect(poller.warnings).toEqual([]);
	});
});

describe('Only Messages Where', () => {
	const where = (...rows: IDataObject[]) => trigger({ onlyMessagesWhere: { rows } });
	const from = (id: number, isMine: unknown) => ({ id, sender: { isMine } });

	test.each([
		['equals', 'false', [2, 4]],
		['equals', '', [3]],
		['notEquals', 'true', [2, 3, 4]],
		['notEquals', '', [1, 2, 4]],
	])('compares a field as text: %s %j', async (operation, value, expected) => {
		const poller = where({ field: ' sender.isMine ', operation, value });
		await poll(poller, []);
		const listed = [from(1, true), from(2, false), { id: 3 }, from(4, 'false')];
		expect(await idsOf(poller, listed)).toEqual(expected);
	});

	test('equals nothing by default, which a field that is null is, too', async () => {
		const poller = where({ field: 'text' });
		await poll(poller, []);
		const listed = [{ id: 1, text: null }, { id: 2, text: '' }, { id: 3, text: ['a'] }, { id: 4 }];
		expect(await idsOf(poller, listed)).toEqual([1, 2, 4]);
	});

	test('compares a list or an object as JSON', async () => {
		const poller = where({ field: 'tags', value: '["a"]' });
		await poll(poller, []);
		const listed = [
			{ id: 1, tags: ['a'] },
			{ id: 2, tags: 'a' },
		];
		expect(await idsOf(poller, listed)).toEqual([1]);
	});

	test('needs all conditions, and starts nothing if no message meets them', async () => {
		const poller = where({ field: 'id', value: 2 }, { field: 'text', value: 'text 2' });
		await poll(poller, []);
		expect(await poll(poller, [message(1)])).toBeNull();
		expect(await idsOf(poller, [message(1), message(2)])).toEqual([2]);
	});

	test('begins anew when it changes: what it left out does not come out', async () => {
		const poller = where({ field: 'id', value: 2 });
		await poll(poller, []);
		await poll(poller, messages(1, 2));
		list = messages(1, 5);
		poller.parameters = { event: 'newMessage', options: { emitExisting: true } };
		expect(await poller.activate()).toEqual([[]]);
		expect(poller.warnings).toEqual([expect.stringContaining("'Only Messages Where' has changed")]);
		expect(await idsOf(poller, messages(1, 6))).toEqual([6]);
	});

	test('does not hide a possible gap', async () => {
		const onlyMessagesWhere = { rows: [{ field: 'id', value: 0 }] };
		const poller = trigger({ ...GAP_OUTPUT, onlyMessagesWhere });
		await poll(poller, messages(1, 5));
		list = messages(11, 15);
		expect(await poller.poll()).toEqual([[], [expect.anything()]]);
		poller.parameters = { event: 'newMessage', options: { onlyMessagesWhere } };
		list = messages(21, 25);
		expect(await poller.poll()).toBeNull();
		expect(poller.warnings).toHaveLength(2);
	});

	test.each([
		[{ field: ' ' }, 'has no field', 'Enter the name of a field'],
		[{ field: 7 }, 'has no field', 'Enter the name of a field'],
		[{ field: 'id', value: { a: 1 } }, 'has a value', 'Enter the text to compare with'],
		[{ field: '{{ $json.id }}' }, 'contains {{', 'Enter the name of a field'],
		[{ field: 'id', value: '{{ $json.id }}' }, 'contains {{', 'the text to compare with'],
		[{ field: 'id', operation: 'contains' }, 'has no operation', 'Choose Equals or Does Not Equal'],
	])('refuses %j, and requests nothing', async (row, problem, advice) => {
		await expect(where(row).poll()).rejects.toMatchObject({
			message: expect.stringContaining(`Condition 1 of 'Only Messages Where' ${problem}`) as string,
			description: expect.stringContaining(advice) as string,
		});
		expect(server.requests).toEqual([]);
	});
});

describe('an option that names a field which no listed message has', () => {
	const rows = (field: string, operation = 'equals') => ({
		onlyMessagesWhere: { rows: [{ field, operation, value: 'x' }] },
	});

	test.each([
		[
			'Only Messages Where',
			'directon',
			rows('directon'),
			/: No listed message has the field 'directon', which 'Only Messages Where' names\. Enter the name of a field/,
		],
		['Only Messages Where', 'sender.nme', rows('sender.nme'), /'sender\.nme'/],
		[
			'Only Messages Where',
			'Text',
			rows('Text', 'notEquals'),
			/Enter text: capitals and separators count\.$/,
		],
		['Only Messages Where', 'Name', rows('Name'), /Enter sender\.name: capitals/],
		['Only Messages Where', 'sender_Name', rows('sender_Name'), /Enter sender\.name: capitals/],
		[
			'Combine Messages By',
			'form',
			{ combineBy: 'form' },
			/'form', which 'Combine Messages By' names/,
		],
	])('logs this once: %s, %s', async (_option, _field, options, expected) => {
		const poller = trigger(options);
		await poll(poller, []);
		expect(poller.warnings).toEqual([]);
		const listed = messages(1, 3).map((one) => ({ ...one, sender: { name: 'Ann' } }));
		await poll(poller, listed);
		await poll(poller, listed);
		expect(poller.warnings).toEqual([expect.stringMatching(expected)]);
	});

	test.each([
		['nothing passes', rows('missing'), "'missing'"],
		['it surely means another one', rows('TEXT', 'notEquals'), "'TEXT'"],
	])('is an error in a test run if %s', async (_when, options, expected) => {
		list = messages(1, 3);
		await expect(trigger(options).test()).rejects.toThrow(expected);
	});

	test('may be one that messages leave out', async () => {
		list = messages(1, 3);
		expect((await trigger(rows('from_me', 'notEquals')).test())![0]).toHaveLength(1);
	});
});

describe('a test run in the editor', () => {
	test.each([
		['at the beginning', [3, 2, 1], [2, 1]],
		['at the end', [1, 2, 3], [1, 2]],
	])('shows the newest message, and changes nothing: %s', async (_where, now, before) => {
		const poller = trigger(GAP_OUTPUT);
		const listOf = (ids: number[]) => ids.map((id) => message(id));
		list = listOf(before.slice(0, 1));
		await poller.activate();
		await poll(poller, listOf(before));
		const { state } = poller;
		list = listOf(now);
		const [items, gaps] = (await poller.test())!;
		expect(items.map(({ json }) => json.id)).toEqual([3]);
		expect(gaps).toEqual([]);
		expect(poller.state).toEqual(state);
		expect(await idsOf(poller, list)).toEqual([3]);
	});

	test('shows the newest message that meets the conditions, or nothing', async () => {
		const rows = [{ field: 'text', value: 'text 2' }];
		list = messages(1, 3);
		const poller = trigger({ onlyMessagesWhere: { rows } });
		expect((await poller.test())![0].map(({ json }) => json.id)).toEqual([2]);
		list = messages(3, 4);
		expect(await poller.test()).toBeNull();
	});

	test('before the first poll remembers nothing', async () => {
		const poller = trigger();
		list = messages(1, 2);
		expect((await poller.test())![0]).toHaveLength(1);
		expect(poller.state).toEqual({});
	});

	test('reads one page', async () => {
		const poller = trigger({ pageParameter: 'page' });
		list = messages(1, 2);
		await poller.activate();
		server.requests.length = 0;
		list = messages(3, 4);
		expect((await poller.test())![0]).toHaveLength(1);
		expect(server.requests).toHaveLength(1);
	});

	test('of an empty account shows nothing', async () => {
		list = [];
		expect(await trigger().test()).toBeNull();
	});
});

test.each(['={{ null }}', '={{ undefined }}', ' '])(
	'a Message ID Field of %j counts as not set',
	async (messageIdField) => {
		const poller = trigger({ messageIdField });
		await poll(poller, messages(1, 2));
		expect(await idsOf(poller, messages(1, 3))).toEqual([3]);
	},
);

test.each([
	['Message ID Field', { messageIdField: 5 }, 'Enter the name of the field'],
	['Page Limit', { pageParameter: 'page', maxPages: 0 }, 'Enter a number'],
])(
	"an unusable '%s' is an error that names it, and nothing is requested",
	async (name, options, advice) => {
		await expect(trigger(options).poll()).rejects.toMatchObject({
			message: expect.stringContaining(`'${name}'`) as string,
			description: expect.stringContaining(advice) as string,
		});
		expect(server.requests).toEqual([]);
	},
);

describe('Combine Messages By', () => {
	const COMBINE = { combineBy: 'from', waitUntilQuiet: 0, waitAtMost: 86_400 };
	const from = (id: number, sender?: string) => ({ ...message(id), from: sender });
	const combined = (...listed: Array<ReturnType<typeof from>>) => ({
		by: listed[0].from,
		count: listed.length,
		messages: JSON.parse(JSON.stringify(listed)) as unknown,
	});
	const [a, b, c, single] = [from(2, '49'), from(3, '49'), from(4, '48'), message(5)];

	/** Polls twice: something is held. */
	async function hold(options: IDataObject = {}): Promise<Poller> {
		const poller = trigger({ ...COMBINE, ...options });
		await poll(poller, [message(1)]);
		expect(await poll(poller, [message(1), a])).toEqual([]);
		return poller;
	}

	test('holds messages until their sender is quiet, and then emits them as one item', async () => {
		const poller = await hold();
		expect(await poll(poller, [message(1), a, b])).toEqual([]);
		expect(await poll(poller, [message(1), a, b, c])).toEqual([combined(a, b)]);
		expect(await poll(poller, [message(1), a, b, c])).toEqual([combined(c)]);
		expect(await poll(poller, [message(1), a, b, c])).toBeNull();
	});

	test('starts an execution without items when it begins to hold, so n8n saves what is held', async () => {
		const poller = await hold();
		list = [];
		const outputs = await poller.activate();
		expect(outputs).toEqual([[{ json: combined(a) }]]);
	});

	test('starts none while it only waits', async () => {
		const poller = await hold({ waitUntilQuiet: 86_400 });
		expect(await poll(poller, [message(1), a])).toBeNull();
	});

	test('emits at once what has no sender', async () => {
		const poller = await hold();
		expect(await poll(poller, [message(1), a, b, single])).toEqual([single]);
	});

	test('emits at once what need not wait', async () => {
		const poller = trigger({ ...COMBINE, waitAtMost: 0 });
		await poll(poller, [message(1)]);
		expect(await poll(poller, [message(1), a, b])).toEqual([combined(a, b)]);
	});

	test.each<[string, (poller: Poller) => void, unknown[]]>([
		['the option is turned off', (poller) => (poller.parameters = trigger().parameters), [a]],
		['the account changes', ({ credential }) => (credential.clientId = 'another'), [combined(a)]],
	])('emits what is held if %s', async (_what, change, expected) => {
		const poller = await hold({ waitUntilQuiet: 86_400 });
		change(poller);
		expect(await poll(poller, [a, message(9)])).toEqual(expect.arrayContaining(expected));
		expect(JSON.stringify(poller.state)).not.toContain('text 2');
	});

	test('stores nothing more once all is out', async () => {
		const poller = await hold();
		expect(await poll(poller, [a])).toEqual([combined(a)]);
		expect((poller.state.newMessage as IDataObject).held).toBeUndefined();
	});

	test('in the editor, shows the newest message with the others of its sender, at once', async () => {
		const poller = trigger(COMBINE);
		list = [message(1), a, c, b];
		expect(await poller.test()).toEqual([[{ json: combined(a, b) }]]);
	});

	test('holds only what passes the filter', async () => {
		const rows = [{ field: 'from', operation: 'notEquals', value: '49' }];
		const poller = trigger({ ...COMBINE, onlyMessagesWhere: { rows } });
		await poll(poller, [message(1)]);
		expect(await poll(poller, [message(1), a, c])).toEqual([]);
		expect(await poll(poller, [message(1), a, c])).toEqual([combined(c)]);
	});
});
