import type { IDataObject } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import type { KeyedMessage } from '../messages/messageKey';
import { takeNewestEnd } from '../messages/messageOrder';
import { readFirstPage, readPages } from '../messages/pages';
import { alert, log } from '../n8n/notify';
import { isSuperseded } from '../n8n/pollStart';
import { takeTestItem } from './newMessage/combineMessages';
import { compare, type Comparison, type List } from './newMessage/comparison';
import { chooseIdField } from './newMessage/idField';
import { newMessageOptions, readNewMessageOptions, type Options } from './newMessage/options';
import { getDetected, readPollState, type PollState } from './newMessage/pollState';
import { MAX_KNOWN } from './newMessage/remember';
import { step } from './newMessage/step';
import { findMissingField } from './newMessage/warnings';
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
	async poll(context, triggerState) {
		const polledAt = new Date().toISOString();
		const options = readNewMessageOptions(context);
		const client = await openPollClient(context);
		const account = client.accountKey;
		const isTest = context.getMode() === 'manual';
		const readState = () => readPollState(triggerState.read(), account, options.asked).state;
		const state = readState();
		// The comparison of `step` says whether a page is needed, too.
		const compareWith = (list: List) => compare(triggerState.read(), list, account, options);
		const needsPage = (list: List) => !isTest && compareWith(list).needsPage;
		const list = await readList(client, options, state, needsPage);

		// Do not await anything from here on: another poll could emit the same messages.
		if (isSuperseded(context)) return null;
		if (isTest) return createTestOutputs(list, compareWith(list), options);
		if (triggerState.isOutdated()) return null;
		// Another poll has changed the field of the IDs meanwhile, from which this one knows no keys.
		const current = readState();
		if (current && ![state?.idField, list.field].includes(current.idField)) return null;
		const { isOfLastPoll, isSavedAnyway } = triggerState;
		const now = { account, polledAt, isOfLastPoll, isSavedAnyway };
		const { emit, gap, next, ...texts } = step(triggerState.read(), list, now, options);
		triggerState.store(next, emit !== null);
		for (const text of texts.log) log(context, text);
		for (const text of texts.alerts) alert(context, text);
		return emit && createOutputs(emit, options.hasGapOutput, gap);
	},
};

/** Reads the first page and, while they are needed, further ones. */
async function readList(
	{ read, getTimeLeft }: PollClient,
	{ listQuery, idField }: Options,
	state: PollState | undefined,
	needsPage: (list: List) => boolean,
): Promise<List> {
	const hasKnown = state !== undefined && state.known.length > 0;
	const firstPage = takeNewestEnd(await readFirstPage(listQuery, read, hasKnown), MAX_KNOWN);
	if (!firstPage)
		throw new InvalidInputError(
			'The service lists more than 5,000 messages, and it is not clear which are the newest',
			"Limit the list with 'Query Parameters', as documented by your service.",
		);
	const isProven = hasKnown && state.idField === idField;
	const chosen = chooseIdField(firstPage, idField, getDetected(state), isProven);
	const isTooMuch = (soFar: KeyedMessage[][]) => soFar.flat().length > MAX_KNOWN;
	let isLate = false;
	// Also notes whether time is why no further page is read.
	const isEnough = (soFar: KeyedMessage[][]) => {
		if (isTooMuch(soFar) || !needsPage({ ...chosen, pages: soFar })) return true;
		isLate = getTimeLeft() < MIN_TIME_FOR_PAGE_MS;
		return isLate;
	};
	const { field } = chosen;
	const { pages, error } = await readPages(firstPage, listQuery, field, read, isEnough, state);
	if (isTooMuch(pages)) pages.pop();
	return { ...chosen, pages, cutShort: isLate || error ? { error } : undefined };
}

/** Returns the item for 'Fetch Test Event'. @throws InvalidInputError if an option names a field that no message has */
function createTestOutputs({ pages }: List, { difference }: Comparison, options: Options) {
	const { passes, combine, hasGapOutput } = options;
	const passing = difference.listed.map(({ message }) => message).filter(passes);
	const missing = findMissingField(pages[0], options);
	if (missing?.isMistake) throw new InvalidInputError(missing.text, missing.advice);
	if (passing.length === 0) return null;
	return createOutputs([takeTestItem(passing, combine)], hasGapOutput);
}

function createOutputs(jsons: IDataObject[], hasGapOutput: boolean, gap?: IDataObject) {
	const items = jsons.map((json) => ({ json }));
	return hasGapOutput ? [items, gap ? [{ json: gap }] : []] : [items];
}
