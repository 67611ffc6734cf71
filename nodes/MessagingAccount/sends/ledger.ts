import type { IExecuteFunctions } from 'n8n-workflow';

import { Batch } from '../shared/batch';
import { groupBy } from '../shared/groupBy';
import { Mutex } from '../shared/mutex';
import { sleep } from '../n8n/sleep';
import type { Attempt, Message, Outcome, Send, SendOnceId } from './attempt';
import { mayBeSent } from './attempt';
import { decide, judge } from './rule';
import { SendLog } from './sendLog';
import type { SendOnceIds } from './sendOnceIds';
import { SendRecord } from './sendRecord';

const LATE_CHECK_MS = 100;
/** The number of sends whose IDs are reserved before their turn. */
const MAX_IDS_AHEAD = 4;
/** The number of IDs to look up at a time while all are used up. */
const MAX_IDS_AT_ONCE = 500;
const FENCED: Outcome = { is: 'unknown', reason: 'a retry of this execution has begun meanwhile' };
const LOST: Outcome = { is: 'unknown', reason: 'it is not on record any more' };

/**
 * Keeps two facts about each send: its outcome, which the send log knows, and its marks on record, which survive a crash. The record is
 * written for a batch of sends at a time, with the outcomes of the last ones and the intents of the next ones.
 *
 * This must always be true, whenever n8n stops: a send is on record as begun from before its request until n8n has stored the execution. It
 * is on record as sent only if it was sent, and as not sent only if nothing was sent. One on record as begun has begun, or will within a second.
 * Few IDs are reserved ahead: a new execution skips these, although they were not tried.
 */
export class Ledger {
	readonly log: SendLog;
	private readonly record: SendRecord;
	/** The sends that are not matched with earlier attempts yet. */
	private readonly planned: Send[] = [];
	private lastLookUp: Promise<void>;
	/** The sends that this run makes, in order. Those that were sent leave as soon as they are on record as sent. */
	private readonly open = new Set<Send>();
	private readonly mutex = new Mutex();
	private readonly batch: Batch;
	private isWatching = false;
	/** The number of IDs to reserve, or look up, before their turn. */
	private idsAhead = MAX_IDS_AHEAD;

	/** @param concurrency the number of sends that may start at the same time */
	constructor(
		private readonly context: IExecuteFunctions,
		concurrency: number,
		private readonly ids: SendOnceIds,
	) {
		this.log = new SendLog(context);
		this.record = new SendRecord(context, this.log);
		this.batch = new Batch(concurrency);
		const { isRetry, runs, stored } = this.log;
		// Even if the log is complete, the next retry must learn of this one.
		const start = async () => await (stored.isOnRecord ? undefined : this.record.start());
		this.lastLookUp = isRetry ? runs.mutex.runExclusive(start) : Promise.resolve();
		// Each send that waits for it reports the error.
		this.lastLookUp.catch(() => {});
	}

	/** The number of sends to plan at a time. A retry plans all, because only all together can be matched with earlier attempts. */
	get batchSize(): number {
		return this.log.isRetry || this.log.isRepeated ? Infinity : this.batch.size;
	}

	/** Plans a send. Call this in the order of the items. */
	plan(itemIndex: number, message: Message, mayResend: boolean, id?: SendOnceId): Send {
		const send = this.log.create(itemIndex, message, mayResend, id);
		this.planned.push(send);
		return send;
	}

	/** Finds the outcomes of earlier attempts at all sends that are planned. @throws DatabaseError */
	async lookUp(): Promise<void> {
		const sends = this.planned.splice(0);
		if (sends.length > 0) {
			this.log.match(sends);
			this.lastLookUp = this.lastLookUp.then(async () => {
				await this.findOnRecord(sends);
				await this.ids.useUp(sends);
				for (const send of sends) if (!send.earlierOutcome) this.open.add(send);
			});
		}
		await this.lastLookUp;
	}

	/**
	 * Puts a send and its ID on record, with some of the next ones. Call this just before a request. @param maxBatch the most of them all
	 * @returns whether it may be made @throws DatabaseError
	 */
	async begin(send: Send, maxBatch = Infinity): Promise<boolean> {
		return await this.mutex.runExclusive(async () => {
			if (!this.isWatching) void this.watch();
			this.open.add(send);
			send.outcome = { is: 'planned' };
			while (decide(send) === 'send' && !isReady(send)) {
				if (!hasId(send)) await this.reserveIds(send, maxBatch);
				else await this.beginBatch(send, maxBatch);
			}
			if (decide(send) === 'send') send.outcome = { is: 'begun' };
			return send.outcome.is === 'begun';
		});
	}

	/** Notes an outcome. Call this when the request is made, and when it has ended. */
	settle(send: Send, outcome: Outcome): void {
		send.outcome = outcome;
		this.log.store(send, outcome);
		if (outcome.is === 'begun') this.batch.progress++;
	}

	/** Takes off the record what has not begun, and releases the IDs: the next send may wait for hours. If it fails, nothing is lost. */
	async standBy(): Promise<void> {
		const takeOff = async () => {
			const waiting = this.select('planned');
			await this.write(
				[],
				waiting.filter(({ onRecord }) => onRecord === 'begun'),
			);
			await this.ids.release(waiting);
		};
		await this.mutex.runExclusive(takeOff).catch(() => {});
	}

