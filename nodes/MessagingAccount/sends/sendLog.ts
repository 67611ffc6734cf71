import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { HASH_LENGTH } from '../shared/hash';
import { isToolNode } from '../shared/isToolNode';
import { createFingerprints, findExpressions, type Expressions } from './fingerprints';
import { INTERRUPTED, isSent, isUnknown, type Outcome } from './outcome';

/** One attempt, stored as JSON. */
type StoredAttempt = [
	/** Of a loop. */
	round: number,
	itemIndex: number,
	keys: string[],
	/** Null while it is in progress. */
	outcome: Outcome | null,
	/** For a tool: the execution that made the call. */
	executionId?: string,
];

/** In the node's context. */
export interface StoredSendLog {
	/** How many runs of the node the log knows, this one included. */
	runs: number;
	/** Whether another run may have sent something that this log does not know, because n8n crashed or another retry ran. */
	isIncomplete?: boolean;
	/** By place: a number, which starts higher in each run, because calls of a tool may run at the same time. */
	attempts: Record<string, string>;
}

const MAX_PLACES_PER_RUN = 1_000_000;

interface FoundAttempt {
	/** Its place among the stored attempts; undefined if it must stay as it is. */
	place?: string;
	/** Under which it is stored: also if an edit gives it other keys, it must be found by these. */
	keys?: string[];
	outcome: Outcome;
}

/** The log entry of one send. Each call changes what is stored at once. */
export interface SendLogEntry {
	readonly itemIndex: number;
	/** Identify the send within the execution and its retries. Two sends with a key in common are the same. */
	readonly keys: string[];
	/** The outcome of an earlier attempt at the same send. */
	previous?: Outcome;
	/** Whether a request of it may have been made that has not failed for certain. */
	isStarted: boolean;
	/** Call this before the request is made: until the outcome is certain, it is unknown. */
	begin(): void;
	end(outcome: Outcome): void;
	/** Ends it without a trace. */
	notSent(): void;
}

/**
 * What the node sent in this execution. It is in the node's context, which n8n stores with the execution at its end, so it is
 * still there when n8n runs the node again because of "Retry On Fail" or "Retry execution". `WriteAheadLog` has what must
 * survive a crash.
 *
 * This must always be true: every attempt that the service may have carried out is in the log, and an attempt that failed for
 * certain removes nothing but itself.
 */
export class SendLog {
	readonly stored: StoredSendLog;

	/** Of a loop. n8n counts each call of a tool as a round of its own, but for us they are all in one. */
	readonly round: number;

	private nextPlace: number;

	private readonly isTool: boolean;

	private readonly executionId: string;

	private readonly expressions: Expressions;

	/** The best outcome of the stored attempts, by key. */
	private readonly byKey = new Map<string, FoundAttempt>();

	/** The stored attempts of other rounds, and of all calls of a tool, that are unknown, by fingerprint. */
	private readonly unknown = new Map<string, Outcome>();

	/** Indexes of the items of this round with an attempt that may have sent something. */
	private readonly attemptedItems = new Set<number>();

	/**
	 * Keys that no further send gets: of this run, of successful attempts of other rounds, and of other calls of a tool in this
	 * execution.
	 */
	private readonly usedKeys = new Set<string>();

	/** The last number given, by fingerprint: many sends may be equal. */
	private readonly lastNumbers = new Map<string, number>();

	constructor(private readonly context: IExecuteFunctions) {
		const node = context.getNode();
		this.isTool = isToolNode(node);
		this.expressions = this.isTool ? {} : findExpressions(node.parameters);
		this.round = this.isTool ? 0 : (context.getWorkflowDataProxy(0).$runIndex as number);
		// Unknown outside of n8n, e.g. in tests.
		this.executionId = context.getExecutionId() ?? '';
		const nodeContext = context.getContext('node') as { sendLog?: StoredSendLog };
		this.stored = nodeContext.sendLog ??= { runs: 0, attempts: {} };
		this.nextPlace = this.stored.runs++ * MAX_PLACES_PER_RUN;
		for (const [place, attempt] of Object.entries(this.stored.attempts)) {
			this.addToIndex(place, JSON.parse(attempt) as StoredAttempt);
		}
	}

	/** Whether an earlier attempt at an item may have sent something, even with a different number or image. */
	mayHaveSent(itemIndex: number): boolean {
		return this.attemptedItems.has(itemIndex);
	}

	/** For a tool: whether the outcome of any call is unknown. */
	hasUnknownCall(): boolean {
		return this.isTool && this.unknown.size > 0;
	}

