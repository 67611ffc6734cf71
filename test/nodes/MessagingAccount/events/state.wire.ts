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
	test.each(['first', 'last'])(
		'a renamed trigger keeps its state although another one, published %s, has its old name',
		async (order) => {
			const workflow = new StoredWorkflow();
			const renamed = trigger({ polledBy }, workflow);
			await renamed.activate();
			receive('held by nobody');
			renamed.node.name = 'B';
			renamed.others = ['A'];
			const added = trigger({ id: 'n2', name: 'A', others: ['B'], polledBy }, workflow);
			const outputs: Outputs[] = [];
			const publish = [
				async () => outputs.push(await renamed.activate()),
				async () => expect(await added.activate()).toBeNull(),
			];
			for (const one of order === 'first' ? publish.reverse() : publish) await one();
			receive('x', 'y');
			outputs.push(await renamed.poll());
			expect(outputs.flatMap(idsOf)).toEqual(['held by nobody', 'x', 'y']);
			expect(idsOf(await added.poll())).toEqual(['x', 'y']);
		},
	);

	test('a first poll that follows an outage is kept', async () => {
		const poller = trigger({ polledBy });
		server.onRequest(() => ({ status: 500 }));
		expect(await poller.activate()).toBeNull();
		server.onRequest(() => ({ body: list }));
		expect(idsOf(await poller.poll())).toEqual([]);
		receive('while n8n was down');
		expect(idsOf(await poller.restart())).toEqual(['while n8n was down']);
		expect(await poller.poll()).toBeNull();
	});

	test('what was emitted or held since the publication is known after a restart', async () => {
		const options = { combineBy: 'from', waitUntilQuiet: 0, waitAtMost: 86_400 };
		for (const poller of [trigger({ polledBy }), trigger({ polledBy, options })]) {
			list = [];
			await poller.activate();
			const emitted = [];
			for (const id of ['x', 'y', 'z']) {
				receive(id);
				emitted.push(await poller.poll());
			}
			for (let i = 0; i < 2; i++) emitted.push(await poller.restart(), await poller.poll());
			expect(emitted.flatMap(idsOf)).toEqual(['x', 'y', 'z']);
			expect([poller.warnings, poller.alerts]).toEqual([[], []]);
		}
	});

	test('an alert comes once', async () => {
		const rows = [{ field: 'From', value: 'x' }];
		const poller = trigger({ polledBy, options: { onlyMessagesWhere: { rows } } });
		await poller.activate();
		for (let i = 0; i < 3; i++) {
			receive(`m${i}`);
			expect(idsOf(await poller.poll())).toEqual([]);
		}
		expect(poller.alerts).toEqual([
			expect.stringContaining("No listed message has the field 'From'") as string,
		]);
	});

	test('so does that of a possible gap of which no message passes', async () => {
		const rows = [{ field: 'from', value: 'x' }];
		const poller = trigger({ polledBy, options: { onlyMessagesWhere: { rows } } });
		await poller.activate();
		list = [];
		receive('a', 'b', 'c');
		for (let i = 0; i < 3; i++) expect(idsOf(await poller.poll())).toEqual([]);
		expect(poller.alerts).toEqual([
			expect.stringContaining('Messages may have been missed') as string,
		]);
	});

	test('a field that only other messages have is no alert', async () => {
		const rows = [{ field: 'from_me', operation: 'notEquals', value: 'true' }];
		const poller = trigger({ polledBy, options: { onlyMessagesWhere: { rows } } });
		await poller.activate();
		receive('x');
		expect(idsOf(await poller.poll())).toEqual(['x']);
		expect(poller.alerts).toEqual([]);
	});

	test('triggers that swap their names keep their states', async () => {
		const workflow = new StoredWorkflow();
		const a = trigger({ id: 'n1', name: 'A', others: ['B'], polledBy }, workflow);
		const b = trigger({ id: 'n2', name: 'B', others: ['A'], polledBy }, workflow);
		await a.activate();
		await b.activate();
		for (const round of ['1', '2']) {
			receive(`b only ${round}`);
			expect(idsOf(await b.poll())).toEqual([`b only ${round}`]);
			[a.node.name, b.node.name] = [b.node.name, a.node.name];
			[a.others, b.others] = [b.others, a.others];
			receive(`both ${round}`);
			expect(idsOf(await a.activate())).toEqual([`b only ${round}`, `both ${round}`]);
			expect(idsOf(await b.activate())).toEqual([`both ${round}`]);
		}
	});

	// With durable cursors, n8n keeps one state for both.
	(polledBy === 'durable scheduler' ? test.skip : test)(
		'two triggers with one ID keep a state each',
		async () => {
			const workflow = new StoredWorkflow();
			const a = trigger({ name: 'A', others: ['B'], polledBy }, workflow);
			const b = trigger({ name: 'B', others: ['A'], polledBy }, workflow);
			await a.activate();
			await b.activate();
			for (const id of ['1', '2', '3']) {
				receive(id);
				expect(idsOf(await a.poll())).toEqual([id]);
				expect(idsOf(await b.poll())).toEqual([id]);
			}
		},
	);

	test('held messages come out once, whatever another trigger or a Code node saves meanwhile', async () => {
		const options = { combineBy: 'from', waitUntilQuiet: 0, waitAtMost: 86_400 };
		const workflow = new StoredWorkflow();
		const a = trigger({ options, polledBy }, workflow);
		const b = trigger({ id: 'n2', name: 'B', options, polledBy }, workflow);
		await a.activate();
		await b.activate();
		receive('x', 'y', 'z');
		expect(await a.poll()).toEqual([[]]);
		expect(await b.poll()).toEqual([[]]);
		// A copy from before.
		if (polledBy === 'durable scheduler') workflow.staticData = '{}';
		expect(idsOf(await a.poll())).toEqual(['x', 'y', 'z']);
		expect(idsOf(await b.poll())).toEqual(['x', 'y', 'z']);
		expect(await a.poll()).toBeNull();
		expect(await b.restart()).toBeNull();
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

	testScheduled('polls that the scheduler makes at the same time emit once', async () => {
		for (const polledBy of SCHEDULED) {
			const poller = trigger({ polledBy });
			await poller.activate();
			receive(`x ${polledBy}`);
			const polls = Array.from({ length: 6 }, async () => await poller.poll());
			expect((await Promise.all(polls)).flatMap(idsOf)).toEqual([`x ${polledBy}`]);
			expect(await poller.poll()).toBeNull();
			expect(poller.warnings).toEqual([]);
		}
	});

	testScheduled('even if the service takes longer for one of them', async () => {
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

	testScheduled(
		'if triggers overwrite the state of each other, the log tells it, and durable cursors mend it',
		async () => {
			for (const polledBy of SCHEDULED) {
				const workflow = new StoredWorkflow();
				const a = trigger({ polledBy }, workflow);
				const b = trigger({ id: 'n2', name: 'B', polledBy }, workflow);
				await a.activate();
				await b.activate();
				receive(`x ${polledBy}`);
				const [ofA, ofB] = [await a.pollAndStoreLater(), await b.pollAndStoreLater()];
				ofA.store();
				ofB.store();
				const isDurable = polledBy === 'durable scheduler';
				expect(idsOf(await a.poll())).toEqual(isDurable ? [] : [`x ${polledBy}`]);
				const told = expect.stringContaining('overwrite each other') as string;
				expect(a.warnings).toEqual(isDurable ? [] : [told]);
				expect(await b.poll()).toBeNull();
				expect([await a.restart(), await b.restart()]).toEqual([null, null]);
			}
		},
	);

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

describe('what conditions have left out stays out,', () => {
	const where = (value: string) => ({
		onlyMessagesWhere: { rows: [{ field: 'from', value }] },
	});
	const set = (poller: Poller, value: string) =>
		(poller.parameters = { event: 'newMessage', options: where(value) } as INodeParameters);

	test.each(BY)(
		'polled by %s, if a variable in them changes and n8n restarts',
		async (polledBy) => {
			const poller = trigger({ options: where('nobody'), polledBy });
			await poller.activate();
			receive('left out', 'left out, too');
			expect(await poller.poll()).toBeNull();
			set(poller, '49');
			expect(idsOf(await poller.restart())).toEqual([]);
			receive('new');
			expect(idsOf(await poller.poll())).toEqual(['new']);
			expect(await poller.restart()).toBeNull();
		},
	);

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

	test('and an execution without items saves that, with an alert', async () => {
		const poller = trigger({ options: where('nobody') });
		await poller.activate();
		receive('left out');
		await poller.poll();
		set(poller, '49');
		expect(await poller.restart()).toEqual([[]]);
		expect(poller.alerts).toEqual([
			expect.stringContaining('may have been left out before it changed: 1.') as string,
		]);
	});

	test('but what they never saw is judged by those of now, even if these change at each poll', async () => {
		const poller = trigger({ options: where('nobody') });
		await poller.activate();
		for (const [n, value] of ['x', 'y', 'z'].entries()) {
			list.push({ id: `m${n}`, from: value });
			set(poller, value);
			expect(idsOf(await poller.poll())).toEqual([`m${n}`]);
		}
		expect(poller.warnings).toEqual([]);
	});

	test('and what meets both the old and the new ones comes out after a restart', async () => {
		const rows = [{ field: 'from', operation: 'notEquals', value: 'a' }];
		const poller = trigger({ options: { onlyMessagesWhere: { rows } } });
		await poller.activate();
		receive('while n8n was down');
		rows[0].value = 'b';
		poller.parameters = {
			event: 'newMessage',
			options: { onlyMessagesWhere: { rows } },
		} as INodeParameters;
		expect(idsOf(await poller.restart())).toEqual(['while n8n was down']);
	});
});
