import type { DeduplicationScope, IExecuteFunctions } from 'n8n-workflow';

import type { DatabaseError } from '../errors/errorClasses';
import { groupBy } from '../shared/groupBy';
import { isToolNode } from '../shared/isToolNode';
import { supportsOnExecutionFinish, onExecutionStored } from '../n8n/executionEnd';
import { getExecutionOrigin } from '../n8n/executionOrigin';
import { isNotSaved, isOfAnotherMode, ProcessedData } from '../n8n/processedData';
import { toSlotKey, type Attempt, type Fate, type Send } from './send';
import type { SendLog, StoredSendLog } from './sendLog';

/** Three for each send. Those of crashed executions and of retries stay, and must not be dropped before a retry. */
const MAX_KEYS = 75_000;

/** A look-up removes what it did not find, and n8n searches its whole record for each of these. */
const MAX_KEYS_AT_ONCE = 500;

const KEYS_PER_SEND = 3;

const RECORD_NEEDED =
	'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again.';

const RECORD_FAILED = 'A retry may report sent images as unknown.';

/** Of executions whose end one of their rounds waits for. Waiting in each would keep in memory what each of them knew. */
const awaitedLogs = new WeakSet<StoredSendLog>();

/** n8n does not tell the end of an execution that waits, e.g. for an answer: the room of its keys must not keep its log in memory. */
const references = new WeakMap<StoredSendLog, WeakRef<StoredSendLog>>();

/** By how many places a row may have moved among those of its recipient, and its content is still looked for. */
const MAX_MOVED = 10;

/** All that is known of a send that was on record as begun when n8n stopped. */
const STOPPED: Fate = { is: 'unknown', reason: 'n8n may have stopped before it ended' };

/** After a crash, the id of the message is not known. */
const SENT_BEFORE_CRASH: Fate = { is: 'sent', id: null };

