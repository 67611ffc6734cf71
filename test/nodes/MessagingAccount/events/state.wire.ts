import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { passTime, POLLED_BY, Poller, StoredWorkflow } from '../../../support/poller';
import { useScriptedServer } from '../../../support/scriptedServer';
import { waitUntil } from '../../../support/waitUntil';

const server = useScriptedServer();

/** What the service lists, the newest last. */
let list: object[];

const BASE = 1_700_000_000;
const receive = (...ids: string[]) => {
	for (const id of ids) list.push({ id, from: '49', date: BASE + list.length * 60 });
};

beforeEach(() => {
	list = [];
	receive('old');
	server.onRequest(() => ({ body: list }));
});

const trigger = (polledBy = POLLED_BY[0], options: IDataObject = {}, workflow?: StoredWorkflow) =>
	Object.assign(new Poller(server, options, 'newMessage', workflow), { polledBy });

const idsOf = (outputs: INodeExecutionData[][] | null) =>
	(outputs ?? []).flat().map(({ json }) => json.id);

const SCHEDULED = POLLED_BY.slice(1);
const testScheduled = SCHEDULED.length > 0 ? test : test.skip;

describe.each(POLLED_BY)('polled by %s,', (polledBy) => {
	test.each([
		['a field that no message has', { field: 'From', value: 'x' }, "has the field 'From'"],
		['a possible gap of which no message passes', { field: 'from', value: 'x' }, 'been missed'],
	])('an alert comes once: %s', async (_what, condition, alert) => {
		const poller = trigger(polledBy, { onlyMessagesWhere: { rows: [condition] } });
		await poller.activate();
		list = [];
		receive('a', 'b', 'c');
		for (let i = 0; i < 3; i++) expect(idsOf(await poller.poll())).toEqual([]);
		expect(poller.alerts.filter((text) => text.includes(alert))).toHaveLength(1);
	});
});

describe('what n8n has stored is the only truth:', () => {
	testScheduled('what the scheduler drops comes out again, and the log tells it', async () => {
		for (const polledBy of SCHEDULED) {
			const poller = trigger(polledBy);
			await poller.activate();
			const added = ['x', 'y', 'z'].map((id) => `${id} ${polledBy}`);
			receive(...added);
			await poller.pollInVain();
			expect(poller.warnings).toEqual([]);
			expect(idsOf(await poller.poll())).toEqual(added);
			expect(poller.warnings).toEqual([
				expect.stringContaining(': n8n has not kept what the trigger stored at 2') as string,
			]);
			expect(await poller.poll()).toBeNull();
			expect(poller.warnings).toHaveLength(1);
		}
	});

	testScheduled('polls at the same time emit once, even if one takes longer', async () => {
		for (const polledBy of SCHEDULED) {
			const poller = trigger(polledBy);
			await poller.activate();
			receive(`x ${polledBy}`);
			const body = [...list];
			let answer = () => {};
			const answered = new Promise<void>((resolve) => (answer = resolve));
			let requests = 0;
			server.onRequest(() =>
				requests++ > 0
					? { body }
					: (response) => void answered.then(() => response.end(JSON.stringify(body))),
			);
			const slow = poller.poll();
			await waitUntil('the request', () => requests === 1);
			expect(idsOf(await poller.poll())).toEqual([`x ${polledBy}`]);
			passTime(3000);
			answer();
			expect(await slow).toBeNull();
			expect(await poller.poll()).toBeNull();
			expect(poller.warnings).toEqual([]);
		}
	});

	test('of two live registrations of a trigger, e.g. after an import, only the later one polls', async () => {
		const workflow = new StoredWorkflow();
		const former = trigger('n8n', {}, workflow);
		await former.activate();
		// Of its own, but for the ID.
		const later = trigger('n8n', {}, Object.assign(new StoredWorkflow(), { ...workflow }));
		await later.activate();
		receive('x');
		const outputs = [await former.poll(), await later.poll(), await former.poll()];
		expect(outputs.flatMap(idsOf)).toEqual(['x']);
		expect(former.warnings).toEqual([]);
	});
});

const where = (value: string) => ({ onlyMessagesWhere: { rows: [{ field: 'from', value }] } });
const set = (poller: Poller, value: string) => (poller.options = where(value));

test.each(POLLED_BY)('what conditions left out is saved, with an alert: %s', async (polledBy) => {
	const poller = trigger(polledBy, where('nobody'));
	await poller.activate();
	receive('left out');
	expect(await poller.poll()).toBeNull();
	set(poller, '49');
	// A durable cursor has it already.
	const isSaved = polledBy === 'durable scheduler';
	expect(await poller.restart()).toEqual(isSaved ? null : [[]]);
	const told = expect.stringContaining('may have been left out before it changed: 1.') as string;
	expect(poller.alerts).toEqual(isSaved ? [] : [told]);
});

describe('what conditions have left out stays out,', () => {
	test.each(POLLED_BY)(
		'polled by %s, even if they change twice while n8n saves nothing',
		async (polledBy) => {
			const poller = trigger(polledBy, where('a'));
			await poller.activate();
			for (const value of ['b', 'c']) {
				set(poller, value);
				list.push({ id: `left out by ${value}`, from: 'd' });
				expect(idsOf(await poller.poll())).toEqual([]);
			}
			set(poller, 'd');
			expect(idsOf(await poller.restart())).toEqual([]);
			expect(idsOf(await poller.poll())).toEqual([]);
		},
	);

	test('and one execution without items saves what only the conditions of now leave out', async () => {
		const poller = trigger('n8n', where('a'));
		await poller.activate();
		set(poller, 'b');
		for (const outputs of [null, [[]], null]) {
			expect(await poller.poll()).toEqual(outputs);
			list.push({ id: `m${list.length}`, from: 'a' });
		}
		set(poller, 'a');
		expect(idsOf(await poller.poll())).toEqual(['m3']);
	});

	test.each(POLLED_BY)('polled by %s, even if it meets them later', async (polledBy) => {
		const rows = [{ field: 'status', value: 'read' }];
		const poller = trigger(polledBy, { onlyMessagesWhere: { rows } });
		await poller.activate();
		list.push({ id: 'left out', status: 'sent' });
		expect(idsOf(await poller.poll())).toEqual([]);
		list.splice(1, 1, { id: 'left out', status: 'read' }, { id: 'x', status: 'read' });
		expect(idsOf(await poller.restart())).toEqual(['x']);
		expect(await poller.poll()).toBeNull();
	});

	test.each(POLLED_BY)('polled by %s, if a restart falls into an outage', async (polledBy) => {
		const poller = trigger(polledBy, where('nobody'));
		await poller.activate();
		receive('left out');
		expect(await poller.poll()).toBeNull();
		server.onRequest(() => ({ status: 500 }));
		expect(await poller.restart()).toBeNull();
		server.onRequest(() => ({ body: list }));
		set(poller, '49');
		expect(idsOf(await poller.poll())).toEqual([]);
	});
});

test('what conditions never saw is judged by those of now, even if these change at each poll', async () => {
	const poller = trigger('n8n', where('nobody'));
	await poller.activate();
	for (const [n, value] of ['x', 'y', 'z'].entries()) {
		list.push({ id: `m${n}`, from: value });
		set(poller, value);
		expect(idsOf(await poller.poll())).toEqual([`m${n}`]);
	}
});
