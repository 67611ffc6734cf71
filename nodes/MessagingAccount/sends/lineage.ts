import type { IExecuteFunctions } from 'n8n-workflow';

import { getCancelSignal } from '../n8n/cancelSignal';
import { getExecutionOrigin, listEqualNodes } from '../n8n/executions';
import { ProcessedData, toSureKey, toSureKeys } from '../n8n/processedData';
import { Mutex } from '../shared/mutex';
import { createLineageKeys } from './lineageKeys';
import { MAX_ID_KEYS } from './sendOnceIds';

const SENDS_NEEDED =
	'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again.';
const SENDS_FAILED = 'A retry of this execution may report sent images as unknown.';

const KEYS_PER_SEND = 3;
/** Room for 25,000 sends: the keys of crashed executions and of retries stay, and must not be dropped before a retry. */
const MAX_KEYS = 25_000 * KEYS_PER_SEND;

/** Creates what n8n stores of an execution among its retries, in the node's context. */
export const createStoredLineage = () => ({
	/** The number of this execution among those that retry one another, from 1. */
	number: 0,
	/** Whether it is on record with this number. */
	isOnRecord: false,
	/** The numbers of those on record that the send log does not know, because n8n crashed, or another retry ran or runs. */
	unknown: [] as number[],
	/** Whether nobody knows what one of them has sent: its keys were removed, or the node was replaced. */
	hasLost: false,
	/** The number of runs of the node that put something on record in all of these executions. */
	runs: 0,
	/** The number of runs that have not ended. */
	openRuns: 0,
});

/**
 * An execution among those that retry one another, numbered in the order in which they reach the node. It is the only one that knows how
 * n8n's record tells them apart.
 *
 * This must always be true: only the latest of them may send. n8n can show one as ended that still runs, so it is fenced off when a retry
 * has begun: each write of an execution adds two keys, a witness and the owner, and a retry removes the owner.
 *
 * Every method that returns a promise may throw a DatabaseError.
 */
export class Lineage {
	private readonly data: ProcessedData;
	private readonly keys: ReturnType<typeof createLineageKeys>;
	/** Whether no other start has the same keys. */
	private readonly isUnique: boolean;
	private readonly mutex = new Mutex();

	constructor(
		context: IExecuteFunctions,
		readonly stored: ReturnType<typeof createStoredLineage>,
		readonly isRetry: boolean,
		isTool: boolean,
	) {
		const { key, isUnique } = getExecutionOrigin(context);
		this.keys = createLineageKeys(context.getNode(), key, listEqualNodes(context));
		this.isUnique = isUnique;
		const room = KEYS_PER_SEND * context.getInputData().length;
		// In the node's record, they must not push out IDs.
		const maxKeys = { workflow: MAX_KEYS, node: MAX_ID_KEYS };
		this.data = new ProcessedData(context, maxKeys, room, SENDS_NEEDED, SENDS_FAILED);
		// Calls in other executions would count as earlier attempts. A call outside of an execution, e.g. of an MCP client, cannot be retried:
		// n8n begins its execution only when the call has ended, gives it no signal, and never tells its end.
		const isOutside = getCancelSignal(context) === undefined;
		this.data.isUnavailable = isTool && (!isUnique || isOutside);
		// n8n has stored the log while a call of a tool was in progress.
		if (stored.openRuns > 0) stored.unknown.push(stored.number);
		if (stored.isOnRecord || stored.number === 0) stored.number++;
		Object.assign(stored, { isOnRecord: false, openRuns: 0 });
	}

	/** Whether the log knows all earlier attempts. */
	get isComplete(): boolean {
		return this.stored.unknown.length === 0 && !this.stored.hasLost;
	}

	/** Whether a later execution is on record. Retry On Fail does not change that. */
	get isFenced(): boolean {
		return this.stored.unknown.some((one) => one > this.stored.number);
	}

	/** Returns the key of a mark in a series of an execution. */
	keyOf(mark: string, execution: number, series: string, number: number): string {
		return this.keys.create(mark, execution, series, number);
	}

