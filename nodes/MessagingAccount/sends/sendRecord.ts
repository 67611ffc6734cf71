import type { IExecuteFunctions } from 'n8n-workflow';

import { getCancelSignal } from '../n8n/cancelSignal';
import { getExecutionOrigin, listEqualNodes, onExecutionStored } from '../n8n/executions';
import { ProcessedData, toSureKey, toSureKeys } from '../n8n/processedData';
import { type Entry, type Marks, type Send, toContentSeries } from './attempt';
import { createRecordKeys, readMarks, type RecordKeys } from './recordReader';
import type { SendLog } from './sendLog';

const SENDS_NEEDED =
	'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again.';
export const SENDS_FAILED = 'A retry of this execution may report sent images as unknown.';

const KEYS_PER_SEND = 3;
/** Room for 25,000 sends: the keys of crashed executions and of retries stay, and must not be dropped before a retry. */
const MAX_KEYS = 25_000 * KEYS_PER_SEND;

/**
 * A write-ahead log of sends. An execution and its retries are numbered in the order in which they reach the node. Each attempt has two
 * places (see `Entry`), each with a key as begun. Once the attempt has ended, at least one of them has a key as sent or not sent.
 *
 * Only the latest of these executions may send. n8n can show one as ended that still runs, so it is fenced off when a retry has begun.
 *
 * Every method that returns a promise may throw a DatabaseError.
 */
export class SendRecord {
	private readonly data: ProcessedData;
	private readonly keys: RecordKeys;
	/** Whether no other start has the same keys. */
	private readonly isUnique: boolean;
	private isFirstWrite = true;

	constructor(
		context: IExecuteFunctions,
		private readonly log: SendLog,
	) {
		const { key, isUnique } = getExecutionOrigin(context);
		this.keys = createRecordKeys(context.getNode(), key, listEqualNodes(context));
		this.isUnique = isUnique;
		const room = KEYS_PER_SEND * context.getInputData().length * (log.stored.runs + 1);
		this.data = new ProcessedData(context, 'workflow', MAX_KEYS, room, SENDS_NEEDED, SENDS_FAILED);
		// Calls in other executions would count as earlier attempts. A call outside of an execution, e.g. of an MCP client, cannot be retried:
		// n8n begins its execution only when the call has ended, gives it no signal, and never tells its end.
		const isOutside = getCancelSignal(context) === undefined;
		this.data.isUnavailable = log.isTool && (!isUnique || isOutside);
		// The keys are needed until n8n has stored the execution, with the log.
		if (!log.isNew) return;
		onExecutionStored(context, () => {
			const { isOnRecord, openRuns } = log.stored;
			if (this.isTemporary && isOnRecord && openRuns === 0) this.data.removeSoon(this.allKeys());
		});
	}

	/** Whether all keys are removed at the end of the execution. Those of a retry stay, because the execution can be retried again. */
	get isTemporary(): boolean {
		return !this.log.isRetry && this.log.stored.unknownExecutions.length === 0 && this.isUnique;
	}

	/** Whether a later execution is on record. Retry On Fail does not change that. */
	private get isFenced(): boolean {
		const { unknownExecutions, number } = this.log.stored;
		return unknownExecutions.some((one) => one > number);
	}

	/**
	 * Puts this execution on record under the next free number, and fences off those before it that the log does not know.
	 * @param isFresh whether it is no retry, but there was an equal execution before: for its retries, only later ones count
	 */
	async start(isFresh = false): Promise<void> {
		const { data, isUnique, keys } = this;
		const { stored, runs } = this.log;
		const unknown = new Set(stored.unknownExecutions);
		stored.isOnRecord = false;
		const last = stored.number - 1;
		let number = isFresh ? stored.number : await this.findFirstNumber();
		// Without a secret, all executions with the same data of the trigger are numbered, and these can be many.
		for (let count = 1; !isUnique; count *= 2) {
			const taken = await this.data.find(numbersFrom(number, count).map(keys.execution));
			taken.forEach(() => unknown.add(number++));
			if (taken.size < count) break;
		}
		const createMore = () => (isFresh ? toSureKeys(keys.fresh(number)) : []);
		while ((await this.addKeys(number, createMore())).has(toSureKey(keys.execution(number))))
			unknown.add(number++);
		if (isUnique) await this.removeForGood([last, ...unknown].map(keys.owner));
		// n8n can save a log in between, with the progress of an execution. If the execution went on, it has begun another run.
		const nextRun = await data.find(last > 0 ? [keys.run(last, stored.runs + 1)] : []);
		if (nextRun.size > 0) unknown.add(last);
		const fresh = await data.findSure(isUnique ? [] : [...unknown].map(keys.fresh));
		const first = Math.max(0, ...[...unknown].filter((one) => fresh.has(keys.fresh(one))));
		const earlier = [...unknown].filter((one) => !isFresh && one >= first);
		runs.counts.clear();
		Object.assign(stored, { number, unknownExecutions: earlier, isOnRecord: true });
	}

