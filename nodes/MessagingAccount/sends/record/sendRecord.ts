import type { IExecuteFunctions } from 'n8n-workflow';

import { onExecutionStored } from '../../n8n/executions';
import { Mutex } from '../../shared/mutex';
import {
	type Attempt,
	type Mark,
	type Marks,
	type RecordPlace,
	toBegunMark,
	toContentSeries,
} from '../attempt';
import type { SendLog } from '../log/sendLog';
import type { Send } from '../send';
import { createStoredExecution, numbersFrom, type StoredExecution } from './executionNumbers';
import { ExecutionRecord } from './executionRecord';

/** The series of all attempts, for the limit of sends. */
const ALL = 'all';

const listSeries = (one: Send | Attempt) => [one.recipientHash, toContentSeries(one), ALL];
const [RECIPIENT, CONTENT] = [0, 1];

/** Where a mark is on record. */
type Position = { execution: number; series: string; number: number };

/** The records of executions in this process, by what n8n stores of them: all runs of the node share one, in a loop or as a tool. */
const records = new WeakMap<object, SendRecord>();

/** Opens the record of this execution for a run of the node. */
export function openRecord(context: IExecuteFunctions, log: SendLog, isLimited: boolean) {
	const nodeContext: { sendRecord?: StoredExecution } = context.getContext('node');
	const stored = (nodeContext.sendRecord ??= createStoredExecution());
	const record = records.get(stored) ?? new SendRecord(context, log, stored);
	records.set(stored, record);
	record.isLimited = isLimited;
	record.executions.openRun(context.getInputData().length);
	return record;
}

/**
 * A write-ahead log of sends, in n8n's database.
 *
 * | word | meaning |
 * | --- | --- |
 * | number | of an execution among those that retry one another, from 1 (`ExecutionRecord`) |
 * | run | of the node in an execution: a round of a loop, a try of Retry On Fail, a call of an agent |
 * | series | the attempts at a recipient, those with one content, or all: each has a number in the first two, with a limit in all three |
 * | mark | a key that says of such a number that its attempt has begun, was sent, or was not |
 *
 * This must always be true: no two attempts of an execution have the same place, and a series of places has no gap, even if a write failed. An
 * attempt that has ended has at least one mark as sent or not sent. Every method that returns a promise may throw a DatabaseError.
 */
export class SendRecord {
	readonly executions: ExecutionRecord;
	/** Whether attempts have places in the series of all, too: a retry must count them. */
	isLimited = false;
	/** The number of the next place in this execution, by series. */
	private readonly nextNumbers = new Map<string, number>();
	private readonly mutex = new Mutex();
	/** The keys of a write that failed, and may be stored: the next one repeats them. */
	private doubtful: string[] = [];
	/** The places of sends that are on record as begun, and have not ended. */
	readonly places = new Map<Send, RecordPlace>();
	/** All keys of attempts that this process has put on record, in their order. */
	private readonly allKeys = new Set<string>();

	constructor(context: IExecuteFunctions, log: SendLog, stored: StoredExecution) {
		this.executions = new ExecutionRecord(context, stored);
		onExecutionStored(context, () => {
			const earlier = log.stored.list().flatMap((one) => this.toEarlierKeys(one));
			this.executions.end([...earlier, ...this.allKeys]);
		});
	}

	/** Records that attempts are about to begin, or says why none may: see `ExecutionRecord.addAttempts`. */
	async begin(sends: Send[], isFirst: boolean): Promise<'added' | 'taken' | 'fenced'> {
		const { executions } = this;
		// Calls of an agent at the same time share the places: one that gives its own back must be the last that took some.
		return await this.mutex.runExclusive(async () => {
			const places = executions.isFenced ? [] : sends.map((send) => this.takePlace(send));
			const keysOf = (mark: Mark) => places.flatMap((one, i) => this.toKeys(mark, sends[i], one));
			const begun = [...this.doubtful, ...keysOf('begun')];
			try {
				const result = await executions.addAttempts(begun, isFirst);
				this.doubtful = [];
				if (result === 'taken') this.nextNumbers.clear();
				if (result !== 'added') return result;
				for (const [i, place] of places.entries()) this.places.set(sends[i], place);
				for (const key of begun) this.allKeys.add(key);
				return result;
			} catch (error) {
				// Stored or not, nothing was sent, and a series must have no gap. Without a number, the execution begins with the first places again.
				if (executions.stored.isOnRecord) this.doubtful = [...begun, ...keysOf('notSent')];
				else this.nextNumbers.clear();
				this.writeSoon(this.doubtful);
				throw error as Error;
			}
		});
	}

