import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { listOptions, readListing, type Listing } from '../messages/listOptions';
import { readPages, requestOfPage } from '../messages/pages';
import { messageAsJson, readMessages } from '../service/answers';
import { InvalidInput } from '../service/errors';
import { shortHash } from '../shortHash';
import type { TriggerEvent } from './event';
import { knownAmong, readMemory } from './knownMessages';
import { chooseIdField, keyOf } from './messageId';
import { accountKey, openReader } from './reader';
import { sortOut } from './sortOut';

/** With less time than this no further page is begun: what was read goes out. */
const TIME_FOR_A_PAGE_MS = 10_000;

export const newMessage: TriggerEvent = {
	entry: {
		name: 'New Message',
		value: 'newMessage',
		description: 'When a message appears in the list of the last messages, whoever sent it',
	},
	options: [
		{
			displayName: 'Emit Existing Messages',
			name: 'emitExisting',
			type: 'boolean',
			default: false,
			description:
				'Whether the messages that are there at the first poll start the workflow too. Otherwise the trigger only takes note of them.',
		},
		...listOptions,
		{
			displayName: 'Message ID Field',
			name: 'messageIdField',
			type: 'string',
			default: '',
			placeholder: 'e.g. data.uuid',
			description:
				'The field with the ID of a message, with dots on the way down. Empty: it is found in the usual places.',
		},
		{
			displayName: 'Possible Gap Output',
			name: 'gapOutput',
			type: 'boolean',
			default: false,
			description:
				'Whether to add an output that tells when messages may have been missed, because more have come between two polls than the service lists',
		},
	],
	async poll(context) {
		const option = (name: string, fallback: unknown) =>
			context.getNodeParameter(`options.${name}`, fallback);
		const setField = readIdField(option('messageIdField', ''));
		const listing = readListing(option);
		const emitsExisting = option('emitExisting', false) === true;
		const hasGapOutput = option('gapOutput', false) === true;
		const isTest = context.getMode() === 'manual';

		const { account, read, timeLeft } = await openReader(context);
		const ofAccount = accountKey(account);
		const firstPage = readMessages(await read(requestOfPage(listing, 0)));

		const state = context.getWorkflowStaticData('node');
		const recall = () => readMemory(state.newMessage, ofAccount);
		const atFirst = recall().memory;
		const foundBefore = atFirst && !atFirst.isFieldSet ? atFirst.idField : '';
		const idField = chooseIdField(firstPage, setField, foundBefore);
		const isOnePageEnough = isTest || (!atFirst && !emitsExisting);
		const listed = await readPages(firstPage, listing, {
			read,
			keyOf: (message) => keyOf(message, idField),
			// Looks at the last page only: a known message on an earlier one would have been the end.
			isEnough: (pages) =>
				isOnePageEnough ||
				timeLeft() < TIME_FOR_A_PAGE_MS ||
				pages[pages.length - 1].some(knownAmong(pages, atFirst, idField)),
		});

		// Nothing may be awaited between this and the end: another poll could emit the same.
		const { memory, startsAnew } = recall();
		const found = sortOut(
			{
				...listed,
				idField,
				isFieldSet: setField !== '',
				account: ofAccount,
				asked: shortHash(JSON.stringify(enteredOptions(context).queryParameters ?? {})),
				now: new Date(),
			},
			memory,
		);
		if (isTest) return outputsOf(found.messages, hasGapOutput);

		if (startsAnew) warn(context, STARTS_ANEW[startsAnew]);
		if (found.withoutId > 0) warn(context, withoutIdText(found.withoutId));
		if (found.sharing > 0) warn(context, sharingText(found.sharing));
		state.newMessage = { ...found.memory };
		if (!memory && (!emitsExisting || startsAnew === 'unreadable')) return null;
		if (!found.hasGap) return outputsOf(found.fresh, hasGapOutput);
		const gap = {
			noticedAt: found.memory.polledAt,
			messagesListed: found.messages.length,
			since: memory?.polledAt ?? null,
		};
		warn(context, gapText(gap, listing));
		return outputsOf(found.fresh, hasGapOutput, gap);
	},
};

/** Before their expressions are evaluated: one with the time of day in it is still the same question. */
function enteredOptions(context: IPollFunctions): IDataObject {
	return (context.getNode().parameters.options ?? {}) as IDataObject;
}

/** @throws InvalidInput */
function readIdField(value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value.trim();
	throw new InvalidInput(
		"'Message ID Field' is not a text",
		'Enter the name of the field, e.g. id or message.id, or take the option out.',
	);
}

function outputsOf(
	messages: unknown[],
	hasGapOutput: boolean,
	gap?: Gap,
): INodeExecutionData[][] | null {
	if (messages.length === 0) return null;
	const items = messages.map((message) => ({ json: messageAsJson(message) }));
	return hasGapOutput ? [items, gap ? [{ json: { ...gap } }] : []] : [items];
}

/** What the second output tells. */
interface Gap {
	/** ISO 8601 */
	noticedAt?: string;
	/** How many messages were listed, none of them known. */
	messagesListed: number;
	/** When the last poll was that is on record, ISO 8601; null where that is not known. */
	since: string | null;
}

const STARTS_ANEW = {
	unreadable:
		'What the trigger remembers cannot be read. It begins anew, and takes note of the messages that are there: those that have come since its last poll may have been missed. Publish the workflow again, so that n8n stores this at once.',
	otherAccount:
		'The credential is for another account than before. The trigger begins anew, as at its first poll. Publish the workflow again, so that n8n stores this at once.',
};

function withoutIdText(count: number): string {
	return `Messages without an ID: ${count}. They are told apart by all that is in them: one that changes later starts the workflow again, and of two that are equal only one does. If there is an ID in another place, name it in 'Message ID Field'.`;
}

function sharingText(count: number): string {
	return `Messages with the ID of another one, although they differ: ${count}. They count as that one. If they are not the same message, name another field in 'Message ID Field': those that did not count come out then.`;
}

function gapText({ messagesListed, since }: Gap, { paging }: Listing): string {
	const lastPoll = since === null ? 'the last poll' : `the last poll (${since})`;
	const advice = paging
		? "Poll more often, or raise 'Max Pages'."
		: "Poll more often or, where the service has pages, set 'Page Parameter'.";
	return `Messages may have been missed: of the ${messagesListed} that are listed, none is known from ${lastPoll}. ${advice}`;
}

function warn(context: IPollFunctions, text: string): void {
	context.logger.warn(`${context.getNode().name}: ${text}`, {
		workflowId: context.getWorkflow().id,
	});
}
