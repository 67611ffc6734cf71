import type { IExecuteFunctions } from 'n8n-workflow';

import { getCancelSignal } from '../../n8n/cancelSignal';
import { isToolNode } from '../../n8n/agentTool';
import { ProcessedData, toSureKey, toSureKeys } from '../../n8n/processedData';
import { Mutex } from '../../shared/mutex';
import { createExecutionKeys, type ExecutionKeys } from './executionKeys';
import { ExecutionNumbers, numbersFrom, type StoredExecution } from './executionNumbers';
import { MAX_ID_KEYS } from '../sendOnceIds';

const SENDS_NEEDED =
	"The node records each send there before its request, so that nobody gets an image twice. Check the database, then send only what is missing: without 'Send Once per ID', executing the workflow again sends to everybody.";
const SENDS_FAILED = 'A retry of this execution may report sent images as unknown.';

const KEYS_PER_SEND = 3;
/** Room for 25,000 sends, or 18,750 with Max Sends, a fourth key: those of crashed executions and of retries must not be dropped before a retry. */
const MAX_KEYS = 25_000 * KEYS_PER_SEND;

/**
 * What n8n's record knows of this execution and of those that retry one another with it.
 *
 * This must always be true: an execution puts nothing on record before it has a number of its own, and nothing begins once a later one is
 * on record. Every method that returns a promise may throw a DatabaseError.
 * @example 1 is shown as crashed; its retry gets 2, and fences off 1; if 1 still runs, its next write finds no owner, and it stops
 */
export class ExecutionRecord {
	readonly data: ProcessedData;
	readonly keys: ExecutionKeys;
	private readonly numbers: ExecutionNumbers;
	private readonly mutex = new Mutex();
	readonly isRetry: boolean;

	constructor(
		context: IExecuteFunctions,
		readonly stored: StoredExecution,
	) {
		this.isRetry = context.getMode() === 'retry';
		this.keys = createExecutionKeys(context);
		// In the node's record, they must not push out IDs.
		const maxKeys = { workflow: MAX_KEYS, node: MAX_ID_KEYS };
		this.data = new ProcessedData(context, maxKeys, SENDS_NEEDED, SENDS_FAILED);
		this.numbers = new ExecutionNumbers(this.data, this.keys, stored);
		// Calls in other executions would count as earlier attempts. A call outside of an execution, e.g. of an MCP client, cannot be retried:
		// n8n begins its execution only when the call has ended, gives it no signal, and never tells its end.
		const isOutsideExecution = getCancelSignal(context) === undefined;
		this.data.isUnavailable =
			isToolNode(context.getNode()) && (!this.keys.hasSecret || isOutsideExecution);
		// n8n has stored the log while a call of a tool was in progress.
		if (stored.openRuns > 0) stored.notInLog.push(stored.number);
		// What was on record is retried, or has waited. Otherwise, nothing was sent under the number.
		if (stored.isOnRecord || stored.number === 0) stored.number++;
		Object.assign(stored, { isOnRecord: false, openRuns: 0 });
	}

	/** Whether the log knows all earlier attempts. */
	get isComplete(): boolean {
		return this.stored.notInLog.length === 0 && !this.stored.hasLost;
	}

	/** Whether a later execution is on record: found, or known from a missing owner, as in `addAttempts`. Retry On Fail does not change that. */
	get isFenced(): boolean {
		return this.stored.notInLog.some((one) => one > this.stored.number);
	}

	/** Puts a retry on record, even if its log is complete: the next one must learn of it. */
	async startRetry(): Promise<void> {
		await this.mutex.runExclusive(async () => {
			if (this.isRetry && !this.stored.isOnRecord) await this.numbers.take(true);
		});
	}

	/**
	 * Adds keys of attempts that are about to begin. The first row that fits says what came of it:
	 *
	 * | this write | found on record | result |
	 * | --- | --- | --- |
	 * | the first one | this number | taken: by another execution, or by this one if n8n runs it again after a crash; it begins anew under another |
	 * | a later one | the witness without the owner: a retry has removed that | fenced: no attempt may begin |
	 * | any | a later execution, now or before | fenced |
	 * | any | none of these; another process may have overwritten both witness and owner | added |
	 *
	 * To look for the key of a retry would not do: another process could write it back.
	 * @param isFirst whether they are the first ones of a run of the node
	 */
	async addAttempts(attempts: string[], isFirst: boolean): Promise<'added' | 'taken' | 'fenced'> {
		const { data, keys, numbers, stored } = this;
		const { isOnRecord: wasOnRecord, number, runs } = stored;
		const own = wasOnRecord ? [] : numbers.listOwnKeys(number);
		const fence = keys.fence(number);
		const more = isFirst ? [...attempts, keys.run(number, runs + 1)] : attempts;
		const added = await data.add([...own, ...fence, ...more], fence);
		const isOwn = wasOnRecord || added.has(toSureKey(keys.execution(number)));
		const [hasWitness, hasOwner] = fence.map((key) => !added.has(key));
		const isFencedNow = keys.hasSecret && wasOnRecord && hasWitness && !hasOwner;
		stored.isOnRecord = isOwn;
		if (isFencedNow && !this.isFenced) stored.notInLog.push(number + 1);
		if (isOwn && !this.isFenced) {
			if (isFirst) stored.runs++;
			return 'added';
		}
		await data.remove(more.filter((key) => added.has(key)));
		if (isOwn) return 'fenced';
		await numbers.take(this.isRetry);
		return 'taken';
	}

	/** Notes whether one that is not in the log has ended, which removes its keys, its own before those of attempts. Call this after a look-up. */
	async checkNotInLog(): Promise<void> {
		const executions = this.stored.notInLog.map(this.keys.execution);
		if ((await this.data.findSure(executions)).size < executions.length) this.stored.hasLost = true;
	}

	openRun(itemCount: number): void {
		const { row } = this.data;
		row.room = Math.max(row.room, KEYS_PER_SEND * itemCount * (this.stored.runs + 1));
		this.stored.openRuns++;
	}

	/** Removes all keys, unless a retry may need them. Call this once n8n has stored the execution, with the log. */
	end(attempts: string[]): void {
		const { keys, isRetry, stored } = this;
		const { isOnRecord, number, openRuns, runs, notInLog } = stored;
		if (isRetry || !keys.hasSecret || !isOnRecord || openRuns > 0 || notInLog.length > 0) return;
		const executions = numbersFrom(1, number).flatMap((one) => [
			...toSureKeys(keys.execution(one)),
			...keys.fence(one),
			...numbersFrom(1, runs).map((run) => keys.run(one, run)),
		]);
		// In about the order of the record, because n8n searches it from the front for each key. The nodes' keys come first: with them, but
		// without an execution, the node would look like one that was pasted.
		const { allListed, nodes } = keys;
		const ofNodes = toSureKeys(nodes.name, nodes.any, ...allListed);
		this.data.removeSoon([...ofNodes, ...executions, ...attempts]);
	}
}
