import { deepCopy } from 'n8n-workflow';

import type { IdField, KeyedMessage } from '../../messages/messageKey';
import { findListOrder, sortOldestFirst } from '../../messages/messageOrder';
import type { HeldMessage } from './combineMessages';
import type { Condition } from './options';

/** How much `proof` times need to count against positions, and the most that is counted. */
export const [ENOUGH_PROOF, MAX_PROOF] = [10, 12];

/** What `step` has stored for the next poll, in static data or a cursor. Its field names never change. */
export interface PollState {
	/** The key of the account, from `createAccountKey`. */
	account: string;
	/** Keys of known messages, the oldest first. */
	known: string[];
	idField: IdField;
	/** See `ChosenIdField`. 0 also if the user set that field: it is forgotten when the option is removed. */
	idEvidence: number;
	/** The warnings so far that come only once: see `describeFindings`. */
	told?: string[];
	/** The end of the list with the newest messages: positive for the first; the farther from 0, the more polls agree. 0 if unknown. */
	order: number;
	/** The hash of the query parameters as entered: other ones ask for another list. */
	asked: string;
	/** The conditions as evaluated when n8n last stored the state: it may not have stored which messages they left out since. */
	conditions?: Condition[];
	/** Times of messages, in ms since 1970; absent if they have none. */
	times?: {
		/** As in `ListOrder`. */
		field: string;
		/** The time before which messages were there before the first poll: see `updateTimes`. */
		oldest?: number;
		/** The latest time of all messages so far. */
		newest: number;
		/** How many new messages were later than all before, less those that were not, up to `MAX_PROOF`. */
		proof?: number;
	};
	/**
	 * The key of the message up to which the next poll must read on, or up to one known before it, because the last poll did not get that
	 * far, or read pages that may not fit together. Empty if it must read to the end of the list.
	 */
	recheckAfter?: string;
	held?: HeldMessage[];
	/** The time of the last poll, in ISO 8601. */
	polledAt: string;
}

export type StartsOver = 'unreadable' | 'otherAccount' | 'otherQuery';
type ReadState = { state?: PollState; startsOver?: StartsOver; held: HeldMessage[] };

/**
 * Reads the state that an earlier poll stored: none before the first one. If it was not stored for what is listed now, the trigger has to
 * start over. After a change of the query, known messages stay known. Held messages are still to be emitted in any case.
 * @param asked the hash of the query, as in `PollState`
 */
export function readPollState(stored: unknown, account: string, asked: string): ReadState {
	if (stored === undefined) return { held: [] };
	// n8n would wrap what comes from its static data in one more proxy each time.
	const state = deepCopy(stored as PollState);
	const held = Array.isArray(state?.held) ? state.held.filter(isHeld) : [];
	if (!isPollState(state)) return { startsOver: 'unreadable', held };
	if (state.account !== account) return { startsOver: 'otherAccount', held };
	const ofOtherList = { ...state, order: 0, times: undefined, recheckAfter: undefined };
	if (state.asked !== asked) return { startsOver: 'otherQuery', state: ofOtherList, held };
	return { state, held };
}

const isHeld = (entry: Partial<HeldMessage> | null) =>
	typeof entry?.message === 'object' && typeof entry.foundAt === 'string';

/** Whether the state is whole: n8n's database or a person may have changed it. */
function isPollState(state: PollState | null): state is PollState {
	const { account, known, idField, idEvidence, order, asked, polledAt } = state ?? {};
	const { told = [], conditions = [], times = { field: '', newest: 0 } } = state ?? {};
	if (![known, told, conditions].every(Array.isArray)) return false;
	const fields = [times, ...conditions].map((one: { field: string } | null) => one?.field);
	const texts = [account, idField, asked, polledAt, ...known!, ...fields];
	const numbers = [idEvidence, order, times?.newest];
	return texts.every((one) => typeof one === 'string') && numbers.every(Number.isFinite);
}

/** Returns the field of the IDs that earlier polls have found; undefined if there is none, or if the user had set it. */
export const getDetected = (state: PollState | undefined) =>
	state?.idEvidence ? { field: state.idField, evidence: state.idEvidence } : undefined;

/**
 * Returns the state with the keys that messages have now, e.g. for another ID field. Of messages that share an old key, only the oldest is
 * known: others may be new, and all if another one still has that key.
 */
export function renewKeys(state: PollState, pages: KeyedMessage[][], idField: IdField): PollState {
	const all = pages.flat();
	const isOther = state.idField !== idField;
	if (!isOther && !all.some(({ earlierKeys = [] }) => earlierKeys.length > 0)) return state;
	const messages = all.map(({ message }) => message);
	const listOrder = findListOrder(messages, state.times?.field);
	const newKeys = new Map(all.map(({ key }) => [key, key]));
	for (const { key, earlierKeys = [] } of sortOldestFirst(pages, state.order || listOrder.order))
		for (const oldKey of earlierKeys) if (!newKeys.has(oldKey)) newKeys.set(oldKey, key);
	const toNewKey = (key: string) => newKeys.get(key) ?? key;
	const { recheckAfter } = state;
	const raises = isOther && recheckAfter === undefined;
	return {
		...state,
		idField,
		known: [...new Set(state.known.map(toNewKey))],
		recheckAfter: recheckAfter && toNewKey(recheckAfter),
		times: raises ? raiseOldest(state.times, messages, listOrder) : state.times,
	};
}

/** Of what is older than a list that changes the ID field, the keys are not known any more. It was there before. */
function raiseOldest(
	times: PollState['times'],
	messages: unknown[],
	{ byTime }: ReturnType<typeof findListOrder>,
): PollState['times'] {
	if (times?.oldest === undefined || times.field !== byTime?.field) return times;
	const all = messages.flatMap((one) => byTime.read(one) ?? []);
	return { ...times, oldest: Math.max(times.oldest, Math.min(...all)) };
}
