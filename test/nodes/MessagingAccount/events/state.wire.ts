import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL } from '../../../support/engine';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { useNoJitter } from '../../../support/noJitter';
import { passTime, Poller, StoredWorkflow, type PolledBy } from '../../../support/poller';
import { useScriptedServer } from '../../../support/scriptedServer';
import { waitUntil } from '../../../support/waitUntil';

useNoJitter();
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

interface Settings {
	id?: string;
	name?: string;
	others?: string[];
	options?: IDataObject;
	polledBy?: PolledBy;
}

function trigger(
	{ id = 'n1', name = 'A', others = [], options = {}, polledBy = 'n8n' }: Settings = {},
	workflow?: StoredWorkflow,
): Poller {
	const parameters = { event: 'newMessage', options } as INodeParameters;
	const poller = new Poller(parameters, { baseUrl: server.url, ...CREDENTIAL }, workflow);
	Object.assign(poller, { others, polledBy });
	poller.node = { id, name };
	return poller;
}

type Outputs = Awaited<ReturnType<Poller['poll']>>;
const idsOf = (outputs: Outputs) =>
	(outputs ?? []).flat().flatMap(({ json }) => {
		const messages = (json.messages as IDataObject[] | undefined) ?? [json];
		return messages.map(({ id }) => id);
	});

/** Scheduled polls are only told apart by their budget. */
const BY: PolledBy[] = N8N_FEATURES.pollBudget
	? ['n8n', 'scheduler', 'durable scheduler']
	: ['n8n'];
const SCHEDULED = BY.slice(1);
const testScheduled = SCHEDULED.length > 0 ? test : test.skip;

describe.each(BY)('polled by %s,', (polledBy) => {
	test.each([
		['a field that no message has', { field: 'From', value: 'x' }, "has the field 'From'"],
		['a possible gap of which no message passes', { field: 'from', value: 'x' }, 'been missed'],
	])('an alert comes once: %s', async (_what, condition, alert) => {
		const poller = trigger({ polledBy, options: { onlyMessagesWhere: { rows: [condition] } } });
		await poller.activate();
		list = [];
		receive('a', 'b', 'c');
		for (let i = 0; i < 3; i++) expect(idsOf(await poller.poll())).toEqual([]);
		expect(poller.alerts.filter((text) => text.includes(alert))).toHaveLength(1);
	});
});

describe('what n8n has stored is the only truth:', () => {
	(SCHEDULED.length > 0 ? test.each(SCHEDULED) : test.skip.each(['none']))(
		'what %s drops comes out again, and the log tells it',
		async (polledBy) => {
			const poller = trigger({ polledBy: polledBy as PolledBy });
			await poller.activate();
			receive('x', 'y', 'z');
			await poller.pollInVain();
			expect(poller.warnings).toEqual([]);
			expect(idsOf(await poller.poll())).toEqual(['x', 'y', 'z']);
			expect(poller.warnings).toEqual([
				expect.stringContaining(': n8n has not kept what the trigger stored at 2') as string,
			]);
			expect(await poller.poll()).toBeNull();
			expect(poller.warnings).toHaveLength(1);
		},
	);

	testScheduled('polls at the same time emit once, even if one takes longer', async () => {
		for (const polledBy of SCHEDULED) {
			const poller = trigger({ polledBy });
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
		const former = trigger({}, workflow);
		await former.activate();
		// Of its own, but for the ID.
		const later = trigger({}, Object.assign(new StoredWorkflow(), { ...workflow }));
		await later.activate();
		receive('x');
		const outputs = [await former.poll(), await later.poll(), await former.poll()];
		expect(outputs.flatMap(idsOf)).toEqual(['x']);
		expect(former.warnings).toEqual([]);
	});
});

const where = (value: string) => ({ onlyMessagesWhere: { rows: [{ field: 'from', value }] } });
const set = (poller: Poller, value: string) =>
	(poller.parameters = { event: 'newMessage', options: where(value) } as INodeParameters);

test.each(BY)('what conditions left out is saved, with an alert: %s', async (polledBy) => {
	const poller = trigger({ options: where('nobody'), polledBy });
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
	test.each(BY)(
		'polled by %s, even if they change twice while n8n saves nothing else',
		async (polledBy) => {
			const poller = trigger({ options: where('a'), polledBy });
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
		const poller = trigger({ options: where('a') });
		await poller.activate();
		set(poller, 'b');
		for (const outputs of [null, [[]], null]) {
			expect(await poller.poll()).toEqual(outputs);
			list.push({ id: `m${list.length}`, from: 'a' });
		}
		set(poller, 'a');
		expect(idsOf(await poller.poll())).toEqual(['m3']);
	});

	test.each(BY)('polled by %s, even if it meets them later', async (polledBy) => {
		const rows = [{ field: 'status', value: 'read' }];
		const poller = trigger({ options: { onlyMessagesWhere: { rows } }, polledBy });
		await poller.activate();
		list.push({ id: 'left out', status: 'sent' });
		expect(idsOf(await poller.poll())).toEqual([]);
		list.splice(1, 1, { id: 'left out', status: 'read' }, { id: 'x', status: 'read' });
		expect(idsOf(await poller.restart())).toEqual(['x']);
		expect(await poller.poll()).toBeNull();
	});

	test.each(BY)('polled by %s, if a restart falls into an outage', async (polledBy) => {
		const poller = trigger({ options: where('nobody'), polledBy });
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
	const poller = trigger({ options: where('nobody') });
	await poller.activate();
	for (const [n, value] of ['x', 'y', 'z'].entries()) {
		list.push({ id: `m${n}`, from: value });
		set(poller, value);
		expect(idsOf(await poller.poll())).toEqual([`m${n}`]);
	}
});
