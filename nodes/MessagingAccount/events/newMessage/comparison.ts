import type { KeyedMessage } from '../../messages/messageKey';
import { diffMessages } from './diffMessages';
import type { ChosenIdField } from './idField';
import type { Options } from './options';
import { renewKeys, getDetected, readPollState } from './pollState';

/** What a poll has read of the list. */
export interface List extends ChosenIdField {
	/** In the service's order; the first one has the newest messages, at either end. */
	pages: KeyedMessage[][];
	/** Set if the next page was not read: because of this error, or for lack of time. */
	cutShort?: { error?: Error };
}

export type Comparison = ReturnType<typeof compare>;

export function compare(stored: unknown, list: List, account: string, options: Options) {
	const { state: before, startsOver, held } = readPollState(stored, account, options.asked);
	const state = before && renewKeys(before, list.pages, list.field);
	const difference = diffMessages(list.pages, state);
	// The first poll, and one that starts over, has none: the listed messages were there before.
	const last = startsOver ? undefined : state;
	const needsPage = difference.needsMore && (last !== undefined || options.emitsExisting);
	const detectedBefore = getDetected(before)?.field;
	return { startsOver, held, state, last, detectedBefore, difference, needsPage };
}