/**
 * The keys of sends in n8n's record of processed data. A send has three: that a request may have been made, with what content,
 * and that it was sent. They begin with the node and the execution's origin, so the retries of an execution find them again, and
 * other executions do not. Every method that returns a promise may throw a DatabaseError.
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

	/** Whether this is a retry that cannot find the keys of the execution that it retries. */
	readonly isUntraceable: boolean;

	private readonly originKey: string;

	private isRunOnRecord = false;

	/** Stands for the log among the holders of room, without keeping it in memory. */
	private readonly roomHolder: WeakRef<StoredSendLog>;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly log: SendLog,
		private readonly isRetry: boolean,
	) {
		this.data = this.openRecord('workflow');
		const { key, isUnique, isInherited } = getExecutionOrigin(context);
		this.originKey = key;
		this.isOfOneStart = isUnique;
		this.isUntraceable = isRetry && !isInherited;
		log.stored.isIncomplete ||= this.isUntraceable;
		this.isAvailable = this.isOfOneStart || !isToolNode(context.getNode());
		this.roomHolder = references.get(log.stored) ?? new WeakRef(log.stored);
		references.set(log.stored, this.roomHolder);
	}

	/**
	 * Whether all keys are removed at the end of the execution. Those of a retry stay, because the execution can be retried
	 * again; of two runs at once, those of both.
	 */
	get isTemporary(): boolean {
		return !this.isRetry && !this.log.stored.isIncomplete && this.isOfOneStart;
	}

	/**
	 * Puts this run on record; in a first execution, `add` does so. If its number is taken, there is a run that the send log does not
	 * know: n8n stores the log at the end of an execution, so a crash leaves none, and a retry begins with that of the execution
	 * that it retries, whatever other retries have sent. This run then gets the next number that is not taken, so that those who do
	 * not know it see it, too.
	 */
	async addRun(): Promise<void> {
		const { stored } = this.log;
		const { runs, isIncomplete } = stored;
		// If n8n cannot say, nor can a later retry know.
		stored.isIncomplete = true;
		await this.takeNumber();
		this.isRunOnRecord = true;
		if (stored.runs === runs) stored.isIncomplete = isIncomplete;
	}

	/** Puts the latest run on record, under the next number that is not taken. */
	private async takeNumber(): Promise<void> {
		const { stored } = this.log;
		const add = async () => await this.data.add([this.runKey()]);
		while ((await this.use(add))?.size === 0) stored.otherRun = stored.runs++;
	}

	/**
	 * Records that sends are about to begin, and that others were sent.
	 *
	 * @returns those about to begin that were on record already, or may have been until another run ended and removed its keys
	 */
	async add(begun: Send[], sent: Send[]): Promise<Send[]> {
		if (begun.length + sent.length === 0) return [];
		const { stored } = this.log;
		const runKeys = [this.runKey(), this.runKey(stored.otherRun)];
		const keys = [...runKeys, ...sent.map(this.sentKey), ...begun.flatMap(this.begunKeys)];
		const added = await this.use(async () => {
			this.data.keepRoom(this.roomHolder, createKeyCount(this.roomHolder));
			return await this.data.add(keys);
		});
		if (!added) return [];
		if (stored.otherRun !== undefined) stored.hasOtherRunEnded ||= added.has(runKeys[1]);
		const isTaken = !this.isRunOnRecord && !added.has(runKeys[0]);
		if (isTaken && this.isOfOneStart) await this.addRun();
		this.isRunOnRecord = true;
		const isFound = (send: Send) => stored.hasOtherRunEnded || !added.has(this.begunKey(send));
		const found = begun.filter(isFound);
		const foreign = found.filter(({ isTakenOff }) => !isTakenOff);
		const isAlone = foreign.length === found.length || (await this.isAlone());
		const others = isAlone ? foreign : found;
		stored.isIncomplete ||= this.isOfOneStart && others.some(({ earlier }) => !earlier);
		return others;
	}

	/**
	 * Whether no other run is on record that the send log does not know. This run takes the next number to find out, and keeps
	 * it: what it removed, another process could write back, and it would look like another run.
	 */
	private async isAlone(): Promise<boolean> {
		const { stored } = this.log;
		if (stored.otherRun === undefined) {
			stored.runs++;
			await this.takeNumber();
		}
		return stored.otherRun === undefined;
	}

	/**
	 * Returns what is on record under the numbers of sends, as attempts; their content is empty where it is not that of one of
	 * these sends. This only reads.
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
	 */
	async forget(sends: Send[], what: 'begun' | 'sent' = 'begun'): Promise<void> {
		const keys = sends.flatMap(what === 'begun' ? this.begunKeys : this.sentKey);
		await this.use(async () => await this.data.remove(keys));
	}

	/** Records within a second that a send was sent, unless the execution ends before. */
	addSoon(sent: Send): void {
		if (this.isAvailable) this.data.addSoon([this.sentKey(sent)]);
	}

	/** Call this at the end of a run. Its keys are needed until n8n has stored the execution, with the send log. */
	end(): void {
		const { stored } = this.log;
		const isRemoved =
			this.isTemporary &&
			(awaitedLogs.has(stored) ||
				onExecutionStored(this.context, (isStored) => {
					if (isStored && this.data.hasRoom(this.roomHolder)) this.removeAll();
					else this.data.releaseRoom(this.roomHolder);
				}));
		if (isRemoved) awaitedLogs.add(stored);
		else this.data.releaseRoom(this.roomHolder);
	}

	/**
	 * Whether n8n may have dropped keys that a retry needs. Where it does not tell the ends of executions, every record becomes full,
	 * mostly of keys that nobody needs. Call this before `end`.
	 */
	async isFull(): Promise<boolean> {
		if (!supportsOnExecutionFinish(this.context)) return false;
		return (await this.use(async () => await this.data.isFull())) ?? false;
	}

	/** Removes all keys of the execution, except those of unknown sends. */
	private removeAll(): void {
		const { stored } = this.log;
		const runKeys = Array.from({ length: stored.runs }, (_, i) => this.runKey(i + 1));
		// In about the order in which they are on record: n8n searches from the front for each key.
		const sends = this.log.list().filter(({ fate }) => fate.is === 'sent');
		const sendKeys = sends.flatMap((send) => [...this.begunKeys(send), this.sentKey(send)]);
		// Until they are removed, they must not push out others, and the log is not in memory any more.
		const count = countKeys(stored);
		this.data.keepRoom(this.roomHolder, () => count);
		this.data.removeSoon([...runKeys, ...sendKeys], this.roomHolder);
	}

	/** @param more with each call */
	private async findKeys(keys: string[], more: string[] = []): Promise<Set<string>> {
		const found = new Set<string>();
		for (let i = 0; i < keys.length; i += MAX_KEYS_AT_ONCE) {
			const some = [...more, ...keys.slice(i, i + MAX_KEYS_AT_ONCE)];
			for (const key of (await this.use(async () => await this.data.find(some))) ?? []) {
				found.add(key);
			}
		}
		return found;
	}

	private openRecord(scope: DeduplicationScope): ProcessedData {
		return new ProcessedData(this.context, scope, MAX_KEYS, RECORD_NEEDED, RECORD_FAILED);
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
				this.data = this.openRecord('node');
			} else throw error;
			return await this.use(call);
		});
	}
}

/** Not within the class: there, the function would keep the log in memory by itself. */
function createKeyCount(reference: WeakRef<StoredSendLog>): () => number | undefined {
	return () => {
		const log = reference.deref();
		return log && countKeys(log);
	};
}

function countKeys({ attempts }: StoredSendLog): number {
	return Object.keys(attempts).length * KEYS_PER_SEND;
}
