import type { IExecuteFunctions } from 'n8n-workflow';

import type { DatabaseError } from '../errors/errorClasses';
import { isToolNode } from '../shared/isToolNode';
import { onExecutionStored } from '../n8n/executionEnd';
import { getExecutionOrigin } from '../n8n/executionOrigin';
import { groupBy } from './matchSends';
import { isNotSaved, isOfAnotherMode, ProcessedData } from '../n8n/processedData';
import { toSlotKey, type Attempt, type Fate, type Send } from './send';
import type { SendLog, StoredSendLog } from './sendLog';

/** Three for each send. Those of crashed executions and of retries stay, and must not be dropped before a retry. */
const MAX_KEYS = 75_000;

/** n8n searches its whole record for each key that it removes, and does nothing else meanwhile. */
const MAX_KEYS_AT_ONCE = 500;

const KEYS_PER_SEND = 3;

const RECORD_NEEDED =
	'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again.';

/** With fewer, a run is not worth the question whether the record is full. */
const MANY_SENDS = 300;

/** Of executions that run in this process: n8n must not drop their keys, however many they are. */
const logsInUse = new Set<StoredSendLog>();

/** Of executions whose end one of their rounds waits for. Waiting in each would keep in memory what each of them knew. */
const awaitedLogs = new WeakSet<StoredSendLog>();

/** By how many places a row may have moved among those of its recipient, and its content is still looked for. */
const MAX_MOVED = 10;

/** All that is known of a send that was on record as begun when n8n stopped. */
const STOPPED: Fate = { is: 'unknown', reason: 'n8n may have stopped before it ended' };

/** After a crash, the id of the message is not known. */
const SENT_BEFORE_CRASH: Fate = { is: 'sent', id: null };

/**
 * The keys of sends in n8n's record of processed data. A send has three: that a request may have been made, with what content,
 * and that it was sent. They begin with the node and the execution's origin, so the retries of an execution find them again, and
 * other executions do not.
 */
export class SendRecord {
	/**
	 * False if n8n keeps no record for this workflow, e.g. one that is not saved: it then cannot retry after a crash, either. And
	 * for a tool, if all executions would have the same origin.
	 */
	private isAvailable: boolean;

	private data: ProcessedData;

	/** Whether no other start has the same keys. */
	readonly isOfOneStart: boolean;

	private readonly originKey: string;