	/** Records within a second how an attempt has ended, unless the execution ends before. Without a place on record, it does nothing. */
	end(send: Send, isSent: boolean): void {
		const place = this.places.get(send);
		if (place) this.writeSoon(this.toKeys(isSent ? 'sent' : 'notSent', send, place));
		this.places.delete(send);
	}

	/** Returns the marks of attempts in executions that the log does not know: of these recipients, and of these with each content. */
	async find(series: Set<string>): Promise<Marks> {
		const { stored } = this.executions;
		const marks: Marks = new Map([...series].map((one) => [one, []]));
		let unread = stored.notInLog.flatMap((execution) =>
			Array.from(series, (one) => ({ execution, series: one })),
		);
		// A series has no gaps: each is read in blocks of 1, 2, 4, …, until the last of a block is missing.
		for (let from = 0, count = 1; unread.length > 0; from += count, count *= 2) {
			const numbers = numbersFrom(from, count);
			const blocks = unread.map((one) => numbers.map((number) => ({ ...one, number })));
			const begins = await this.lookUp(['begun', 'begunWithId'], blocks.flat());
			const ends = await this.lookUp(['sent', 'notSent'], [...begins.keys()]);
			// The mark of the end, or else of the beginning.
			const found = new Map([...begins, ...ends]);
			for (const [position, mark] of found) marks.get(position.series)!.push(mark);
			unread = unread.filter((_, i) => found.has(blocks[i][count - 1]));
		}
		await this.executions.checkNotInLog();
		return marks;
	}

	/** Returns the number of sends in executions that the log does not know: those that were made or may have been. */
	async countMade(): Promise<number> {
		if (!this.isLimited) return 0;
		return (await this.find(new Set([ALL]))).get(ALL)!.filter((mark) => mark !== 'notSent').length;
	}

	private async lookUp(marks: Mark[], positions: Position[]) {
		const { data, keys } = this.executions;
		const toKey = (mark: Mark, { execution, series, number }: Position) =>
			keys.create(mark, execution, series, number);
		const all = marks.flatMap((mark) => positions.map((one) => toKey(mark, one)));
		const there = await data.find(all, keys.lookUp);
		const found = new Map<Position, Mark>();
		// A look-up that was interrupted may have left any of its keys, as if all had been sent.
		if (marks.includes('sent') && there.has(keys.lookUp)) return found;
		for (const one of positions) {
			const mark = marks.find((some) => there.has(toKey(some, one)));
			if (mark) found.set(one, mark);
		}
		return found;
	}

	private writeSoon(keys: string[]): void {
		for (const key of keys) this.allKeys.add(key);
		this.executions.data.addSoon(keys);
	}

	/** Another process has begun an execution that has waited: only the log knows what it put on record. */
	private toEarlierKeys(one: Attempt): string[] {
		const { outcome, place } = one;
		if (!place || place.execution >= this.executions.stored.number) return [];
		// An unknown one has no mark of its end: to remove that does no harm.
		const end = outcome.is === 'sent' ? 'sent' : 'notSent';
		return [...this.toKeys('begun', one, place), ...this.toKeys(end, one, place)];
	}

	private takePlace(send: Send): RecordPlace {
		const series = listSeries(send).slice(0, this.isLimited ? 3 : 2);
		const numbers = series.map((one) => this.nextNumbers.get(one) ?? 0);
		for (const [i, one] of series.entries()) this.nextNumbers.set(one, numbers[i] + 1);
		return { execution: this.executions.stored.number, numbers };
	}

	/** @example an attempt with an ID, at recipient R, with content C: begun is begunWithId:1:R:0 and begun:1:R.C:0; sent is sent:1:R.C:0 */
	private toKeys(mark: Mark, send: Send | Attempt, { execution, numbers }: RecordPlace): string[] {
		const { keys } = this.executions;
		const series = listSeries(send);
		const markIn = (i: number) => (i === RECIPIENT && mark === 'begun' ? toBegunMark(send) : mark);
		const all = numbers.map((number, i) => keys.create(markIn(i), execution, series[i], number));
		return mark === 'sent' ? [all[CONTENT]] : all;
	}
}
