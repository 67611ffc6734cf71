import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { cases } from '../../../support/cases';
import { CREDENTIAL } from '../../../support/engine';
import { Poller } from '../../../support/poller';
import { startScriptedServer, type ScriptedServer } from '../../../support/scriptedServer';

const HISTORIES = cases(2000);

/** A host: how it lists its messages. */
interface Host {
	pageSize: number;
	newestFirst: boolean;
	/** The list is in a field of an object. */
	isWrapped: boolean;
	/** Each message is listed twice. */
	isDoubled: boolean;
	/** What a message looks like; the status of it changes when it is edited. */
	record: keyof typeof RECORDS;
	/** Messages that are there at the beginning. */
	atFirst: number;
	/** Pages that the trigger reads at most; undefined where the host has one page. */
	maxPages?: number;
	/** The host gives the first page, whatever page is asked for. */
	ignoresPages: boolean;
}

const RECORDS = {
	'an id that is a number': (n: number, status: number) => ({ id: n, status }),
	'a text as id, and a time': (n: number, status: number) => ({
		id: `m${n * 7919}`,
		sent_at: new Date(n * 1000).toISOString(),
		status,
	}),
	'a text as id, and no time': (n: number, status: number) => ({ id: `${n % 7}-${n}`, status }),
	'a wrapped message': (n: number, status: number) => ({
		message: { id: `x${n}`, text: 'hello' },
		external_id: null,
		read_date: status === 0 ? null : new Date(status * 1000).toISOString(),
	}),
	'an id in some messages only': (n: number, status: number) =>
		n % 3 === 0 ? { notice: `n${n}` } : { id: `m${n}`, status },
};

const RISE_WITH_TIME = ['an id that is a number', 'a text as id, and a time'];

type Step =
	| { arrive: number }
	| { edit: number }
	| 'poll'
	| 'failing poll'
	| 'poll whose further pages fail'
	| 'restart'
	| 'test run';

const hosts = fc.record({
	pageSize: fc.constantFrom(2, 3, 5, 100),
	newestFirst: fc.boolean(),
	isWrapped: fc.boolean(),
	isDoubled: fc.boolean(),
	record: fc.constantFrom(...(Object.keys(RECORDS) as Array<keyof typeof RECORDS>)),
	atFirst: fc.nat({ max: 7 }),
	maxPages: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
	ignoresPages: fc.boolean(),
});

const steps = fc.array(
	fc.oneof(
		{ weight: 4, arbitrary: fc.record({ arrive: fc.integer({ min: 1, max: 8 }) }) },
		{ weight: 1, arbitrary: fc.record({ arrive: fc.integer({ min: 95, max: 120 }) }) },
		{ weight: 2, arbitrary: fc.record({ edit: fc.nat({ max: 20 }) }) },
		{ weight: 6, arbitrary: fc.constant<Step>('poll') },
		{ weight: 1, arbitrary: fc.constant<Step>('failing poll') },
		{ weight: 1, arbitrary: fc.constant<Step>('poll whose further pages fail') },
		{ weight: 1, arbitrary: fc.constant<Step>('restart') },
		{ weight: 1, arbitrary: fc.constant<Step>('test run') },
	) as fc.Arbitrary<Step>,
	{ minLength: 1, maxLength: 14 },
);

let server: ScriptedServer;

beforeAll(async () => {
	jest.spyOn(Math, 'random').mockReturnValue(0);
	server = await startScriptedServer();
});

afterAll(async () => {
	jest.restoreAllMocks();
	await server.close();
});