	/**
	 * Puts this execution on record under the next free number, and fences off those before it that the log does not know.
	 * @param isFresh whether it is no retry, but there was an equal execution before: for its retries, only later ones count
	 */
	private async start(isFresh = false): Promise<void> {
		const { data, isUnique, keys, stored } = this;
		const unknown = new Set(stored.unknown);
		stored.isOnRecord = false;
		const previous = stored.number - 1;
		const number = await this.takeNumber(unknown, isFresh);
		if (isUnique) await this.fenceOff([previous, ...unknown]);
		// n8n can save a log in between, with the progress of an execution. If the execution went on, it has begun another run.
		const nextRun = await data.find(previous > 0 ? [keys.run(previous, stored.runs + 1)] : []);
		if (nextRun.size > 0) unknown.add(previous);
		const earlier = isFresh ? [] : await this.sinceLastFresh([...unknown]);
		Object.assign(stored, { number, unknown: earlier, isOnRecord: true });
	}

	/** Without a secret, equal executions have the same keys: of these, only the last one that was no retry counts, and its retries. */
	private async sinceLastFresh(executions: number[]): Promise<number[]> {
		const { data, isUnique, keys } = this;
		if (isUnique) return executions;
		const fresh = await data.findSure(executions.map(keys.fresh));
		const last = Math.max(0, ...executions.filter((one) => fresh.has(keys.fresh(one))));
		return executions.filter((one) => one >= last);
	}

	/** Takes the next free number for this execution. @param unknown gets those that are taken */
	private async takeNumber(unknown: Set<number>, isFresh: boolean): Promise<number> {
		const { data, isUnique, keys, stored } = this;
		let number = isFresh ? stored.number : await this.findFirstNumber();
		// Without a secret, all executions with the same data of the trigger are numbered, and these can be many.
		for (let count = 1; !isUnique; count *= 2) {
			const taken = await data.find(numbersFrom(number, count).map(keys.execution));
			taken.forEach(() => unknown.add(number++));
			if (taken.size < count) break;
		}
		const createMore = () => (isFresh ? toSureKeys(keys.fresh(number)) : []);
		while ((await this.add(number, createMore())).has(toSureKey(keys.execution(number))))
			unknown.add(number++);
		// It was free: an open run of an earlier execution has put nothing on record under it.
		unknown.delete(number);
		return number;
	}

	/**
	 * Adds keys of attempts that are about to begin, unless another execution has this number, or a later one is on record. Then this begins
	 * anew under another number, or no attempt may begin. @param isFirst whether they are the first ones of a run of the node
	 */
	async write(attempts: string[], isFirst: boolean): Promise<'added' | 'taken' | 'fenced'> {
		const { data, isUnique, keys, stored } = this;
		// The first write learns whether the number is free, each later one whether a retry has removed the owner.
		const run = isFirst ? [keys.run(stored.number, stored.runs + 1)] : [];
		const known = await this.add(stored.number, [...attempts, ...run]);
		const isTaken = !stored.isOnRecord && known.has(toSureKey(keys.execution(stored.number)));
		// An execution without a secret is not fenced off: a later one may be equal.
		const [witness, owner] = keys.owners(stored.number);
		const isOwnerRemoved = stored.isOnRecord && isUnique && known.has(witness) && !known.has(owner);
		stored.isOnRecord = !isTaken;
		if (isOwnerRemoved && !this.isFenced) stored.unknown.push(stored.number + 1);
		if (!isTaken && !this.isFenced) {
			stored.runs += run.length;
			return 'added';
		}
		await data.remove([...attempts, ...run].filter((key) => !known.has(key)));
		if (isTaken) await this.start(!isUnique && !this.isRetry);
		return isTaken ? 'taken' : 'fenced';
	}

	/** Adds keys within a second, unless the execution ends before. */
	writeSoon(keys: string[]): void {
		this.data.addSoon(keys);
	}

	/** Adds now what waits to be added. */
	async writeNow(): Promise<void> {
		await this.data.add([]);
	}

	/** Returns the keys that are there. @param isEnd whether they say how attempts have ended: after an interrupted look-up, they do not */
	async find(keys: string[], isEnd: boolean): Promise<Set<string>> {
		const { lookUp } = this.keys;
		const found = await this.data.find(keys, lookUp);
		return isEnd && found.has(lookUp) ? new Set() : found;
	}

