import type { IDataObject } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import type { IdField, KeyedMessage } from '../messages/messageKey';
import { takeNewestEnd } from '../messages/messageOrder';
import { createPageRequest, readPages } from '../messages/pages';
import { log } from '../n8n/plainText';
import { isSuperseded } from '../n8n/publication';
import { readMessages } from '../transport/responses';
import { combineMessages, takeTestItem } from './newMessage/combineMessages';
import { diffMessages, MAX_KNOWN } from './newMessage/diffMessages';
import { chooseIdField } from './newMessage/idField';
import { newMessageOptions, readNewMessageOptions } from './newMessage/options';
import { changeIdField, getDetected, readPollState, type PollState } from './newMessage/pollState';
import * as warnings from './newMessage/warnings';
import { openPollClient, type PollClient, type TriggerEvent } from './triggerEvent';

/** The least time for reading a further page. With less time left, the messages so far are emitted. */
const MIN_TIME_FOR_PAGE_MS = 10_000;

export const newMessage: TriggerEvent = {
	entry: {
		name: 'New Message',
		value: 'newMessage',
		description: 'When the service lists a new message, including one that the account itself sent',
	},
	options: newMessageOptions,
	async poll(context, state) {
		const polledAt = new Date().toISOString();
		const options = readNewMessageOptions(context);
		const client = await openPollClient(context);
		const now = { account: client.accountKey, asked: options.asked, filter: options.filter };
		const readStored = () => readPollState(state.read(), now);
		const isTest = context.getMode() === 'manual';
		const list = await readList(client, options, readStored(), isTest);

		// Do not await anything from here on: another poll could emit the same messages.
		if (isSuperseded(context)) return null;
		const stored = readStored();
		if (isTest) return createTestOutputs(list, stored.state, options);
		const decision = decideOutput(list, stored, options, polledAt);
		state.store({ ...decision.next, ...now, polledAt } satisfies PollState);
		for (const text of decision.warnings) if (text) log(context, text);
		return decision.outputs;
	},
};

type Options = ReturnType<typeof readNewMessageOptions>;
type Stored = ReturnType<typeof readPollState>;
type List = Awaited<ReturnType<typeof readList>>;

const compare = (pages: KeyedMessage[][], state: PollState | undefined, field: IdField) =>
	diffMessages(pages, state && changeIdField(state, pages, field));

/** Reads the first page and, while messages may be missing, further ones. */
async function readList(client: PollClient, options: Options, stored: Stored, isTest: boolean) {
	const { read, getTimeLeft } = client;
	const { listQuery, emitsExisting } = options;
	const { state, startsOver } = stored;
	const response = await read(createPageRequest(listQuery, 0));
	const firstPage = takeNewestEnd(readMessages(response), MAX_KNOWN);
	if (!firstPage) {
		throw new InvalidInputError(
			'The service lists more than 5,000 messages, and it is not clear which are the newest',
			"Limit the list with 'Query Parameters', as documented by your service.",
		);
	}
	const chosen = chooseIdField(firstPage, options.idField, getDetected(state));
	const isFirst = !state || startsOver !== undefined;
	const isOnePageEnough = isTest || (isFirst && !emitsExisting);
	const isTooMuch = (soFar: unknown[][]) => soFar.flat().length > MAX_KNOWN;
	let isLate = false;
	const { pages, error } = await readPages(firstPage, listQuery, chosen.field, read, (soFar) => {
		isLate = !isOnePageEnough && getTimeLeft() < MIN_TIME_FOR_PAGE_MS;
		const isEnough = () => !compare(soFar, state, chosen.field).needsMore;
		return isOnePageEnough || isLate || isTooMuch(soFar) || isEnough();
	});
	if (isTooMuch(pages)) pages.pop();
	const missing = warnings.findMissingField(firstPage, options.namedFields);
	/** `isCutShort` says that the next page could not be read, or not in time. */
	return { ...chosen, missing, pages, error, isCutShort: isLate || error !== undefined };
}

