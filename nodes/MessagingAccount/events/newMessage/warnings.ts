import { createIdReader, type KeyedMessage } from '../../messages/messageKey';
import { getField, listFields } from '../../shared/fields';
import { toPlainName } from '../../shared/names';
import type { ChosenIdField } from './idField';
import { getDetected, type PollState, type StartsOver } from './pollState';

const STARTS_OVER: Record<StartsOver, string> = {
	unreadable: 'The stored state of the trigger cannot be read.',
	otherAccount: 'The credential is now for another account.',
	otherQuery: "The 'Query Parameters' have changed, so the service may list other messages.",
	otherFilter: "'Only Messages Where' has changed.",
};

export function describeStartingOver(reason: StartsOver, emitsExisting: boolean): string {
	const existing = emitsExisting ? 'emits' : 'only remembers';
	return `${STARTS_OVER[reason]} The trigger starts over, as with its first poll: it ${existing} the current messages, and may have missed some since its last poll.`;
}

/** Returns a field that an option names and no message has; undefined if there is none. */
export function findMissingField(
	messages: unknown[],
	namedFields: Array<{ field: string; option: string }>,
) {
	const missing = namedFields.find(({ field }) =>
		messages.every((message) => getField(message, field) === undefined),
	);
	if (messages.length === 0 || !missing) return undefined;
	const { field, option } = missing;
	const isMeant = (name: string) => toPlainName(name) === toPlainName(field);
	const fields = messages.slice(0, 200).flatMap(listFields);
	const [meant] = fields.find(([path]) => isMeant(path) || isMeant(path.split('.').at(-1)!)) ?? [];
	return {
		text: `No listed message has the field '${field}', which '${option}' names`,
		advice: meant
			? `Enter ${meant}: capitals and separators count.`
			: 'Enter the name of a field as it appears in the messages, with dots for nested fields.',
		isMisspelled: meant !== undefined,
	};
}

/** Describes what makes the IDs of messages uncertain, each once. @param reused the number of known messages with a later time than any before */
export function describeIds(
	{ field, shared }: ChosenIdField,
	state: PollState | undefined,
	newMessages: KeyedMessage[],
	reused: number,
) {
	const before = getDetected(state)?.field;
	const readId = createIdReader(field);
	const withoutId = newMessages.filter(({ message }) => readId(message) === undefined).length;
	return [
		before &&
			field.endsWith(`,${before}`) &&
			`The IDs in '${before}' may not be unique. From now on, the trigger recognizes messages by '${field.replaceAll(',', ', ')}'. If this is wrong, enter the right fields in 'Message ID Field'.`,
		shared > 0 &&
			!state?.sharingTold &&
			`Messages with the ID of another message but different content: ${shared}. They count as that message. If they are different messages, add the field that tells them apart to 'Message ID Field', e.g. chat.id, message_id.`,
		reused > 0 &&
			!state?.reuseTold &&
			`Known messages with a later time than any before: ${reused}. If the service changes the times of messages, this does no harm. If it uses IDs again, new messages are missing: enter fields in 'Message ID Field' that make up an ID of their own, e.g. date, id.`,
		withoutId > 0 &&
			`Messages without an ID: ${withoutId}. Their content identifies them: a message whose text changes later starts the workflow again, and of two equal messages only one does. If another field holds the ID, enter it in 'Message ID Field'.`,
	];
}

/** @param hasPaging whether further pages can be read @param error of a page that could not be read */
export function describeGap(
	{ messagesListed, since }: { messagesListed: number; since: string },
	hasPaging: boolean,
	error?: Error,
): string {
	const advice = error
		? `A further page could not be read: ${error.message}. The next poll tries again.`
		: hasPaging
			? "Poll more often, or increase 'Page Limit'."
			: "Poll more often or, if the service has pages, set 'Page Parameter'.";
	return `Messages may have been missed: the ${messagesListed} listed messages do not connect to those known from the last poll (${since}). ${advice}`;
}