/** Plays one history, and checks each poll against what the host has listed to it. */
async function play(host: Host, history: Step[]): Promise<void> {
	const statuses = Array.from({ length: host.atFirst }, () => 0);
	/** What the last poll was given, page by page: the numbers of messages. */
	let listed: number[][] = [];
	/** Which requests of a poll are refused. */
	let isRefused: (page: number) => boolean = () => false;

	server.requests.length = 0;
	server.answerEach(({ path }) => {
		const asked = Number(new URLSearchParams(path.split('?')[1]).get('page') ?? 0);
		if (isRefused(asked)) return { status: 500 };
		const page = host.ignoresPages ? 0 : asked;
		const newestFirst = statuses.map((_, n) => n).reverse();
		const numbers = newestFirst.slice(page * host.pageSize, (page + 1) * host.pageSize);
		listed.push(numbers);
		const inOrder = host.newestFirst ? numbers : [...numbers].reverse();
		const records = inOrder.map((n) => RECORDS[host.record](n, statuses[n]));
		const list = host.isDoubled ? [...records, ...records] : records;
		return { body: host.isWrapped ? { data: list } : list };
	});

	const paging = host.maxPages ? { pageParameter: 'page', maxPages: host.maxPages } : {};
	const parameters = { event: 'newMessage', options: { gapOutput: true, ...paging } };
	const poller = new Poller(parameters as INodeParameters, { baseUrl: server.url, ...CREDENTIAL });
	const numberOf = ({ json }: INodeExecutionData) =>
		statuses.findIndex((status, n) => {
			const { id, message, notice } = RECORDS[host.record](n, status) as IDataObject;
			const isOf = (one: unknown, other: unknown) =>
				one !== undefined && JSON.stringify(one) === JSON.stringify(other);
			return isOf(id, json.id) || isOf(message, json.message) || isOf(notice, json.notice);
		});

	/** Those that were there at the first poll, and those that came out. */
	const accountedFor = new Set<number>();
	let isFirst = true;
	/** Whether the order can be known: by what is in the messages, or once known and new ones were on one page. */
	let orderWasShown = RISE_WITH_TIME.includes(host.record);

	const checked = (outputs: INodeExecutionData[][] | null) => {
		const onPages = listed.flat();
		const [items, gaps] = outputs ?? [[], []];
		const emitted = items.map(numberOf);
		if (isFirst) {
			expect(outputs).toBeNull();
			for (const n of statuses.keys()) accountedFor.add(n);
			isFirst = false;
			return;
		}
		const fresh = [...new Set(onPages)].filter((n) => !accountedFor.has(n)).sort((a, b) => a - b);
		orderWasShown ||= listed.some(
			(page) => page.some((n) => accountedFor.has(n)) && page.some((n) => !accountedFor.has(n)),
		);
		if (orderWasShown) expect(emitted).toEqual(fresh);
		else expect([...emitted].sort((a, b) => a - b)).toEqual(fresh);

		const hasMissed = Array.from({ length: Math.max(-1, ...onPages) + 1 }, (_, n) => n).some(
			(n) => !accountedFor.has(n) && !onPages.includes(n),
		);
		if (hasMissed) expect(gaps).toHaveLength(1);
		if (onPages.some((n) => accountedFor.has(n))) expect(gaps).toEqual([]);
		for (const n of onPages) accountedFor.add(n);
		// What was missed and told of is not missed again.
		for (let n = 0; n < Math.max(0, ...onPages); n++) accountedFor.add(n);
	};

	checked(await poller.activate());
	for (const step of history) {
		listed = [];
		isRefused = () => false;
		if (typeof step === 'object') {
			if ('arrive' in step) for (let i = 0; i < step.arrive; i++) statuses.push(0);
			else if (step.edit < statuses.length) statuses[statuses.length - 1 - step.edit]++;
		} else if (step === 'poll') {
			checked(await poller.poll());
		} else if (step === 'restart') {
			checked(await poller.activate());
		} else if (step === 'test run') {
			const { state } = poller;
			await poller.test();
			expect(poller.state).toEqual(state);
		} else {
			isRefused = (page) => step === 'failing poll' || page > 0;
			const { state } = poller;
			const outputs = await poller.poll().catch(() => 'failed' as const);
			if (outputs === 'failed') expect(poller.state).toEqual(state);
			else checked(outputs);
		}
	}
}

test(`in ${HISTORIES} histories each message comes out exactly once, in order, and each gap is told`, async () => {
	await fc.assert(
		fc.asyncProperty(hosts, steps, async (host, history) => {
			// An account that is empty at first shows nothing of how long a full page is.
			const pageSize = host.atFirst === 0 ? 100 : host.pageSize;
			await play({ ...host, pageSize }, history);
		}),
		{ numRuns: HISTORIES },
	);
});
