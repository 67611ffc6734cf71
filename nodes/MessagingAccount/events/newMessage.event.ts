import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../errors/invalidInputError';
import { listOptions, type ListQuery, readListQuery } from '../messages/listOptions';
import { createPageRequest, readPages } from '../messages/pages';
import { hash } from '../shared/hash';
import { readMessages, toItemJson } from '../transport/responses';
import type { TriggerEvent } from './event';
import { diffMessages } from './newMessage/diffMessages';
import { createKnownMatcher } from './newMessage/knownMessages';
import { chooseIdField, getKey } from './newMessage/messageId';
import { readPollState } from './newMessage/pollState';
import { createAccountKey, openPollClient } from './pollClient';

/** With less time left, no further page is read: the messages so far are emitted. */
const MIN_TIME_FOR_PAGE_MS = 10_000;

export const newMessage: TriggerEvent = {
	entry: {
		name: 'New Message',
		value: 'newMessage',
		description: 'When a message appears in the list of the latest messages, whoever sent it',
	},
	options: [
		{
			displayName: 'Emit Existing Messages',
			name: 'emitExisting',
			type: 'boolean',
			default: false,
			description:
				'Whether messages that exist at the first poll also start the workflow. Otherwise the trigger only remembers them.',
		},
		...listOptions,
		{
			displayName: 'Message ID Field',
			name: 'messageIdField',
			type: 'string',
			default: '',
			placeholder: 'e.g. data.uuid',
			description:
				'The field that holds the ID of a message, with dots for nested fields. Leave empty to detect it automatically.',
		},
		{
			displayName: 'Possible Gap Output',
			name: 'gapOutput',
			type: 'boolean',
			default: false,
			description:
				'Whether to add an output that reports when messages may have been missed, because more arrived between two polls than the service lists',
		},
	],
	async poll(context) {
		const option = (name: string, fallback: unknown) =>
			context.getNodeParameter(`options.${name}`, fallback);
		const configuredField = readIdField(option('messageIdField', ''));
		const listQuery = readListQuery(option);
		const emitsExisting = option('emitExisting', false) === true;
		const hasGapOutput = option('gapOutput', false) === true;
		const isTest = context.getMode() === 'manual';

		const { account, read, getTimeLeft } = await openPollClient(context);
		const accountKey = createAccountKey(account);
		const firstPage = readMessages(await read(createPageRequest(listQuery, 0)));

		const staticData = context.getWorkflowStaticData('node');
		const readState = () => readPollState(staticData.newMessage, accountKey);
		const stateBefore = readState().state;
		const detectedField = stateBefore && !stateBefore.isFieldSet ? stateBefore.idField : '';
		const idField = chooseIdField(firstPage, configuredField, detectedField);
		const isOnePageEnough = isTest || (!stateBefore && !emitsExisting);
		const fetched = await readPages(firstPage, listQuery, {
			read,
			getKey: (message) => getKey(message, idField),
			// The last page is enough to look at: reading would have ended with a known message on an earlier one.
			isEnough: (pages) =>
				isOnePageEnough ||
				getTimeLeft() < MIN_TIME_FOR_PAGE_MS ||
				pages[pages.length - 1].some(createKnownMatcher(pages, stateBefore, idField)),
		});

		// Do not await anything from here on: another poll could emit the same messages.
		const { state, startsOver } = readState();
		const diff = diffMessages(
			{
				...fetched,
				idField,
				isFieldSet: configuredField !== '',
				account: accountKey,
				asked: hash(JSON.stringify(getRawOptions(context).queryParameters ?? {})),
				now: new Date(),
			},
			state,
		);
		if (isTest) return createOutputs(diff.messages, hasGapOutput);

		if (startsOver) warn(context, STARTS_OVER[startsOver]);
		if (diff.withoutId > 0) warn(context, describeWithoutId(diff.withoutId));
		if (diff.sharedIds > 0) warn(context, describeSharedIds(diff.sharedIds));
		staticData.newMessage = { ...diff.state };
		if (!state && (!emitsExisting || startsOver === 'unreadable')) return null;
		if (!diff.hasGap) return createOutputs(diff.newMessages, hasGapOutput);
		const gap = {
			noticedAt: diff.state.polledAt,
			messagesListed: diff.messages.length,
			since: state?.polledAt ?? null,
		};
		warn(context, describeGap(gap, listQuery));
		return createOutputs(diff.newMessages, hasGapOutput, gap);
	},
};

/** Returns the options before their expressions are evaluated: a query with the current time is the same query each time. */
function getRawOptions(context: IPollFunctions): IDataObject {
	return (context.getNode().parameters.options ?? {}) as IDataObject;
}

/** @throws InvalidInputError */
function readIdField(value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value.trim();
	throw new InvalidInputError(
		"'Message ID Field' is not text",
		'Enter the name of the field, e.g. id or message.id, or remove the option.',
	);
}

function createOutputs(
	messages: unknown[],
	hasGapOutput: boolean,
	gap?: Gap,
): INodeExecutionData[][] | null {
	if (messages.length === 0) return null;
	const items = messages.map((message) => ({ json: toItemJson(message) }));
	return hasGapOutput ? [items, gap ? [{ json: { ...gap } }] : []] : [items];
}

/** The item of the output "Possible Gap". */
interface Gap {
	/** ISO 8601 */
	noticedAt?: string;
	/** Number of listed messages, none of them known. */
	messagesListed: number;
	/** Time of the last poll, ISO 8601; null if unknown. */
	since: string | null;
}

const STARTS_OVER = {
	unreadable:
		'The stored state of the trigger cannot be read. The trigger starts over: it remembers the messages that are there, and may have missed those since its last poll. Publish the workflow again, so that n8n saves the new state now.',
	otherAccount:
		'The credential is now for another account. The trigger starts over, as with its first poll. Publish the workflow again, so that n8n saves the new state now.',
};

function describeWithoutId(count: number): string {
	return `Messages without an ID: ${count}. Their whole content identifies them: a message that changes later starts the workflow again, and of two equal messages only one does. If another field holds the ID, enter it in 'Message ID Field'.`;
}

function describeSharedIds(count: number): string {
	return `Messages with the ID of another message but different content: ${count}. They count as that message. If they are different messages, enter another field in 'Message ID Field', and the trigger emits them.`;
}

function describeGap({ messagesListed, since }: Gap, { paging }: ListQuery): string {
	const lastPoll = since === null ? 'the last poll' : `the last poll (${since})`;
	const advice = paging
		? "Poll more often, or increase 'Max Pages'."
		: "Poll more often or, if the service has pages, set 'Page Parameter'.";
	return `Messages may have been missed: none of the ${messagesListed} listed messages is known from ${lastPoll}. ${advice}`;
}

function warn(context: IPollFunctions, text: string): void {
	context.logger.warn(`${context.getNode().name}: ${text}`, {
		workflowId: context.getWorkflow().id,
	});
}