	/**
	 * Records that attempts are about to begin, and that others have ended.
	 * @returns "taken" if another execution has this number, "fenced" if a later one is on record: no attempt may begin then
	 */
	async add(begun: Send[], sent: Send[], notSent: Send[]): Promise<'added' | 'taken' | 'fenced'> {
		if (begun.length + sent.length + notSent.length === 0) return 'added';
		const { data, isUnique, keys } = this;
		const { stored, runs } = this.log;
		const again = begun.filter(({ onRecord }) => onRecord);
		// This comes first: if a retry has begun meanwhile, either it finds them begun, or the owner is missing.
		await this.removeForGood(keys.of('notSent', again));
		const anew = this.isFenced ? [] : begun.filter(({ onRecord }) => !onRecord);
		for (const send of anew) send.entry = this.takeEntry(send);
		const begunKeys = keys.of('begun', anew);
		const ends = [...keys.of('sent', sent), ...keys.of('notSent', notSent)];
		if (this.isFirstWrite) ends.push(keys.run(stored.number, stored.runs + 1));
		const doubtful = runs.doubtful.splice(0);
		const more = [...doubtful, ...begunKeys, ...ends];
		const known = await this.addKeys(stored.number, more).catch((error: unknown) => {
			// Without a number of its own, the execution begins again with the first places.
			if (!stored.isOnRecord) runs.counts.clear();
			else runs.doubtful.push(...doubtful, ...begunKeys, ...keys.of('notSent', anew));
			for (const send of anew) send.entry = undefined;
			throw error;
		});
		if (this.isFirstWrite) stored.runs++;
		this.isFirstWrite = false;
		const isTaken = !stored.isOnRecord && known.has(toSureKey(keys.execution(stored.number)));
		// An execution without a secret is not fenced off: a later one may be equal.
		const [witness, owner] = keys.owners(stored.number);
		const wasRemoved = stored.isOnRecord && isUnique && known.has(witness) && !known.has(owner);
		stored.isOnRecord = true;
		if (wasRemoved && !this.isFenced) stored.unknownExecutions.push(stored.number + 1);
		if (!isTaken && !this.isFenced) return 'added';
		await data.remove(begunKeys.filter((key) => !known.has(key)));
		// The run is on record under the new number only with the next write.
		this.isFirstWrite = isTaken;
		if (isTaken) await this.start(!isUnique && !this.log.isRetry);
		return isTaken ? 'taken' : 'fenced';
	}

	/** Returns the marks of attempts that the log does not know, as `readMarks` does. */
	async find(sends: Send[]): Promise<Marks> {
		const { data, keys, log } = this;
		const marks = await readMarks(sends, log, data, keys);
		// If one of these executions has ended meanwhile, its keys are removed, beginning with those that are looked up here.
		const executions = log.stored.unknownExecutions.map(keys.execution);
		if ((await data.findSure(executions)).size < executions.length) log.stored.hasLost = true;
		return marks;
	}

	/** Records within a second that a send was made, unless the execution ends before. */
	addSoon(sent: Send): void {
		this.data.addSoon(this.keys.of('sent', [sent]));
	}

	/** Returns the first number that may be free for a retry, and notes whether keys that it needs are lost. */
	private async findFirstNumber(): Promise<number> {
		const { keys } = this;
		const { stored } = this.log;
		const own = numbersFrom(stored.number - 1, 3).map(keys.execution);
		const found = await this.data.findSure([...own, ...keys.nodes]);
		const [last, next, second] = own.map((key) => found.has(key));
		const [name, any, all] = keys.nodes.map((key) => found.has(key));
		const isPasted = name && !last;
		const hasNone = !last && !next && !second && !name;
		// Another node may have sent this: one that is gone, or that had another name.
		const isReplaced = hasNone && any && !all;
		const isDropped = hasNone && this.isUnique && (await this.data.isFull(0.9));
		// The execution may also have ended after its retry had begun. Its number stays free, so that others see this, too.
		const isLost = (!next && (second || isPasted)) || isReplaced || isDropped;
		stored.hasLost ||= isLost;
		return isLost ? stored.number + 1 : stored.number;
	}

	/** Lists all keys in about the order of the record, because n8n searches it from the front for each key that it removes. */
	private allKeys(): string[] {
		const { keys, log } = this;
		const { number, runs } = log.stored;
		const executions = numbersFrom(1, number).flatMap((one) => [
			...toSureKeys(keys.execution(one)),
			...keys.owners(one),
			...numbersFrom(1, runs).map((run) => keys.run(one, run)),
		]);
		const attempts = log.list();
		const places = attempts.flatMap((one) => [
			...keys.of('begun', [one]),
			...keys.of(one.outcome.is === 'sent' ? 'sent' : 'notSent', [one]),
		]);
		// The name first: with it, but without an execution, the node would look like one that was pasted.
		return [...toSureKeys(...keys.nodes), ...executions, ...places];
	}

	/** Adds keys, and those of this execution. @returns those that were there already */
	private async addKeys(number: number, more: string[]): Promise<Set<string>> {
		const { data, keys } = this;
		const own = this.log.stored.isOnRecord ? [] : toSureKeys(keys.execution(number), ...keys.nodes);
		const owners = keys.owners(number);
		const all = [...own, ...owners, ...more];
		const added = await data.add(all, owners);
		return new Set(all.filter((key) => !added.has(key)));
	}

	/** Removes keys now, and again if another process writes them back. */
	private async removeForGood(keys: string[]): Promise<void> {
		await this.data.remove(keys);
		this.data.removeSoon(keys);
	}

	private takeEntry(send: Send): Entry {
		const { number: execution } = this.log.stored;
		const { counts } = this.log.runs;
		const take = (series: string) => {
			const number = counts.get(series) ?? 0;
			counts.set(series, number + 1);
			return number;
		};
		return { execution, nth: take(send.recipient), copy: take(toContentSeries(send)) };
	}
}

const numbersFrom = (first: number, length: number) => Array.from({ length }, (_, i) => first + i);