	/**
	 * Notes whether one of the unknown executions has ended. Call this after what was looked up of it: when it ends, its keys are removed,
	 * beginning with those of the execution.
	 */
	async checkUnknown(): Promise<void> {
		const executions = this.stored.unknown.map(this.keys.execution);
		if ((await this.data.findSure(executions)).size < executions.length) this.stored.hasLost = true;
	}

	/** Puts a retry on record, even if its log is complete: the next one must learn of it. */
	async startRetry(): Promise<void> {
		const start = async () => await (this.stored.isOnRecord ? undefined : this.start());
		if (this.isRetry) await this.mutex.runExclusive(start);
	}

	/** @param count the number of items */
	openRun(count: number): void {
		const { row } = this.data;
		row.room = Math.max(row.room, KEYS_PER_SEND * count * (this.stored.runs + 1));
		this.stored.openRuns++;
	}

	closeRun(): void {
		this.stored.openRuns--;
	}

	/** Removes all keys, unless a retry may need them. Call this once n8n has stored the execution, with the log. */
	end(attempts: string[]): void {
		const { isUnique, keys, isRetry, stored } = this;
		const { isOnRecord, number, openRuns, runs, unknown } = stored;
		const isTemporary = !isRetry && unknown.length === 0 && isUnique;
		if (!isTemporary || !isOnRecord || openRuns > 0) return;
		const executions = numbersFrom(1, number).flatMap((one) => [
			...toSureKeys(keys.execution(one)),
			...keys.owners(one),
			...numbersFrom(1, runs).map((run) => keys.run(one, run)),
		]);
		// In about the order of the record, because n8n searches it from the front for each key. The nodes' keys come first: with them, but
		// without an execution, the node would look like one that was pasted.
		this.data.removeSoon([...toSureKeys(...keys.nodes), ...executions, ...attempts]);
	}

	/**
	 * Returns the first number that may be free for a retry, and notes whether keys that it needs are lost.
	 *
	 * | on record, of the previous, this and the next number, and of the nodes | what happened | lost |
	 * | --- | --- | --- |
	 * | the node's name, neither this number nor the previous one | the node was deleted and pasted back: it has another ID | yes |
	 * | the next number, not this one | this one ended after its retry had begun | yes |
	 * | no number, and only nodes of other names | the node is a new one, or had another name | yes |
	 * | nothing, in a record that is nearly full | n8n dropped it | yes |
	 * | nothing, in any other | it ended, and the log knows all | no |
	 * | this number or the previous one | n8n crashed, or it is the next retry | no |
	 */
	private async findFirstNumber(): Promise<number> {
		const { keys, stored } = this;
		const executions = numbersFrom(stored.number - 1, 3).map(keys.execution);
		const found = await this.data.findSure([...executions, ...keys.nodes]);
		const [hasPrevious, hasThis, hasNext] = executions.map((key) => found.has(key));
		const [hasName, hasAny, hasAll] = keys.nodes.map((key) => found.has(key));
		const hasNone = !hasPrevious && !hasThis && !hasNext && !hasName;
		const isPasted = hasName && !hasPrevious && !hasThis;
		// Its number stays free, so that others see this, too.
		const hasEnded = hasNext && !hasThis;
		const isReplaced = hasNone && hasAny && !hasAll;
		const isDropped = hasNone && this.isUnique && (await this.data.mayHaveDropped());
		const isLost = isPasted || hasEnded || isReplaced || isDropped;
		stored.hasLost ||= isLost;
		return isLost ? stored.number + 1 : stored.number;
	}

	/** Adds keys, and those of this execution. @returns those that were there already */
	private async add(number: number, more: string[]): Promise<Set<string>> {
		const { data, keys, stored } = this;
		const own = stored.isOnRecord ? [] : toSureKeys(keys.execution(number), ...keys.nodes);
		const owners = keys.owners(number);
		const all = [...own, ...owners, ...more];
		const added = await data.add(all, owners);
		return new Set(all.filter((key) => !added.has(key)));
	}

	/** Removes the owners of executions now, and again if another process writes them back. */
	private async fenceOff(numbers: number[]): Promise<void> {
		const owners = numbers.map((number) => this.keys.owners(number)[1]);
		await this.data.remove(owners);
		this.data.removeSoon(owners);
	}
}

const numbersFrom = (first: number, length: number) => Array.from({ length }, (_, i) => first + i);