	/** Call this when the work on a send has ended in any way. */
	close(send: Send): void {
		if (send.outcome.is === 'planned' || send.outcome.is === 'begun') {
			// It was skipped.
			this.batch.progress++;
			send.outcome = { is: 'notSent' };
			if (!send.earlierOutcome) this.log.store(send, send.outcome);
		}
	}

	/** Whether the log knows all earlier attempts. If it does not, an item that cannot be read may have had one. */
	async isComplete(): Promise<boolean> {
		// Without the record, nobody knows.
		return await this.lastLookUp.then(() => this.log.isComplete).catch(() => false);
	}

	/** Puts the last outcomes on record. Call this when all sends have ended. @throws DatabaseError */
	async finish(): Promise<void> {
		this.isWatching = false;
		for (const send of this.open) this.close(send);
		await this.mutex.runExclusive(async () => {
			const [sent] = this.select('sent');
			// Most executions of one item end before the record must say that it was sent.
			if (sent && this.context.getInputData().length === 1 && this.record.isTemporary) {
				this.record.addSoon(sent);
				this.open.delete(sent);
			}
			await this.write([]);
		});
		this.log.stored.openRuns--;
	}

	private async findOnRecord(sends: Send[]): Promise<void> {
		const { log } = this;
		if (log.isComplete) return;
		const open = sends.filter((send) => !send.isFound && send.earlierOutcome?.is !== 'sent');
		const marks = await this.record.find(open);
		const { unknownExecutions, hasLost } = log.stored;
		const isOnRecord = ({ isFound, entry }: Attempt) =>
			isFound || (entry && unknownExecutions.includes(entry.execution));
		for (const [recipient, group] of groupBy(open, (send) => send.recipient)) {
			const inLog = log.attemptsAt(recipient);
			const alsoInLog = inLog.filter((one) => mayBeSent(one.outcome) && isOnRecord(one));
			const outcomes = judge(group, alsoInLog, marks);
			for (const send of group) {
				const outcome = outcomes.get(send) ?? (hasLost ? LOST : undefined);
				if (outcome) log.addEarlier(send, outcome);
			}
		}
	}

	/** Puts the next batch of sends on record, including this one. */
	private async beginBatch(send: Send, maxBatch: number): Promise<void> {
		const isNext = (other: Send) =>
			other !== send && other.onRecord !== 'begun' && decide(other) === 'send';
		const waiting = this.select('planned').filter(isNext);
		const batch = [send, ...waiting.slice(0, Math.min(this.batch.nextSize(), maxBatch) - 1)];
		this.batch.begin(batch.length);
		const added = await this.write(batch);
		if (added === 'added') return;
		const open = this.select('planned');
		if (added === 'fenced') await this.ids.release(open);
		await this.findOnRecord(open);
		if (added !== 'fenced') return;
		for (const one of open) {
			one.mayResend = false;
			if (!one.earlierOutcome) this.log.addEarlier(one, FENCED);
		}
	}

	/** Reserves the ID of a send, and of few others: after a crash, a new execution skips these although they were not tried. */
	private async reserveIds(send: Send, maxBatch: number): Promise<void> {
		const isNext = (one: Send) => one !== send && !hasId(one) && decide(one) === 'send';
		const count = Math.min(this.idsAhead, this.batch.size - 1, maxBatch - 1);
		const next = this.select('planned').filter(isNext).slice(0, count);
		await this.ids.reserve([send, ...next]);
		const reserved = next.filter((one) => one.isReserved === true);
		// A list that is executed again may begin with thousands of IDs that are used up.
		const areUsed = send.usedBy !== undefined && reserved.length === 0;
		this.idsAhead = areUsed ? MAX_IDS_AT_ONCE : MAX_IDS_AHEAD;
		if (areUsed) this.batch.size = MAX_IDS_AT_ONCE;
		await this.ids.release(reserved.slice(MAX_IDS_AHEAD));
	}

	/** Brings the record up to date. @param late sends that are not about to begin after all */
	private async write(begun: Send[], late: Send[] = []) {
		const sent = this.select('sent');
		const ended = this.select('notSent').filter(({ onRecord }) => onRecord === 'begun');
		const notSent = [...ended, ...late];
		// This precedes the write, which may be stored although it fails.
		for (const send of notSent) send.onRecord = 'notSent';
		try {
			const added = await this.record.add(begun, sent, notSent);
			for (const send of added === 'added' ? begun : []) {
				send.onRecord = 'begun';
				this.log.store(send, send.earlierOutcome ?? send.outcome);
			}
			for (const send of sent) this.open.delete(send);
			return added;
		} finally {
			await this.ids.release(this.select('notSent'));
		}
	}

	private select(is: Outcome['is']): Send[] {
		return [...this.open].filter(({ outcome }) => outcome.is === is);
	}

	/** Whenever a batch is late, puts on record what was sent, and that all but the next few sends have not begun. */
	private async watch(): Promise<void> {
		const writeLate = async () => {
			if (!this.batch.isLate) return;
			const waiting = this.select('planned').filter(({ onRecord }) => onRecord === 'begun');
			this.batch.begin(this.batch.minSize);
			await this.write([], waiting.slice(this.batch.minSize));
		};
		this.isWatching = true;
		while (this.isWatching) {
			// If this fails, the next write does it.
			await this.mutex.runExclusive(writeLate).catch(() => {});
			await sleep(LATE_CHECK_MS);
		}
	}
}

/** Whether its ID is reserved, if it has one. */
const hasId = ({ id, isReserved }: Send) => id === undefined || isReserved === true;

const isReady = (send: Send) => send.onRecord === 'begun' && hasId(send);