	private isRunOnRecord = false;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly log: SendLog,
	) {
		this.data = new ProcessedData(context, 'workflow', getLimit, RECORD_NEEDED);
		({ key: this.originKey, isUnique: this.isOfOneStart } = getExecutionOrigin(context));
		this.isAvailable = this.isOfOneStart || !isToolNode(context.getNode());
	}

	/**
	 * Puts this run on record; in a first execution, `add` does so. If its number is taken, there is a run that the send log does not
	 * know: n8n stores the log at the end of an execution, so a crash leaves none, and a retry begins with that of the execution
	 * that it retries, whatever other retries have sent. This run then gets the next number that is not taken, so that those who do
	 * not know it see it, too.
	 *
	 * @throws DatabaseError
	 */
	async addRun(): Promise<void> {
		const { stored } = this.log;
		const { runs, isIncomplete } = stored;
		// If n8n cannot say, nor can a later retry know.
		stored.isIncomplete = true;
		const add = async () => await this.data.add([this.runKey()]);
		while ((await this.use(add))?.size === 0) stored.otherRun = stored.runs++;
		this.isRunOnRecord = true;
		if (stored.runs === runs) stored.isIncomplete = isIncomplete;
	}

	/**
	 * Records that sends are about to begin, and that others were sent.
	 *
	 * @returns those about to begin that were on record already, or may have been until another run ended and removed its keys
	 * @throws DatabaseError
	 */
	async add(begun: Send[], sent: Send[]): Promise<Send[]> {
		if (begun.length + sent.length === 0) return [];
		const { stored } = this.log;
		logsInUse.add(stored);
		const runKeys = [this.runKey(), this.runKey(stored.otherRun)];
		const keys = [...runKeys, ...sent.map(this.sentKey), ...begun.flatMap(this.begunKeys)];
		const added = await this.use(async () => await this.data.add(keys));
		if (!added) return [];
		if (stored.otherRun !== undefined) stored.hasOtherRunEnded ||= added.has(runKeys[1]);
		const isTaken = !this.isRunOnRecord && !added.has(runKeys[0]);
		if (isTaken && this.isOfOneStart) await this.addRun();
		this.isRunOnRecord = true;
		const isFound = (send: Send) => stored.hasOtherRunEnded || !added.has(this.begunKey(send));
		const found = begun.filter(isFound);
		const foreign = found.filter(({ isTakenOff }) => !isTakenOff);
		const nextRun = foreign.length < found.length ? [this.runKey(stored.runs + 1)] : [];
		const isAlone = stored.otherRun === undefined && (await this.findKeys(nextRun)).size === 0;
		const others = isAlone ? foreign : found;
		stored.isIncomplete ||= this.isOfOneStart && others.some(({ earlier }) => !earlier);
		return others;
	}

	/**
	 * Returns what is on record under the numbers of sends, as attempts; their content is empty where it is not that of one of
	 * these sends. This only reads.
	 *
	 * @throws DatabaseError
	 */
	async find(sends: Send[]): Promise<Attempt[]> {
		const begun = await this.findKeys(sends.map(this.begunKey));
		const slots = sends.filter((send) => begun.has(this.begunKey(send)));
		const byRecipient = groupBy(sends, ({ recipient }) => recipient);
		const candidates = slots.flatMap((slot) =>
			byRecipient
				.get(slot.recipient)!
				.filter(({ number }) => Math.abs(number - slot.number) <= MAX_MOVED)
				.map(({ content }) => ({ ...slot, content })),
		);
		const keys = [...slots.map(this.sentKey), ...candidates.map(this.contentKey)];
		// It is there meanwhile. If n8n stops meanwhile, it stays, with keys that are not true.
		const marker = this.createKey('look-up');
		const found = await this.findKeys(keys, [marker]);
		const isTrue = (key: string) => found.has(key) && !found.has(marker);
		const attempts = [
			...slots.map((slot) => ({ ...slot, content: '' })),
			...candidates.filter((one) => isTrue(this.contentKey(one))),
		];
		const bySlot = new Map(attempts.map((one) => [this.begunKey(one), one]));
		return [...bySlot.values()].map((one) =>
			isTrue(this.sentKey(one))
				? { ...one, fate: SENT_BEFORE_CRASH, onRecord: 'sent' }
				: { ...one, fate: STOPPED, onRecord: 'others' },
		);
	}

	/**
	 * Removes that sends have begun, because nothing was sent, or that they were sent: by an equal execution that n8n does not tell
	 * from this one.
	 *
	 * @throws DatabaseError
	 */
	async forget(sends: Send[], what: 'begun' | 'sent' = 'begun'): Promise<void> {
		const keys = sends.flatMap(what === 'begun' ? this.begunKeys : this.sentKey);
		await this.use(async () => await this.data.remove(keys));
	}

	/**
	 * Call this at the end of a run. Its keys are needed until n8n has stored the execution, with the send log.
	 *
	 * @param isRetry the keys of a retry stay, because the execution can be retried again; of two runs at once, those of both
	 */
	end(isRetry: boolean): void {
		const { stored } = this.log;
		const isRemoved =
			!isRetry &&
			!stored.isIncomplete &&
			this.isOfOneStart &&
			(awaitedLogs.has(stored) ||
				onExecutionStored(this.context, async (isStored) => {
					if (isStored && logsInUse.has(stored)) await this.removeAll();
					logsInUse.delete(stored);
				}));
		if (isRemoved) awaitedLogs.add(stored);
		else logsInUse.delete(stored);
	}

	/** Whether n8n may have dropped older keys because of this execution. Call this before `end`. */
	async isFull(): Promise<boolean> {
		if (countSends(this.log.stored) < MANY_SENDS) return false;
		const count = await this.use(async () => await this.data.count());
		return count !== undefined && count >= getLimit();
	}

	/** Removes all keys of the execution, except those of unknown sends. */
	private async removeAll(): Promise<void> {
		const { runs } = this.log.stored;
		const runKeys = Array.from({ length: runs }, (_, i) => this.runKey(i + 1));
		// In about the order in which they are on record: n8n searches from the front for each key.
		const sends = this.log.list().filter(({ fate }) => fate.is === 'sent');
		const sendKeys = sends.flatMap((send) => [...this.begunKeys(send), this.sentKey(send)]);
		const remove = async (some: string[]) => await this.data.removeForGood(some);
		// If this is not possible, the keys stay until newer ones take their place.
		await this.inParts([...runKeys, ...sendKeys], remove).catch(() => {});
	}

	/** @param more with each call */
	private async findKeys(keys: string[], more: string[] = []): Promise<Set<string>> {
		const found = new Set<string>();
		await this.inParts(keys, async (some) => {
			for (const key of await this.data.find([...more, ...some])) found.add(key);
		});
		return found;
	}

	private async inParts(keys: string[], call: (some: string[]) => Promise<void>) {
		for (let i = 0; i < keys.length; i += MAX_KEYS_AT_ONCE) {
			await this.use(async () => await call(keys.slice(i, i + MAX_KEYS_AT_ONCE)));
		}
	}

	private createKey(...parts: Array<string | number>): string {
		return [this.context.getNode().id, this.originKey, ...parts].join(':');
	}

	private runKey(run = this.log.stored.runs): string {
		return this.createKey('run', run);
	}

	private readonly begunKey = (send: Attempt): string => this.createKey('begun', toSlotKey(send));

	private readonly contentKey = (send: Attempt): string =>
		this.createKey('begun', toSlotKey(send), send.content);

	private readonly begunKeys = (send: Attempt) => [this.begunKey(send), this.contentKey(send)];

	private readonly sentKey = (send: Attempt): string => this.createKey('sent', toSlotKey(send));

	/** @returns undefined if n8n keeps no record for this workflow */
	private async use<T>(call: () => Promise<T>): Promise<T | undefined> {
		if (!this.isAvailable) return undefined;
		return await call().catch(async (error: DatabaseError) => {
			if (isNotSaved(error.cause)) this.isAvailable = false;
			else if (isOfAnotherMode(error.cause) && this.data.scope === 'workflow') {
				this.data = new ProcessedData(this.context, 'node', getLimit, RECORD_NEEDED);
			} else throw error;
			return await this.use(call);
		});
	}
}

function getLimit(): number {
	return [...logsInUse].reduce((sum, log) => sum + countSends(log) * KEYS_PER_SEND, MAX_KEYS);
}

function countSends({ attempts }: StoredSendLog): number {
	return Object.keys(attempts).length;
}
