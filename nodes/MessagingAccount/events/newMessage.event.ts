import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import { createIdReader, type KeyedMessage } from '../messages/messageKey';
import { takeNewestEnd } from '../messages/messageOrder';
import { createPageRequest, readPages } from '../messages/pages';
import { createNodeKey, isSuperseded } from './publication';
import { readMessages } from '../transport/responses';
import type { TriggerEvent } from './event';
import { combineMessages, takeTestItem } from './newMessage/combineMessages';
import { diffMessages } from './newMessage/diffMessages';
import { chooseIdField } from './newMessage/idField';
import { changeIdField, MAX_KNOWN } from './newMessage/knownMessages';
import { newMessageOptions, readNewMessageOptions } from './newMessage/options';
import { readPollState, type PollState } from './newMessage/pollState';
import * as warnings from './newMessage/warnings';
import { openPollClient } from './pollClient';
import { readTriggerState, storeTriggerState } from './triggerState';

/** The least time for reading a further page. With less time left, the messages so far are emitted. */
const MIN_TIME_FOR_PAGE_MS = 10_000;

const EVENT = 'newMessage';

export const newMessage: TriggerEvent = {
	entry: {
		name: 'New Message',
		value: EVENT,
		description:
			'When a message appears in the list of the latest messages, whoever sent it: perhaps the account itself',
	},
	options: newMessageOptions,
	async poll(context) {
		const polledAt = new Date().toISOString();
		const { idField, listQuery, asked, filter, passes, combine, ...options } =
			readNewMessageOptions(context);
		const { namedFields, emitsExisting, hasGapOutput } = options;
		const pick = (messages: KeyedMessage[]) =>
			messages.flatMap(({ message }) => (passes(message) ? [message] : []));
		const isTest = context.getMode() === 'manual';
		const { accountKey, read, getTimeLeft } = await openPollClient(context);
		const now = { account: accountKey, asked, filter };
		const readState = () => readPollState(readTriggerState(context, EVENT), now);
		const response = await read(createPageRequest(listQuery, 0));
		const firstPage = takeNewestEnd(readMessages(response), MAX_KNOWN);
		if (!firstPage) throw new InvalidInputError(...TOO_MANY);

		const before = readState();
		const found = getDetected(before.state);
		const { field, evidence, shared } = chooseIdField(firstPage, idField, found);
		const compare = (pages: KeyedMessage[][], state: PollState | undefined) =>
			diffMessages(pages, state && changeIdField(state, pages, field));
		const isFirst = !before.state || before.startsOver !== undefined;
		const isOnePageEnough = isTest || (isFirst && !emitsExisting);
		let isLate = false;
		const isTooMuch = (soFar: unknown[][]) => soFar.flat().length > MAX_KNOWN;
		const { pages, error } = await readPages(firstPage, listQuery, field, read, (soFar) => {
			isLate = !isOnePageEnough && getTimeLeft() < MIN_TIME_FOR_PAGE_MS;
			return (
				isOnePageEnough || isLate || isTooMuch(soFar) || !compare(soFar, before.state).needsMore
			);
		});
		if (isTooMuch(pages)) pages.pop();

		// Do not await anything from here on: another poll could emit the same messages.
		if (isSuperseded(context)) return null;
		const { state, startsOver, held } = readState();
		// The first poll, and one that starts over, has none: the listed messages were there before.
		const lastPoll = startsOver ? undefined : state;
		const difference = compare(pages, state);
		const { listed, newMessages, hasGap, needsMore, newestKnown, reused, next } = difference;
		const missing = warnings.findMissingField(firstPage, namedFields);
		if (isTest) {
			const passing = pick(listed);
			// n8n shows no hints of a trigger.
			if (missing && (missing.isMisspelled || passing.length === 0)) {
				throw new InvalidInputError(missing.text, missing.advice);
			}
			if (passing.length === 0) return null;
			return createOutputs([takeTestItem(passing, combine)], hasGapOutput);
		}

		const hadToReadOn =
			state !== undefined &&
			pages.length > 1 &&
			compare([pages[0]], { ...state, recheckAfter: undefined }).needsMore;
		const isCutShort = needsMore && (error !== undefined || isLate);
		// The mark of an earlier poll stays while messages after it are unread.
		const recheckAfter = (isCutShort ? state?.recheckAfter : undefined) ?? newestKnown;
		// Messages that a first poll could not read were there, too, and are older.
		if (isCutShort && !state) delete next.times?.oldest;
		// Existing messages are not emitted if they may have been before, or if conditions left them out.
		const emitsAll = emitsExisting && startsOver !== 'unreadable' && startsOver !== 'otherFilter';
		const emitted = lastPoll || emitsAll ? pick(newMessages) : [];
		// Messages from before and after a new start do not belong together.
		const older = combineMessages(startsOver ? held : [], [], polledAt, { ...combine, maxMs: 0 });
		const combined = combineMessages(startsOver ? [] : held, emitted, polledAt, combine);
		const items = [...older.items, ...combined.items];
		storeTriggerState(context, EVENT, {
			...next,
			...now,
			idField: field,
			isFieldSet: idField !== '',
			idEvidence: evidence,
			sharingTold: shared > 0 || state?.sharingTold,
			reuseTold: reused > 0 || state?.reuseTold,
			recheckAfter: isCutShort || hadToReadOn ? recheckAfter : undefined,
			held: combined.held.length > 0 ? combined.held : undefined,
			polledAt,
		} satisfies PollState);

		const readId = createIdReader(field);
		const detected = getDetected(state)?.field;
		const withoutId = newMessages.filter(({ message }) => readId(message) === undefined).length;
		const gap =
			lastPoll && hasGap
				? { noticedAt: polledAt, messagesListed: listed.length, since: lastPoll.polledAt }
				: undefined;
		const texts = [
			missing && isFirstTime(context, missing.text) && `${missing.text}. ${missing.advice}`,
			startsOver && warnings.describeStartingOver(startsOver, emitsAll),
			detected && field.endsWith(`,${detected}`) && warnings.describeAddedFields(detected, field),
			shared > 0 && !state?.sharingTold && warnings.describeSharedIds(shared),
			reused > 0 && !state?.reuseTold && warnings.describeReusedIds(reused),
			withoutId > 0 && warnings.describeWithoutId(withoutId),
			gap && warnings.describeGap(gap, listQuery.paging !== undefined, error),
		];
		const { name } = context.getNode();
		const { id: workflowId } = context.getWorkflow();
		for (const text of texts) if (text) context.logger.warn(`${name}: ${text}`, { workflowId });

		// Without an execution, n8n would not save that the trigger has started over, or holds messages.
		const startsWorkflow = emitted.length + items.length > 0 || startsOver || (gap && hasGapOutput);
		return startsWorkflow ? createOutputs(items, hasGapOutput, gap) : null;
	},
};

const TOO_MANY = [
	'The service lists more than 5,000 messages, and it is not clear which are the newest',
	"Limit the list with 'Query Parameters', as documented by your service.",
] as const;

/** The last missing field of which each trigger has warned: n8n does not store the state of a poll that emits nothing. */
const told = new Map<string, string>();

function isFirstTime(context: IPollFunctions, text: string): boolean {
	const isTold = told.get(createNodeKey(context)) === text;
	told.set(createNodeKey(context), text);
	return !isTold;
}

function getDetected(state: PollState | undefined) {
	if (!state || state.isFieldSet) return undefined;
	return { field: state.idField, evidence: state.idEvidence };
}

function createOutputs(jsons: IDataObject[], hasGapOutput: boolean, gap?: warnings.Gap) {
	const items = jsons.map((json) => ({ json }));
	return hasGapOutput ? [items, gap ? [{ json: { ...gap } }] : []] : [items];
}
