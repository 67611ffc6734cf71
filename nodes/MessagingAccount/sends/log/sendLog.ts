import type { IExecuteFunctions } from 'n8n-workflow';

import { getField } from '../../shared/fields';
import { groupBy } from '../../shared/groupBy';
import {
	type Attempt,
	type EarlierOutcome,
	mayBeSent,
	type Outcome,
	type RecordPlace,
	unknownBecause,
} from '../attempt';
import { findChanged, findToAvoid, matchAttempts } from './matching';
import type { Send } from '../send';
import { StoredLog, toEntry } from './storedLog';

const PLANNED: Outcome = { is: 'planned' };
const OTHER_CALL = unknownBecause('an earlier call may have been the same');

/**
 * What the log tells of earlier attempts at the sends of this run, and what this run writes into it.
 *
 * This must always be true: every attempt that the service may have carried out is in the log. One that certainly failed removes only itself.
 */
export class SendLog {
	readonly stored: StoredLog;
	/**
	 * What this run knows of its sends: its attempt, and the outcome of the one before. Their common entry in the log never hides what was, or
	 * may have been, sent: if it was unknown before, it stays so, unless the attempt ends as sent.
	 */
	private readonly attempts = new Map<Send, Attempt>();
	private readonly earlier = new Map<Send, EarlierOutcome>();
	private readonly ownEntries = new Set<string>();
	/** The items that an earlier attempt may have sent, by its entry. */
	private readonly uncertainItems = new Map<string, number>();

	constructor(private readonly context: IExecuteFunctions) {
		this.stored = new StoredLog(context);
		const { wasOpen, repeatsRun, run } = this.stored;
		// In the next round of a loop, there is nothing to do, and the log may be long.
		for (const one of repeatsRun || !wasOpen ? this.stored.list() : []) {
			// In another execution, the record may say more of what was unknown: so it is looked up again.
			if (!wasOpen && one.outcome.is === 'unknown')
				this.stored.write({ ...one, isLookedUp: false });
			if (repeatsRun && one.run === run) this.noteUncertain(one);
		}
	}

	/**
	 * Gives sends their entries in the log, and finds earlier attempts at them. One that matches none gets a new entry. It is `changed`, or
	 * unknown for a tool, if some are left at its recipient. Call this in the order of the items.
	 */
	match(sends: Send[]): void {
		const areIdsNew = this.stored.repeatsRun && !this.hasAnyIdOf(sends);
		const { wasOpen, isTool, repeatsRun, taken } = this.stored;
		// With Retry On Fail, the items are the very same. One that could not be planned in the last try may have had an attempt before.
		const isOfSameItem = (one: Attempt) => wasOpen && repeatsRun && taken.has(toEntry(one));
		for (const [recipientHash, group] of groupBy(sends, (send) => send.recipientHash)) {
			const { toMatch, toAvoid } = this.listEarlier(recipientHash);
			const { matched, left } = matchAttempts(group, toMatch, isOfSameItem, isTool);
			const create = (send: Send) => this.createAttempt(send, left, toAvoid, areIdsNew);
			for (const send of group) this.giveEntry(send, matched.get(send) ?? create(send));
		}
	}

	/** Returns what is known of earlier attempts at a send; undefined if nothing was, or may have been, sent. */
	earlierOf(send: Send): EarlierOutcome | undefined {
		return this.earlier.get(send);
	}

	attemptOf(send: Send): Readonly<Attempt> {
		return this.attempts.get(send)!;
	}

	/** Adds the outcome of an earlier attempt that is on record. */
	addEarlier(send: Send, outcome: EarlierOutcome): void {
		// The log may know why it is unknown, and the record does not.
		const isKnown = outcome.is !== 'sent' && this.earlier.get(send)?.is === 'unknown';
		const isOtherCall = this.stored.isTool && outcome.is === 'changed';
		if (!isKnown) this.earlier.set(send, isOtherCall ? OTHER_CALL : outcome);
		const { contentHash, idHash } = send;
		this.writeUnbegun(send, { isLookedUp: true, contentHash, idHash });
	}

	/** Notes the place of the next attempt on record. */
	begin(send: Send, place: RecordPlace): void {
		this.writeUnbegun(send, { place, contentHash: send.contentHash, idHash: send.idHash });
	}

