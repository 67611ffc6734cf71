import type { IDataObject } from 'n8n-workflow';

import type { KeyedMessage } from '../../messages/messageKey';
import { combineMessages } from './combineMessages';
import { diffMessages, type Difference } from './diffMessages';
import type { ChosenIdField } from './idField';
import { meetsAll, type Options } from './options';
import { changeIdField, readPollState, type PollState } from './pollState';
import * as warnings from './warnings';

/** What a poll has read of the list. */
export interface List extends ChosenIdField {
	/** In the service's order; the first one has the newest messages, at either end. */
	pages: KeyedMessage[][];
	/** Whether a further page can be read. */
	hasMore: boolean;
	/** Set if the next page was not read: because of this error, or for lack of time. */
	cutShort?: { error?: Error };
}

/** What a poll knows besides the list. */
export interface Now {
	account: string;
	/** The time of the poll, in ISO 8601. */
	polledAt: string;
	/** Otherwise, n8n has not stored later polls, which emitted nothing. */
	isStateOfLastPoll: boolean;
}

interface Result {
	need?: undefined;
	/** The items that start the workflow, perhaps none; null if nothing starts it. */
	emit: IDataObject[] | null;
	/** The item for the output of possible gaps. */
	gap?: { noticedAt: string; messagesListed: number; since: string };
	next: PollState;
	/** For n8n's log. */
	log: string[];
	/** The same, and people must learn of it. */
	alerts: string[];
}

/**
 * One step of the trigger: from the stored state and the list to what is emitted and stored. This must always be true:
 *
 * - Only the stored state, the list, the time and the options decide. What n8n has dropped has never happened.
 * - What is known and what is held is one object, which n8n stores together with what is emitted, or not at all. So each message is
 *   emitted or held once, and one that was neither is known only if it was there before, or conditions left it out.
 * - What conditions left out stays out, even if n8n has not stored this: a message that those of the stored state leave out is not emitted.
 * - If messages may have been missed, the step that finds this tells it.
 */
export function step(stored: unknown, list: List, now: Now, options: Options) {
	const before = readPollState(stored, now.account, options.asked);
	const difference = compare(list, list.pages, before.state);
	// The first poll, and one that starts over, has none: the listed messages were there before.
	const last = before.startsOver ? undefined : before.state;
	const needsPage = difference.needsMore && (last !== undefined || options.emitsExisting);
	if (needsPage && list.hasMore) return { need: 'page' as const };

	const emitsExisting = options.emitsExisting && before.startsOver !== 'unreadable';
	const passing = difference.newMessages.map(({ message }) => message).filter(options.passes);
	const current = last || emitsExisting ? passing : [];
	const emitted = now.isStateOfLastPoll
		? current
		: current.filter(meetsAll(before.state?.conditions));
	const leftOut = current.length - emitted.length;
	const { items, held } = combine(before, emitted, now, options);
	const gap = last && difference.hasGap ? createGap(difference, last, now) : undefined;
	// Without an execution, n8n would not save that the trigger has started over, holds messages, or leaves some out.
	const mustSave = emitted.length + leftOut + items.length > 0 || before.startsOver !== undefined;
	const told = tell(list, before, difference, options, { leftOut, gap, emitsExisting });
	// A poll of the scheduler that is not saved would alert again.
	const mustTell = told.alerts.length > 0 && !now.isStateOfLastPoll;
	return {
		emit: mustSave || mustTell || (gap && options.hasGapOutput) ? items : null,
		gap,
		log: told.log,
		alerts: told.alerts,
		next: {
			...createNext(list, before.state, difference, needsPage),
			...{ account: now.account, polledAt: now.polledAt, asked: options.asked },
			conditions: options.conditions,
			missingTold: told.missingTold,
			told: told.told,
			held: held.length > 0 ? held : undefined,
		},
	} satisfies Result;
}

type Before = ReturnType<typeof readPollState>;

export const compare = (
	{ field }: ChosenIdField,
	pages: KeyedMessage[][],
	state: PollState | undefined,
): Difference => diffMessages(pages, state && changeIdField(state, pages, field));

/** Combines messages with those that are held, but not messages from before and after a new start. */
function combine({ held, startsOver }: Before, found: unknown[], now: Now, options: Options) {
	const [older, current] = startsOver ? [held, []] : [[], held];
	const atOnce = { ...options.combine, maxMs: 0 };
	const before = combineMessages(older, [], now.polledAt, atOnce);
	const combined = combineMessages(current, found, now.polledAt, options.combine);
	return { items: [...before.items, ...combined.items], held: combined.held };
}

const createGap = ({ listed }: Difference, last: PollState, { polledAt }: Now) => ({
	noticedAt: polledAt,
	messagesListed: listed.length,
	since: last.polledAt,
});

/** Describes what somebody should know: in n8n's log or, if messages may be missing or an option is wrong, as an alert. */
function tell(
	list: List,
	{ state, startsOver }: Before,
	difference: Difference,
	{ namedFields, listQuery, hasGapOutput, passes }: Options,
	found: { leftOut: number; gap: Result['gap']; emitsExisting: boolean },
) {
	const { leftOut, gap, emitsExisting } = found;
	const missing = warnings.findMissingField(list.pages[0], namedFields);
	const missingText =
		missing && missing.text !== state?.missingTold && `${missing.text}. ${missing.advice}`;
	// A field that only some messages have may just not be there now.
	const isMissed = missing?.isMisspelled || !list.pages[0].some(({ message }) => passes(message));
	const gapText =
		gap && warnings.describeGap(gap, listQuery.paging !== undefined, list.cutShort?.error);
	const counts = { ...difference, shared: list.shared };
	const isText = (text: unknown) => typeof text === 'string';
	return {
		missingTold: missing?.text ?? state?.missingTold,
		told: warnings.listTold(counts, state?.told),
		log: [
			...warnings.describeMessages(list.field, state, difference.newMessages, counts),
			!isMissed && missingText,
			hasGapOutput && gapText,
		].filter(isText),
		alerts: [
			isMissed && missingText,
			leftOut > 0 && warnings.describeLeftOut(leftOut),
			startsOver && warnings.describeStartingOver(startsOver, emitsExisting),
			!hasGapOutput && gapText,
		].filter(isText),
	};
}

/** Creates what the next poll must know of the list. */
function createNext(
	list: List,
	state: PollState | undefined,
	{ next, newestKnown }: Difference,
	needsPage: boolean,
) {
	const isUnread = needsPage && list.cutShort !== undefined;
	// Pages that were read one after another may not fit together.
	const mayNotFit =
		state !== undefined &&
		list.pages.length > 1 &&
		compare(list, [list.pages[0]], { ...state, recheckAfter: undefined }).needsMore;
	// The mark of an earlier poll stays while messages after it are unread.
	const recheckAfter = (isUnread ? state?.recheckAfter : undefined) ?? newestKnown;
	// Messages that a first poll could not read were there, too, and are older.
	const isOldestKnown = state !== undefined || !isUnread;
	return {
		...next,
		times: next.times && { ...next.times, oldest: isOldestKnown ? next.times.oldest : undefined },
		idField: list.field,
		idEvidence: list.evidence,
		recheckAfter: isUnread || mayNotFit ? recheckAfter : undefined,
	};
}
