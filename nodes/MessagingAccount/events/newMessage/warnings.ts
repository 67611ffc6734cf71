import type { IdField } from '../../messages/messageKey';
import { getField, listFields } from '../../shared/fields';
import { toPlainName } from '../../shared/names';
import type { StartsOver } from './pollState';

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

export function describeWithoutId(count: number): string {
	return `Messages without an ID: ${count}. Their content identifies them: a message whose text changes later starts the workflow again, and of two equal messages only one does. If another field holds the ID, enter it in 'Message ID Field'.`;
}

/** @param after the new fields, the last of which is `before` */
export function describeAddedFields(before: IdField, after: IdField): string {
	return `The IDs in '${before}' may not be unique. From now on, the trigger recognizes messages by '${after.replaceAll(',', ', ')}'. If this is wrong, enter the right fields in 'Message ID Field'.`;
}

export function describeSharedIds(count: number): string {
	return `Messages with the ID of another message but different content: ${count}. They count as that message. If they are different messages, add the field that tells them apart to 'Message ID Field', e.g. chat.id, message_id.`;
}

export function describeReusedIds(count: number): string {
	return `Known messages with a later time than any before: ${count}. If the service changes the times of messages, this does no harm. If it uses IDs again, new messages are missing: enter fields in 'Message ID Field' that make up an ID of their own, e.g. date, id.`;
}

/** The item of the output "Possible Gap". */
export interface Gap {
	/** The time of this poll, in ISO 8601. */
	noticedAt: string;
	messagesListed: number;
	/** The time of the last poll, in ISO 8601. */
	since: string;
}

/**
 * @param hasPaging whether further pages can be read
 * @param error of a page that could not be read
 */
export function describeGap({ messagesListed, since }: Gap, hasPaging: boolean, error?: Error) {
	const advice = error
		? `A further page could not be read: ${error.message}. The next poll tries again.`
		: hasPaging
			? "Poll more often, or increase 'Page Limit'."
			: "Poll more often or, if the service has pages, set 'Page Parameter'.";
	return `Messages may have been missed: the ${messagesListed} listed messages do not follow on those known from the last poll (${since}). ${advice}`;
}
