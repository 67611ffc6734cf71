import type { Arbitrary } from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { caseCount, NIGHT_TIMEOUT_MS } from '../../../support/testSize';
import fc from '../../../support/fastCheck';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { POLLED_BY, Poller, type StoredWorkflow } from '../../../support/poller';
import { useScriptedServer } from '../../../support/scriptedServer';
import {
	CHANGE,
	FORMATS,
	MAY_HIDE_ORDER,
	ODD,
	REVEAL_ORDER,
	services,
	type SimulatedService,
} from './listingServices';

const HISTORY_COUNT = caseCount(4000, 0.03);

jest.setTimeout(NIGHT_TIMEOUT_MS);

const COMBINE = { combineBy: 'from', waitUntilQuiet: 0, waitAtMost: 86_400 };

const SENDERS = ['a', 'b', 'c'];

/** Some have none. */
const senderOf = (n: number): string | undefined => SENDERS[n % (SENDERS.length + 1)];

const RARE_STEPS = [
	'failed poll',
	'poll whose result is dropped',
	'renamed',
	'names swapped',
	'another trigger polls',
	'variable changes',
	'poll with failed further pages',
	'restart',
	'published, and the result of a poll dropped',
	'published before a poll ends',
	'undone by another trigger',
	'durable cursors turned on',
	'restart during an outage',
	'test run',
] as const;

type Step = { arrive: number } | { edit: number } | 'poll' | (typeof RARE_STEPS)[number];

const steps = fc.array(
	fc.oneof(
		{ weight: 4, arbitrary: fc.record({ arrive: fc.integer({ min: 1, max: 8 }) }) },
		{ weight: 1, arbitrary: fc.record({ arrive: fc.integer({ min: 95, max: 120 }) }) },
		{ weight: 2, arbitrary: fc.record({ edit: fc.nat({ max: 20 }) }) },
		{ weight: 6, arbitrary: fc.constant('poll') },
		{ weight: RARE_STEPS.length, arbitrary: fc.constantFrom(...RARE_STEPS) },
	) as Arbitrary<Step>,
	{ minLength: 1, maxLength: 14 },
);

const PLAIN: SimulatedService = {
	pageSize: 2,
	newestFirst: false,
	isWrapped: false,
	isDoubled: false,
	format: 'a numeric id',
	isDownAtFirst: false,
	initialCount: 1,
	maxPages: 3,
	ignoresPages: false,
	combines: false,
	polledBy: 'n8n',
	filters: false,
	changing: 'chat_status',
};

/** Histories that once failed, and that few runs would find again. */
const FOUND_BEFORE: Array<[SimulatedService, Step[]]> = [
	// A message that filled a gap became the newest one known, instead of the last one before the restart.
	[PLAIN, [{ arrive: 3 }, 'poll with failed further pages', 'poll', { arrive: 5 }, 'poll']],
	// The oldest message of a poll that could not read on counted as the oldest of the first one.
	[{ ...PLAIN, maxPages: 2 }, [{ arrive: 95 }, 'poll with failed further pages', 'poll']],
	// n8n dropped the cursor of the publication that left a message out, so the poll after it judged that message again.
	[
		{ ...PLAIN, initialCount: 0, pageSize: 100, polledBy: 'durable scheduler', filters: true },
		['poll', { arrive: 1 }, 'renamed', 'variable changes', 'poll'],
	],
	// Once a poll was told as lost, nobody told that n8n lost the one before it, too.
	[
		{ ...PLAIN, initialCount: 0, pageSize: 100, combines: true, polledBy: 'scheduler' },
		[
			{ arrive: 1 },
			'poll',
			'poll whose result is dropped',
			'failed poll',
			'undone by another trigger',
		],
	],
	// A clock that was set back just before the first poll looked like an old message that is pinned: what came then was left out.
	[
		{ ...PLAIN, format: 'a time of a clock that is set back', initialCount: 10, pageSize: 100 },
		[{ arrive: 1 }, 'poll'],
	],
	// Eight messages in order proved the times, so that all that came after the clock was set back was left out.
	[
		{
			...PLAIN,
			format: 'a time of a clock that is set back',
			isDownAtFirst: true,
			initialCount: 7,
			pageSize: 100,
		},
		[{ arrive: 1 }, 'restart', { arrive: 2 }, 'poll'],
	],
];

const server = useScriptedServer();

