import type { IExecuteFunctions } from 'n8n-workflow';

import { sleep } from '../n8n/sleep';
import { Mutex } from '../shared/mutex';
import { type EarlierOutcome, mayBeSent, type Outcome, unknownBecause } from './attempt';
import { BatchSizes, MAX_LOOKED_UP, MAX_RESERVED } from './batchSizes';
import { EarlierOutcomes } from './earlierOutcomes';
import type { Send } from './send';
import { SendLog } from './log/sendLog';
import { SendOnceIds } from './sendOnceIds';
import { openRecord, type SendRecord } from './record/sendRecord';

/** The time after which a batch is late: the service has become slow, or does not answer. */
const LATE_MS = 1000;

const FENCED = unknownBecause('a retry of this execution has begun meanwhile');

/** Whether an earlier attempt may have reserved the ID of a send, which is sent again only if the person wants it. */
const mayHaveReserved = (earlier?: EarlierOutcome) =>
	earlier?.is === 'unknown' || earlier?.is === 'changed';

/**
 * Keeps what must survive a crash of each send: its mark on record, and its ID.
 *
 * | call | when | the mark | the ID |
 * | --- | --- | --- | --- |
 * | `plan`, `decide` | before | | |
 * | `begin` | just before the request | begun, also of the next sends | reserved, also of the next sends |
 * | `settle` | with the outcome | sent or not sent, if that is certain | used up, or released if nothing was sent |
 * | `close` | the work on the item has ended | not sent, if it has not begun | used up or released |
 * | `finish` | all have ended | the same, of all that were left | released |
 * | `withdrawUnbegun` | a send waits for the service | not sent, of all that have not begun | released |
 * | `isSentUnderId` | a send is not made now | | looked up |
 *
 * This must always be true, whenever n8n stops: the ID of a send is reserved, and it is on record as begun, before its request is made. It is
 * on record as sent only if it was sent, and as not sent only if nothing was sent. One on record as begun has begun, or will within a
 * second. At most four IDs are reserved ahead, but for the moment of a look-up in a retry.
 */
export class Ledger {
	readonly log: SendLog;
	readonly ids: SendOnceIds;
	readonly earlierOutcomes: EarlierOutcomes;
	private readonly record: SendRecord;
	/** The sends that have neither begun nor ended, in order, without those of which an earlier attempt is known. */
	private readonly upcoming = new Set<Send>();
	private readonly mutex = new Mutex();
	private readonly sizes = new BatchSizes();

	constructor(context: IExecuteFunctions, isLimited: boolean) {
		this.log = new SendLog(context);
		this.ids = new SendOnceIds(context);
		this.record = openRecord(context, this.log, isLimited);
		this.earlierOutcomes = new EarlierOutcomes(this.log, this.record, this.ids, async (sends) => {
			await this.useUpWithoutRequest(sends);
			for (const send of sends)
				if (!this.log.earlierOf(send) && !this.ids.isRepeated(send)) this.upcoming.add(send);
		});
	}

	/** Whether all sends must be planned before one is made: only all together can be matched with earlier attempts. */
	get needsAll(): boolean {
		return this.record.executions.isRetry || this.log.stored.repeatsRun;
	}

	/** Adds a send. Call this in the order of the items. */
	plan(send: Send): void {
		this.ids.add(send);
		this.earlierOutcomes.add(send);
	}

	/** Decides whether a send may be made and, if not, why, by all that is known now. Nothing else does so. */
	decide(send: Send) {
		const earlier = this.log.earlierOf(send);
		const wasSent = earlier?.is === 'sent' || (earlier?.is === 'changed' && earlier.isSent);
		const mayResend = send.mayResend && !wasSent && !this.record.executions.isFenced;
		if (earlier && !mayResend) return earlier.is;
		return this.ids.isUsed(send, mayHaveReserved(earlier)) ? 'idUsed' : 'send';
	}

	/**
	 * Puts a send and its ID on record, with the next ones. Call this just before a request. @param maxBatch the most of them all
	 * @returns whether it may be made @throws DatabaseError
	 */
	async begin(send: Send, maxBatch: number): Promise<boolean> {
		return await this.mutex.runExclusive(async () => {
			const maySend = () => this.decide(send) === 'send';
			// Each round makes the ID or the mark certain, or learns why the send may not be made.
			while (maySend() && !(this.ids.isReserved(send) && this.record.places.has(send))) {
				if (!this.ids.isReserved(send)) await this.reserve(send, maxBatch);
				else await this.beginBatch(send, maxBatch);
			}
			this.upcoming.delete(send);
			return maySend();
		});
	}

	/** Notes the outcome of a send that has begun. @throws DatabaseError if its ID cannot be released */
	async settle(send: Send, outcome: Outcome): Promise<void> {
		this.log.settle(send, outcome);
		if (outcome.is === 'begun') return;
		if (outcome.is !== 'unknown') this.record.end(send, outcome.is === 'sent');
		if (mayBeSent(outcome)) this.ids.noteUse(send, this.wasEverSent(send));
		// After an earlier attempt that is unknown or changed, so is a refused one: it keeps its ID.
		else if (!this.log.earlierOf(send)) await this.ids.release([send]);
	}

	/** Call this however the work on a send has ended. */
	async close(send: Send): Promise<void> {
		this.upcoming.delete(send);
		const { outcome } = this.log.attemptOf(send);
		if (outcome.is === 'planned') this.log.skip(send);
		if (this.log.earlierOf(send)) this.ids.noteUse(send, this.wasEverSent(send));
		if (mayBeSent(outcome) || outcome.is === 'begun') return;
		await this.withdraw([send]);
	}