	/**
	 * Returns the log entry of an item. Call this in the order of the items, because equal sends are told apart by their order.
	 *
	 * @param content what identifies the send
	 */
	entryFor(itemIndex: number, content: IDataObject): SendLogEntry {
		const fingerprints = createFingerprints(content, this.expressions, () =>
			JSON.stringify(withoutOwnError(this.context.getInputData()[itemIndex].json)),
		);
		const keys = fingerprints.map((fingerprint) => this.createKey(fingerprint));
		const found = this.find(keys, fingerprints);
		// In whatever way it fails now, an earlier attempt may have sent it.
		if (!this.isTool && isUnknown(found?.outcome)) this.attemptedItems.add(itemIndex);
		const place = found?.place ?? String(this.nextPlace++);
		const storedKeys = found?.keys ? [...new Set([...found.keys, ...keys])] : keys;
		const store = (outcome: Outcome | null) => {
			const attempt: StoredAttempt = [this.round, itemIndex, storedKeys, outcome];
			if (this.isTool) attempt.push(this.executionId);
			this.stored.attempts[place] = JSON.stringify(attempt);
		};
		const remove = () => delete this.stored.attempts[place];
		// A tool's next equal call in this execution is another send.
		if (this.isTool && found && isSent(found.outcome)) store(found.outcome);
		return {
			itemIndex,
			keys,
			previous: found?.outcome,
			isStarted: false,
			begin() {
				this.isStarted = true;
				store(null);
			},
			end(outcome) {
				store(outcome);
				this.previous = outcome;
			},
			notSent() {
				this.isStarted = false;
				remove();
			},
		};
	}

	private addToIndex(
		place: string,
		[round, itemIndex, keys, stored, executionId]: StoredAttempt,
	): void {
		const outcome = stored ?? INTERRUPTED;
		if (round === this.round) {
			for (const key of keys) {
				const other = this.byKey.get(key);
				if (!other || rank(outcome) > rank(other.outcome))
					this.byKey.set(key, { place, keys, outcome });
			}
			// Each call of a tool is its own item.
			if (!this.isTool && !('idReserved' in outcome)) this.attemptedItems.add(itemIndex);
		}
		const fingerprints = keys.map((key) => key.slice(0, HASH_LENGTH));
		if (isUnknown(outcome) && (this.isTool || round !== this.round)) {
			for (const fingerprint of fingerprints) this.unknown.set(fingerprint, outcome);
		}
		const isOther = this.isTool ? executionId === this.executionId : round !== this.round;
		if (isSent(outcome) && isOther) keys.forEach((key) => this.usedKeys.add(key));
	}

	private find(keys: string[], fingerprints: string[]): FoundAttempt | undefined {
		const [best] = keys
			.flatMap((key) => this.byKey.get(key) ?? [])
			.sort((a, b) => rank(b.outcome) - rank(a.outcome));
		if (best) return best;
		// A loop sends again what was sent, but not what is unknown.
		const outcome = fingerprints.map((fingerprint) => this.unknown.get(fingerprint)).find(Boolean);
		return outcome && { outcome };
	}

	/** Of equal sends, each has a key of its own: a number is added to the fingerprint, from the second on. */
	private createKey(fingerprint: string): string {
		let key = fingerprint;
		let number = this.lastNumbers.get(fingerprint) ?? 0;
		while (this.usedKeys.has(key)) key = `${fingerprint}.${++number}`;
		if (number > 0) this.lastNumbers.set(fingerprint, number);
		this.usedKeys.add(key);
		return key;
	}
}

/** Lists the keys of the attempts of a round that were successful. */
export function listSentKeys({ attempts }: StoredSendLog, ofRound: number): string[] {
	return Object.values(attempts).flatMap((stored) => {
		const [round, , keys, outcome] = JSON.parse(stored) as StoredAttempt;
		return round === ofRound && outcome && isSent(outcome) ? keys : [];
	});
}

/** Of several attempts at the same send, one that was successful counts more than others. */
function rank(outcome: Outcome): number {
	return isSent(outcome) ? 2 : isUnknown(outcome) ? 1 : 0;
}

/** n8n adds the error of a failed item to its input, which makes another input of it in the next round of a loop. */
function withoutOwnError(input: IDataObject): IDataObject {
	const { error, ...fields } = input;
	const isOwn = typeof error === 'object' && error !== null && 'delivery' in error;
	return isOwn ? fields : input;
}