/** Plays one history, and checks each poll against the messages that the service listed for it. */
async function play(service: SimulatedService, history: Step[]): Promise<void> {
	const statuses = Array.from({ length: service.initialCount }, () => 0);
	/** Pages listed for the last poll, as message numbers. */
	let listed: number[][] = [];
	/** Receives what answers the next request, instead of the request. */
	let hold: ((respond: () => void) => void) | undefined;
	/** Which page requests fail. */
	let fails: (page: number) => boolean = () => false;

	server.requests.length = 0;
	server.onRequest(({ path }) => {
		const requested = Number(new URLSearchParams(path.split('?')[1]).get('page') ?? 0);
		if (fails(requested)) return { status: 500 };
		const page = service.ignoresPages ? 0 : requested;
		const newestFirst = statuses.map((_, n) => n).reverse();
		const numbers = newestFirst.slice(page * service.pageSize, (page + 1) * service.pageSize);
		listed.push(numbers);
		const inOrder = service.newestFirst ? numbers : [...numbers].reverse();
		const messages = inOrder.map((n) => {
			const message = FORMATS[service.format](n, statuses[n]);
			// Without an ID, a changed message is another one.
			const changing = 'notice' in message ? {} : { [service.changing]: server.requests.length };
			return { ...changing, ...message, from: senderOf(n) };
		});
		const list = service.isDoubled ? [...messages, ...messages] : messages;
		const body = service.isWrapped ? { data: list } : list;
		if (!hold) return { body };
		const holds = hold;
		hold = undefined;
		return (response) => holds(() => response.end(JSON.stringify(body)));
	});

	const paging = service.maxPages ? { pageParameter: 'page', maxPages: service.maxPages } : {};
	const options = { gapOutput: true, ...paging, ...(service.combines && COMBINE) };
	const createPoller = (id: string, other: string, more: IDataObject, shared?: StoredWorkflow) => {
		const node = { id, name: id };
		const created = new Poller(server, { ...options, ...more }, 'newMessage', shared);
		return Object.assign(created, { node, others: [other], polledBy: service.polledBy });
	};
	const poller = createPoller('main', 'other', {});
	const another = createPoller('other', 'main', { combineBy: '' }, poller.workflow);
	let { polledBy } = service;
	const isScheduled = () => polledBy !== 'n8n';
	/** The sender whose messages are left out. */
	let variable: string | undefined;
	const setVariable = (value: string) => {
		variable = value;
		const rows = [{ field: 'from', operation: 'notEquals', value }];
		poller.options = { ...options, onlyMessagesWhere: { rows } };
	};
	if (service.filters) setVariable(SENDERS[0]);
	const numberOf = (json: IDataObject) =>
		statuses.findIndex((status, n) => {
			const { id, message, notice } = FORMATS[service.format](n, status) as IDataObject;
			const isEqual = (one: unknown, other: unknown) =>
				one !== undefined && JSON.stringify(one) === JSON.stringify(other);
			return isEqual(id, json.id) || isEqual(message, json.message) || isEqual(notice, json.notice);
		});

	/** What the trigger knows, as n8n stores it with each poll. */
	let model = {
		/** By sender, in the order in which they were found. */
		held: new Map<string, number[]>(),
		/** Messages of the first poll, and all emitted since. */
		seen: new Set<number>(),
		/** Those of before the first poll that it did not list, if nothing may tell an order: each of them may count as new, once. */
		before: new Set<number>(),
		/** All reported as missed. */
		told: new Set<number>(),
		isFirst: true,
		/** Whether the order can be known: from the messages, or once a page contained known and new ones. */
		isOrderKnown: REVEAL_ORDER.includes(service.format),
		/** Two messages of the first list, by their times or IDs: so the order of the next new ones may be the wrong one. */
		seemsTurned: false,
		/** The sender whose messages conditions left out. */
		variable,
	};
	/** What n8n has stored of it, and had stored before that. */
	let stored = structuredClone(model);
	let storedBefore = stored;
	/** Whether the trigger's state is certainly that of its last poll. */
	let isCertain = false;
	/** What conditions have left out. */
	const leftOut = new Set<number>();
	/** Returns what comes out of new messages, in the order of the items. */
	const combine = (found: number[], { held }: typeof model): number[] => {
		const senders = new Set(found.map(senderOf));
		for (const n of found) {
			const sender = senderOf(n);
			if (sender !== undefined) held.set(sender, [...(held.get(sender) ?? []), n]);
		}
		const quiet = [...held].filter(([sender]) => !senders.has(sender));
		for (const [sender] of quiet) held.delete(sender);
		const single = found.filter((n) => senderOf(n) === undefined);
		return [...quiet.flatMap(([, messages]) => messages), ...single];
	};

	/** Two messages around the change are in the wrong order by their times, and so perhaps the next list. */
	const isMisled = service.format === 'a time of a clock that is set back';
	const countsAnew = service.format === 'an id that counts and starts anew';

	const check = (outputs: INodeExecutionData[][] | null, isPublication = false) => {
		const isDurable = polledBy === 'durable scheduler';
		if (isPublication || polledBy === 'scheduler') returnToStored();
		checkAgainst(model, outputs, isCertain);
		isCertain = isDurable ? outputs !== null || !isPublication : !isScheduled();
		if (!isPublication && outputs === null && !isDurable) return;
		model.variable = variable;
		storedBefore = stored;
		stored = structuredClone(model);
	};
	const returnToStored = () => {
		model = structuredClone(stored);
		if (polledBy !== 'durable scheduler') isCertain = false;
	};
	const checkAgainst = (
		state: typeof model,
		outputs: INodeExecutionData[][] | null,
		isStateOfLastPoll: boolean,
	) => {
		const { seen, before, told } = state;
		const allListed = listed.flat();
		const [items, gaps] = outputs ?? [[], []];
		const all = items.flatMap(({ json }) => {
			const messages = (json.messages as IDataObject[] | undefined) ?? [json];
			if (json.messages)
				expect(json).toEqual({ by: messages[0].from, count: messages.length, messages });
			return messages.map(numberOf);
		});
		const emitted = all.filter((n) => !before.delete(n));
		if (state.isFirst) {
			expect((outputs ?? []).flat()).toEqual([]);
			for (const n of statuses.keys()) seen.add(n);
			const unlisted = [...seen].filter((n) => !allListed.includes(n));
			const hasChange = allListed.includes(CHANGE - 1) && allListed.includes(CHANGE);
			state.seemsTurned = hasChange && (isMisled || countsAnew);
			if (state.seemsTurned || MAY_HIDE_ORDER.includes(service.format))
				for (const n of unlisted) before.add(n);
			state.isFirst = false;
			return;
		}
		const found = [...new Set(allListed)].filter((n) => !seen.has(n)).sort((a, b) => a - b);
		const isKnownListed = allListed.some((n) => seen.has(n));
		// Without a known message, what seems older is left out, and a gap told.
		const isGapTold = ODD.includes(service.format) && !isKnownListed && gaps.length === 1;
		// By its time, one that was told as missed may be older than all that the trigger knows.
		const mayStayOut = (n: number) => isGapTold || (isMisled && told.has(n));
		const certain = found.filter((n) => emitted.includes(n) || !mayStayOut(n));
		const isLeftOut = (n: number) =>
			service.filters &&
			(senderOf(n) === variable || (!isStateOfLastPoll && senderOf(n) === state.variable));
		expect(emitted.filter((n) => leftOut.has(n))).toEqual([]);
		for (const n of certain.filter(isLeftOut)) leftOut.add(n);
		const passing = certain.filter((n) => !isLeftOut(n));
		const expected = service.combines ? combine(passing, state) : passing;
		state.isOrderKnown ||= listed.some(
			(page) => page.some((n) => seen.has(n)) && page.some((n) => !seen.has(n)),
		);
		// What is held keeps the order in which it was found, perhaps when that was not known yet.
		const isSorted = service.combines
			? REVEAL_ORDER.includes(service.format)
			: state.isOrderKnown && !isMisled && !state.seemsTurned;
		if (isSorted) expect(emitted).toEqual(expected);
		else expect([...emitted].sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b));

		const newest = Math.max(-1, ...allListed);
		const missed = Array.from({ length: newest + 1 }, (_, n) => n).filter(
			(n) => !seen.has(n) && !told.has(n) && !allListed.includes(n),
		);
		if (missed.length > 0) expect(gaps).toHaveLength(1);
		// The one that is listed may have been left out, so that it is not the newest one known.
		if (isKnownListed && !ODD.includes(service.format)) expect(gaps).toEqual([]);
		for (const n of allListed) seen.add(n);
		for (const n of missed) told.add(n);
	};

	const pollWithFailures = (hasFailed: typeof fails) => async () => {
		fails = hasFailed;
		const { state } = poller;
		const outputs = await poller.poll().catch(() => 'failed' as const);
		if (outputs !== 'failed') check(outputs);
		else expect(poller.state).toEqual(state);
	};
	const publish = async () => {
		check(await poller.activate(), true);
		await another.activate();
		// n8n saves once, when all triggers have made their first poll.
		poller.workflow.before = poller.workflow.staticData;
		storedBefore = stored;
	};
	const actions: Record<Extract<Step, string>, () => Promise<void>> = {
		poll: async () => check(await poller.poll()),
		'failed poll': pollWithFailures(() => true),
		'poll with failed further pages': pollWithFailures((page) => page > 0),
		restart: async () => {
			poller.workflow.startNewProcess();
			await publish();
		},
		renamed: async () => {
			poller.node.name = `${poller.node.name}!`;
			another.others = [poller.node.name];
			await publish();
		},
		'names swapped': async () => {
			[poller.node.name, another.node.name] = [another.node.name, poller.node.name];
			poller.others = [another.node.name];
			another.others = [poller.node.name];
			await publish();
		},
		'another trigger polls': async () => {
			const outputs = await another.poll();
			listed = [];
			if (outputs === null) return;
			// n8n has saved the state of both.
			storedBefore = stored;
			if (!isScheduled()) stored = structuredClone(model);
		},
		'variable changes': async () => {
			if (service.filters) setVariable(SENDERS[(SENDERS.indexOf(variable!) + 1) % SENDERS.length]);
			await Promise.resolve();
		},
		'poll whose result is dropped': async () => {
			await poller.pollInVain();
			listed = [];
			// Outside its scheduler, n8n drops results only if it publishes the workflow anew.
			if (!isScheduled()) await publish();
		},
		'published, and the result of a poll dropped': async () => {
			await poller.pollInVain();
			listed = [];
			await publish();
		},
		'published before a poll ends': async () => {
			const end = new Promise<() => void>((resolve) => {
				hold = resolve;
			});
			const result = poller.poll();
			const respond = await end;
			listed = [];
			await publish();
			respond();
			expect(await result).toBeNull();
		},
		'undone by another trigger': async () => {
			if (polledBy !== 'scheduler') return;
			poller.undo();
			const isLost = [...stored.seen].some((n) => !storedBefore.seen.has(n));
			stored = storedBefore;
			for (const n of leftOut) if (!stored.seen.has(n)) leftOut.delete(n);
			const warned = poller.warnings.length;
			check(await poller.poll());
			if (isLost) expect(poller.warnings.slice(warned).join()).toContain('has not kept');
		},
		'durable cursors turned on': async () => {
			if (!N8N_FEATURES.pollBudget) return;
			if (polledBy !== 'durable scheduler') isCertain = false;
			polledBy = poller.polledBy = another.polledBy = 'durable scheduler';
			await actions.restart();
		},
		'restart during an outage': async () => {
			fails = () => true;
			poller.workflow.startNewProcess();
			for (const one of [poller, another]) expect(await one.activate()).toBeNull();
			returnToStored();
			storedBefore = stored;
		},
		'test run': async () => {
			const { state } = poller;
			await poller.test();
			expect(poller.state).toEqual(state);
		},
	};

	if (service.isDownAtFirst) await actions['restart during an outage']();
	else await publish();
	for (const step of history) {
		listed = [];
		fails = () => false;
		if (typeof step === 'string') await actions[step]();
		else if ('edit' in step && step.edit < statuses.length)
			statuses[statuses.length - 1 - step.edit]++;
		else if ('arrive' in step) for (let i = 0; i < step.arrive; i++) statuses.push(0);
	}
}

test(`in ${HISTORY_COUNT} histories each message is emitted exactly once, in order, and each gap is reported`, async () => {
	const examples = FOUND_BEFORE.filter(([{ polledBy }]) => POLLED_BY.includes(polledBy));
	await fc.assert(
		fc.asyncProperty(services, steps, async (service, history) => {
			// The length of a full page is unknown while an account is empty.
			const pageSize = service.initialCount === 0 ? 100 : service.pageSize;
			// With further pages, older ones than the first poll may count as new, and keep their sender waiting.
			const listsAll = !service.isDownAtFirst && service.initialCount <= pageSize;
			const mayFindOlder =
				MAY_HIDE_ORDER.includes(service.format) && service.maxPages !== undefined && !listsAll;
			const combines = service.combines && !ODD.includes(service.format) && !mayFindOlder;
			await play({ ...service, pageSize, combines }, history);
		}),
		{ numRuns: HISTORY_COUNT, examples },
	);
});
