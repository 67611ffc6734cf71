import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Poller } from '../support/poller';
import type { ScriptedServer } from '../support/scriptedServer';
import { Account, createRandom, type Message } from './account';
import type { SimulatedService } from './simulatedService';

/** What came of the messages at a service. */
export type SoakResult = Awaited<ReturnType<typeof soak>>;

const numberOf = (json: IDataObject) => Number(/message (\d+)\./.exec(JSON.stringify(json))![1]);

const DEFAULTS = { existing: 30, perHour: 20, burst: 60, interval: 6 };

/**
 * Plays polls, bursts, outages of the service, restarts of n8n and times during which the workflow is off, in simulated time. A restart
 * goes on with what n8n has stored, which is not the state of every poll.
 *
 * @param minutes of simulated time
 */
export async function soak(
	service: SimulatedService,
	server: ScriptedServer,
	{ seed, minutes }: { seed: number; minutes: number },
) {
	const { perHour, burst, interval, ...atFirst } = { ...DEFAULTS, ...service };
	/** Messages before the first poll that succeeded. */
	let existing = atFirst.existing;
	const account = new Account(createRandom(seed));
	let isDown = false;
	server.onRequest(({ path }) => {
		server.requests.length = 0;
		if (isDown) return { status: 500 };
		const page = new URLSearchParams(path.split('?')[1]).get('page');
		const script = service.respond(account, Number(page ?? 0));
		for (const [, n] of JSON.stringify(script).matchAll(/message (\d+)\./g))
			answered.add(Number(n));
		return script;
	});
	const poller = new Poller(server, { gapOutput: true, ...service.options });

	/** Messages in the answers to this poll. */
	const answered = new Set<number>();
	/** All that a successful poll has seen. */
	const seen = new Set<number>();
	/** How often each message came out. */
	const counts: number[] = [];
	const told = new Set<number>();
	/** Messages that were deleted before a poll could succeed. Nobody can have these. */
	const gone = new Set<number>();
	const result = { polls: 0, old: 0, outOfOrder: 0, falseGaps: 0 };
	let latest = -1;
	/** How many messages there were at the last poll that succeeded. */
	let polled = 0;
	/**
	 * The same of the last complete poll: a gap can have missed only what came since and no poll has listed. A poll is complete if
	 * everything that came later than the oldest new message in its answers, and still exists, has been listed by then.
	 */
	let complete = 0;
	let isFirst = true;

	const listMissing = () =>
		account.messages.slice(existing).filter(({ n }) => !counts[n] && !told.has(n) && !gone.has(n));
	const take = (outputs: INodeExecutionData[][] | null) => {
		const [out = [], gaps = []] = outputs ?? [];
		// The messages of an item, if they are combined.
		const items = out.flatMap(({ json }) => (json.messages as IDataObject[] | undefined) ?? [json]);
		const wasTold = items.some((json) => told.has(numberOf(json)));
		for (const json of items) {
			const n = numberOf(json);
			if (n < existing) result.old++;
			else if (!counts[n] && n < latest && !told.has(n)) result.outOfOrder++;
			counts[n] = (counts[n] ?? 0) + 1;
			latest = Math.max(latest, n);
		}
		if (gaps.length === 0) return;
		const missing = listMissing().filter(({ n }) => n >= complete && !seen.has(n));
		// If every message that is listed is new, nobody can tell.
		const isOpen = items.length === gaps[0].json.messagesListed;
		if (missing.length === 0 && !isOpen && !wasTold) result.falseGaps++;
		for (const { n } of missing) told.add(n);
	};
	const poll = async (how: 'poll' | 'activate') => {
		answered.clear();
		const warned = poller.warnings.length;
		const outputs = await poller[how]().catch(() => 'failed' as const);
		// At publication, a poll that fails does not throw.
		const isWarned = poller.warnings.slice(warned).some((one) => one.includes('poll failed'));
		if (outputs !== 'failed' && !isWarned) {
			for (const n of answered) seen.add(n);
			const listed = new Set(account.listed);
			for (const message of account.messages.slice(polled)) {
				if (!listed.has(message)) gone.add(message.n);
			}
			if (isFirst) existing = account.messages.length;
			isFirst = false;
			polled = account.messages.length;
			take(outputs);
			const came = account.messages.slice(complete);
			const oldest = came.findIndex(({ n }) => answered.has(n));
			const isSeen = (message: Message) => seen.has(message.n) || !listed.has(message);
			if (came.slice(Math.max(0, oldest)).every(isSeen)) complete = polled;
		}
		result.polls++;
	};

	account.receive(atFirst.existing);
	account.now += 3_600_000;
	await poll('activate');
	let downUntil = 0;
	let offUntil = 0;
	while (account.minute < minutes) {
		account.tick();
		account.receiveInMinute(perHour);
		if (account.chance(240)) account.receive(account.pick(burst));
		service.live?.(account);
		if (account.chance(480)) downUntil = account.minute + account.pick(30);
		if (account.chance(720)) offUntil = account.minute + account.pick(60);
		isDown = account.minute < downUntil;
		if (account.minute < offUntil) continue;
		if (account.minute === offUntil || account.chance(360)) await poll('activate');
		else if (account.minute % interval === 0) await poll('poll');
	}
	// Whatever came last is listed once more, and the account is quiet.
	isDown = false;
	for (let i = 0; i < 3; i++) {
		account.tick();
		await poll('poll');
	}

	const missing = listMissing();
	const isOut = counts.filter((count, n) => n >= existing && count > 0).length;
	return {
		...result,
		/** Messages that came after the first poll. */
		new: account.messages.length - existing,
		/** How many of them the trigger emitted. */
		out: isOut,
		untold: missing.length,
		passedOver: [...seen].filter((n) => n >= existing && !counts[n]).length,
		twice: counts.filter((count) => count > 1).length,
	};
}