	/** Call this when all sends have ended. @throws DatabaseError if IDs cannot be released */
	async finish(): Promise<void> {
		this.record.executions.stored.openRuns--;
		for (const send of this.upcoming) this.log.skip(send);
		await this.ids.release();
		for (const send of this.upcoming) this.record.end(send, false);
	}

	/** Withdraws all that has not begun: the next send may wait for hours. Writes it at once: in an outage, n8n is often restarted, too. */
	async withdrawUnbegun(): Promise<void> {
		await this.withdraw(this.upcoming);
		await this.record.executions.data.flush().catch(() => {});
	}

	/**
	 * Takes sends that have not begun off the record, and releases their IDs, after any write that may be about to add them. If it fails, the
	 * IDs are released at the end. Otherwise, later executions skip them as unknown.
	 */
	private async withdraw(sends: Iterable<Send>): Promise<void> {
		const withdraw = async () => {
			const unbegun = [...sends];
			await this.ids.release(unbegun);
			for (const send of unbegun) this.record.end(send, false);
		};
		await this.mutex.runExclusive(withdraw).catch(() => {});
	}

	/**
	 * Whether the ID of a send that is not made now is used up: in this run, or on record as sent. Many are looked up together, none reserved:
	 * so one that is on record, but not as sent, counts as free, as do all if the database does not answer.
	 */
	async isSentUnderId(send: Send): Promise<boolean> {
		const look = async () => {
			const { ids } = this;
			if (this.decide(send) === 'send' && ids.isUndecided(send))
				await ids.findSent(this.takeBatch(send, MAX_LOOKED_UP, (one) => ids.isUndecided(one)));
			return this.decide(send) === 'idUsed';
		};
		return await this.mutex.runExclusive(look).catch(() => false);
	}

	private wasEverSent(send: Send): boolean {
		const { log } = this;
		return log.attemptOf(send).outcome.is === 'sent' || log.earlierOf(send)?.is === 'sent';
	}

	/** Uses up the IDs of those that count as sent, unknown or changed without a request. */
	private async useUpWithoutRequest(sends: Send[]): Promise<void> {
		const isUsed = (send: Send) =>
			mayBeSent(this.log.earlierOf(send)) || this.decide(send) === 'changed';
		await this.ids.storeUses(sends.filter(isUsed), (send) => this.wasEverSent(send));
	}

	/** Reserves the IDs of a send and of the next ones on record, or else of those that will be next: a retry sends the others. */
	private async reserve(send: Send, maxBatch: number): Promise<void> {
		const { ids, record, sizes } = this;
		const ahead = ids.countReserved(this.upcoming);
		const kept = Math.max(1, Math.min(sizes.toRecord, MAX_RESERVED, maxBatch) - ahead);
		const isNext = (one: Send) =>
			!ids.isReserved(one) && record.places.has(one) === record.places.has(send);
		const batch = this.takeBatch(send, sizes.areIdsUsed ? MAX_LOOKED_UP : kept, isNext);
		await ids.reserve(batch, kept, (one) => mayHaveReserved(this.log.earlierOf(one)));
		sizes.areIdsUsed = batch.every((one) => this.decide(one) !== 'send');
	}

	private async beginBatch(send: Send, maxBatch: number): Promise<void> {
		const { record, sizes } = this;
		const size = Math.min(sizes.toRecord, maxBatch);
		const batch = this.takeBatch(send, size, (one) => !record.places.has(one));
		const result = await record.begin(batch, sizes.soFar === 0);
		if (result !== 'added') return await this.learnFromRecord(send, result);
		for (const one of batch) this.log.begin(one, record.places.get(one)!);
		void this.takeBackIfLate(batch, sizes.begin(batch.length));
	}

	/**
	 * Takes what is late off the record, e.g. behind a send to the same recipient that has no answer. It keeps its ID: if another process
	 * wrote back one that was released, it would count as used up.
	 */
	private async takeBackIfLate(batch: Send[], begun: { size: number }): Promise<void> {
		const { upcoming, record } = this;
		const places = batch.map((one) => record.places.get(one));
		await sleep(LATE_MS);
		await this.mutex.runExclusive(async () => {
			const isLate = (one: Send, i: number) =>
				upcoming.has(one) && record.places.get(one) === places[i];
			const late = batch.filter(isLate);
			if (late.length > 0) begun.size = 1;
			for (const one of late) record.end(one, false);
		});
	}

	/** Learns what another execution has sent. If that one is a retry of this one, the rest is left to it. */
	private async learnFromRecord(send: Send, why: 'taken' | 'fenced'): Promise<void> {
		const rest = [...new Set([send, ...this.upcoming])];
		await this.earlierOutcomes.findOnRecord(rest);
		for (const one of rest) if (this.log.earlierOf(one)) this.upcoming.delete(one);
		if (why === 'taken') return await this.useUpWithoutRequest(rest);
		await this.ids.release(rest);
		for (const one of rest) if (!this.log.earlierOf(one)) this.log.addEarlier(one, FENCED);
	}

	/** Returns a send, and the next ones that may be made. @param size the most of them all */
	private takeBatch(send: Send, size: number, isNext: (send: Send) => boolean): Send[] {
		const next = [send];
		for (const one of this.upcoming) {
			if (next.length >= size) break;
			if (one !== send && isNext(one) && this.decide(one) === 'send') next.push(one);
		}
		return next;
	}
}
