import { isMutableName } from '../../shared/names';
import type { TriggerState } from '../triggerState';
import { combineMessages, combineNow, toMessages } from './combineMessages';
import { compare, type Comparison, type List } from './comparison';
import { meetsAll, type Options } from './options';
import type { PollState } from './pollState';
import { describeFindings } from './warnings';

/** What a poll knows besides the list: `polledAt` is its time, in ISO 8601. */
type PollFacts = Pick<TriggerState, 'isOfLastPoll' | 'isSavedAnyway'> &
	Pick<PollState, 'account' | 'polledAt'>;

/**
 * One step of the trigger: from the stored state and the list to what is emitted and stored. This must always be true:
 *
 * - Only the stored state, the list, the time and the options decide. What n8n has dropped has never happened.
 * - What is known and what is held is one object, which n8n stores together with what is emitted, or not at all. So each message is
 *   emitted or held once, and one that was neither is known only if it was there before, or conditions left it out.
 * - What conditions left out stays out, even if n8n has not stored this: a message that those of the stored state leave out is not emitted,
 *   and the step that leaves out another one, or one that may change, has it stored.
 * - If messages may have been missed, the step that finds this tells it.
 */
export function step(stored: unknown, list: List, now: PollFacts, options: Options) {
	const compared = compare(stored, list, now.account, options);
	const { state, startsOver, last, difference } = compared;
	const emitsExisting = options.emitsExisting && startsOver !== 'unreadable';
	const newMessages = difference.newMessages.map(({ message }) => message);
	const passing = last || emitsExisting ? newMessages.filter(options.passes) : [];
	const meetsStored = meetsAll(state?.conditions);
	const emittable = now.isOfLastPoll ? passing : passing.filter(meetsStored);
	// A message may meet a condition later if the field changes, e.g. its status.
	const mayMeetLater = options.conditions.some(({ field }) => isMutableName(field));
	const isLeftOutAnew = (message: unknown) =>
		!options.passes(message) && (mayMeetLater || meetsStored(message));
	// What was held before a new start is not combined with what comes after it.
	const { combine } = options;
	const released = startsOver ? combineNow(toMessages(compared.held), combine) : [];
	const waiting = startsOver ? [] : compared.held;
	const { items, held } = combineMessages(waiting, emittable, now.polledAt, combine);
	const emitted = [...released, ...items];
	const gapAt = { noticedAt: now.polledAt, messagesListed: difference.listed.length };
	const gap = last && difference.hasGap ? { ...gapAt, since: last.polledAt } : undefined;
	const toTell = { leftOut: passing.length - emittable.length, gap, emitsExisting };
	const { log, alerts, told } = describeFindings(list, compared, options, toTell);
	/** Why an execution starts. Without items, it only has n8n save the next state. */
	const reasons = {
		emits: emitted.length > 0,
		reportsGap: gap !== undefined && options.hasGapOutput,
		holdsOrStaysOut: passing.length > 0,
		startsOver: startsOver !== undefined,
		isFirst: !now.isSavedAnyway && state === undefined,
		leavesOut: !now.isSavedAnyway && newMessages.some(isLeftOutAnew),
		// A poll of the scheduler that is not saved would alert again.
		alertsOnce: !now.isOfLastPoll && alerts.length > 0,
	};
	const emit = Object.values(reasons).includes(true) ? emitted : null;
	return {
		/** The items that start the workflow, perhaps none; null if nothing starts it. */
		emit,
		gap,
		/** For n8n's log, and what people must learn besides. */
		log,
		alerts,
		next: {
			...createNext(list, compared),
			account: now.account,
			polledAt: now.polledAt,
			asked: options.asked,
			conditions: emit || now.isSavedAnyway ? options.conditions : state?.conditions,
			held: held.length > 0 ? held : undefined,
			told,
		} satisfies PollState,
	};
}

/** Creates what the next poll must know of the list. */
function createNext(list: List, { state, difference, needsPage }: Comparison) {
	const { next, newestKnown } = difference;
	const isUnread = needsPage && list.cutShort !== undefined;
	// Pages that were read one after another may not fit together.
	const mayNotFit = state !== undefined && list.pages.length > 1;
	// The mark of an earlier poll stays while messages after it are unread.
	const mark = (isUnread ? state?.recheckAfter : undefined) ?? newestKnown;
	// Messages that a first poll could not read were there, too, and are older.
	const isOldestKnown = state !== undefined || !isUnread;
	return {
		...next,
		times: next.times && { ...next.times, oldest: isOldestKnown ? next.times.oldest : undefined },
		idField: list.field,
		idEvidence: list.evidence,
		recheckAfter: isUnread || mayNotFit ? mark : undefined,
	};
}