	/** Notes the outcome of an attempt in this run, as it is then. */
	settle(send: Send, outcome: Outcome): void {
		const attempt = this.attempts.get(send)!;
		const earlier = this.earlier.get(send);
		// A refused attempt says nothing of the one before, which may have sent this message or an earlier version. One more unknown does not, either.
		const saysNothing = outcome.is === 'notSent' || outcome.is === earlier?.is;
		attempt.outcome = saysNothing && earlier ? earlier : outcome;
		this.stored.write(attempt);
	}

	/** Notes that a send will not be made in this run. */
	skip(send: Send): void {
		this.writeUnbegun(send, { outcome: { is: 'notSent' } });
	}

	/** Whether an earlier attempt at an item may have sent something, even to another number. */
	mayHaveSent(itemIndex: number): boolean {
		return [...this.uncertainItems.values()].includes(itemIndex);
	}

	/** Whether the node is a tool, and the outcome of any of its calls is unknown. */
	hasUnknownCall(): boolean {
		return this.stored.isTool && this.stored.list().some(({ outcome }) => outcome.is === 'unknown');
	}

	/** Whether the log has an ID of these. If not, nobody knows whether they are other orders, or the text of all IDs was changed. */
	private hasAnyIdOf(sends: Send[]): boolean {
		const ids = new Set(sends.map(({ idHash }) => idHash));
		return this.stored.list().some(({ idHash }) => idHash !== undefined && ids.has(idHash));
	}

	/** Returns a new attempt, with what is known of others that may have been the same message: of those left after matching, and to avoid. */
	private createAttempt(send: Send, left: Attempt[], toAvoid: Attempt[], areIdsNew: boolean) {
		const { recipientHash, itemIndex, contentHash, idHash } = send;
		const { isTool, run } = this.stored;
		const sequence = this.stored.countAt(recipientHash);
		const delivery = getField(this.context.getInputData()[itemIndex].json, 'error.delivery');
		const changed = findChanged(send, left, areIdsNew);
		const isRepeated = changed !== undefined || left.some((one) => one.contentHash === contentHash);
		const outcome = isTool && isRepeated ? OTHER_CALL : changed;
		const avoided = outcome ? undefined : findToAvoid(send, toAvoid, delivery, isTool);
		const message = avoided ?? { contentHash, idHash, outcome: outcome ?? PLANNED };
		// Several items may be the same as one that is unknown: each gets an entry of its own, and is looked up.
		return { ...message, recipientHash, sequence, run, itemIndex, isLookedUp: false };
	}

	/** Gives a send an entry: that of the earlier attempt, with its message until the next one begins, or a new one of `createAttempt`. */
	private giveEntry(send: Send, found: Attempt): void {
		const { outcome } = found;
		if (mayBeSent(outcome) || outcome.is === 'changed') this.earlier.set(send, outcome);
		const mine = { run: this.stored.run, itemIndex: send.itemIndex };
		this.attempts.set(send, { ...found, ...mine, outcome: PLANNED });
		this.ownEntries.add(toEntry(found));
		this.stored.taken.add(toEntry(found));
		this.writeUnbegun(send);
	}

	/** Writes the entry of an attempt that has not begun, with the outcome of the one before. @param news what has changed of it */
	private writeUnbegun(send: Send, news: Partial<Attempt> = {}): void {
		const attempt = Object.assign(this.attempts.get(send)!, news);
		const known = { ...attempt, outcome: this.earlier.get(send) ?? attempt.outcome };
		this.noteUncertain(known);
		this.stored.write(known);
	}

	private noteUncertain(attempt: Attempt): void {
		const { itemIndex, outcome } = attempt;
		if (mayBeSent(outcome)) this.uncertainItems.set(toEntry(attempt), itemIndex);
	}

	/**
	 * Returns the earlier attempts at a recipient, in sequence. Those to match with items are of earlier tries of this run or, for a tool, of
	 * earlier executions; of the others, of earlier runs or calls, what is unknown must not go out again.
	 */
	private listEarlier(recipientHash: string) {
		const { isTool, run } = this.stored;
		const attempts = this.stored.attemptsAt(recipientHash);
		const earlier = attempts.filter((one) => !this.ownEntries.has(toEntry(one)));
		const isToMatch = (one: Attempt) =>
			isTool ? one.run !== run && mayBeSent(one.outcome) : one.run === run;
		const groups = groupBy(earlier, isToMatch);
		return { toMatch: groups.get(true) ?? [], toAvoid: groups.get(false) ?? [] };
	}
}