/** Decides what starts the workflow, what the next poll must know, and what to log: n8n shows no hints of a trigger. */
function decideOutput(list: List, stored: Stored, options: Options, polledAt: string) {
	const { missing, pages, field, shared } = list;
	const { state, startsOver, held } = stored;
	const { combine, hasGapOutput } = options;
	const difference = compare(pages, state, field);
	const { listed, newMessages, newestKnown, needsMore, reused, next } = difference;
	// The first poll, and one that starts over, has none: the listed messages were there before.
	const lastPoll = startsOver ? undefined : state;
	// Existing messages are not emitted if they may have been before, or if conditions left them out.
	const emitsExisting =
		options.emitsExisting && startsOver !== 'unreadable' && startsOver !== 'otherFilter';
	const passing = newMessages.map(({ message }) => message).filter(options.passes);
	const emitted = lastPoll || emitsExisting ? passing : [];
	// Messages from before and after a new start do not belong together.
	const older = combineMessages(startsOver ? held : [], [], polledAt, { ...combine, maxMs: 0 });
	const combined = combineMessages(startsOver ? [] : held, emitted, polledAt, combine);
	const items = [...older.items, ...combined.items];
	const gap =
		lastPoll && difference.hasGap
			? { noticedAt: polledAt, messagesListed: listed.length, since: lastPoll.polledAt }
			: undefined;
	// Without an execution, n8n would not save that the trigger has started over, or holds messages.
	const startsWorkflow =
		emitted.length + items.length > 0 || startsOver !== undefined || (gap && hasGapOutput);

	const isUnread = needsMore && list.isCutShort;
	// Pages that were read one after another may not fit together.
	const mayNotFit =
		state !== undefined &&
		pages.length > 1 &&
		compare([pages[0]], { ...state, recheckAfter: undefined }, field).needsMore;
	// The mark of an earlier poll stays while messages after it are unread.
	const recheckAfter = (isUnread ? state?.recheckAfter : undefined) ?? newestKnown;
	// Messages that a first poll could not read were there, too, and are older.
	if (isUnread && !state) delete next.times?.oldest;
	return {
		outputs: startsWorkflow ? createOutputs(items, hasGapOutput, gap) : null,
		warnings: [
			missing && missing.text !== state?.missingTold && `${missing.text}. ${missing.advice}`,
			startsOver && warnings.describeStartingOver(startsOver, emitsExisting),
			...warnings.describeIds(list, state, newMessages, reused),
			gap && warnings.describeGap(gap, options.listQuery.paging !== undefined, list.error),
		],
		next: {
			...next,
			idField: field,
			idEvidence: list.evidence,
			missingTold: missing?.text ?? state?.missingTold,
			sharingTold: shared > 0 || state?.sharingTold,
			reuseTold: reused > 0 || state?.reuseTold,
			recheckAfter: isUnread || mayNotFit ? recheckAfter : undefined,
			held: combined.held.length > 0 ? combined.held : undefined,
		},
	};
}

/** Returns the item for 'Fetch Test Event'. @throws InvalidInputError if an option names a field that no message has */
function createTestOutputs(list: List, state: PollState | undefined, options: Options) {
	const { missing, pages, field } = list;
	const { listed } = compare(pages, state, field);
	const passing = listed.map(({ message }) => message).filter(options.passes);
	if (missing && (missing.isMisspelled || passing.length === 0))
		throw new InvalidInputError(missing.text, missing.advice);
	if (passing.length === 0) return null;
	return createOutputs([takeTestItem(passing, options.combine)], options.hasGapOutput);
}

function createOutputs(jsons: IDataObject[], hasGapOutput: boolean, gap?: IDataObject) {
	const items = jsons.map((json) => ({ json }));
	return hasGapOutput ? [items, gap ? [{ json: gap }] : []] : [items];
}
