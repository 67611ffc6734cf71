import { createIdReader, type IdField, type KeyedMessage } from '../../messages/messageKey';
import { getField, listFields } from '../../shared/fields';
import { toPlainName } from '../../shared/names';
import type { Comparison, List } from './comparison';
import type { Options } from './options';
import type { StartsOver } from './pollState';

const STARTS_OVER: Record<StartsOver, string> = {
	unreadable: 'The stored state of the trigger cannot be read.',
	otherAccount: 'The credential is now for another account.',
	otherQuery: "The 'Query Parameters' have changed, so the service may list other messages.",
};

/** Warnings that are logged once, each with the number of messages that it is about. */
const ONCE = {
	shared: (count: number) =>
		`Messages with the ID of another message but different content: ${count}. They count as that message. If they are different messages, add the field that tells them apart to 'Message ID Field', e.g. chat.id, message_id.`,
	reused: (count: number) =>
		`Known messages with a later time than any before: ${count}. If the service changes the times of messages, this does no harm. If it uses IDs again, new messages are missing: enter fields in 'Message ID Field' that make up an ID of their own, e.g. date, id.`,
};
const ONCE_NAMES = Object.keys(ONCE) as Array<keyof typeof ONCE>;

type Gap = { messagesListed: number; since: string };
/** `leftOut` is the number of messages that stay out, although they meet the conditions now. */
type Found = { leftOut: number; gap?: Gap; emitsExisting: boolean };

/** Describes what somebody should know: in n8n's log or, if messages may be missing or an option is wrong, as an alert. */
export function describeFindings(list: List, compared: Comparison, options: Options, found: Found) {
	const { state, startsOver, difference } = compared;
	const { told = [] } = state ?? {};
	const counts = { shared: list.shared, reused: difference.reused };
	const due = ONCE_NAMES.filter((name) => counts[name] > 0 && !told.includes(name));
	const missing = findMissingField(list.pages[0], options);
	const untold = missing && !told.includes(missing.text) && `${missing.text}. ${missing.advice}`;
	const gap = found.gap && describeGap(found.gap, options, list);
	const log = [
		...describeIds(list.field, compared),
		...due.map((name) => ONCE[name](counts[name])),
		difference.outdated > 0 &&
			`Listed among new messages, but as old as those of the first poll: ${difference.outdated}. They do not start the workflow.`,
		!missing?.isMistake && untold,
		options.hasGapOutput && gap,
	];
	const alerts = [
		missing?.isMistake && untold,
		found.leftOut > 0 &&
			`Messages that meet 'Only Messages Where' now, but may have been left out before it changed: ${found.leftOut}. They do not start the workflow.`,
		startsOver &&
			`${STARTS_OVER[startsOver]} The trigger starts over, as with its first poll: it ${found.emitsExisting ? 'outputs' : 'only remembers'} the current messages, and may have missed some since its last poll.`,
		!options.hasGapOutput && gap,
	];
	return {
		told: [...new Set([...told, ...due, ...(missing ? [missing.text] : [])])],
		log: log.filter((text) => typeof text === 'string'),
		alerts: alerts.filter((text) => typeof text === 'string'),
	};
}

function describeIds(field: IdField, { detectedBefore, difference }: Comparison) {
	const readId = createIdReader(field);
	const withoutId = difference.newMessages.filter(({ message }) => readId(message) === undefined);
	return [
		detectedBefore &&
			field.endsWith(`,${detectedBefore}`) &&
			`The IDs in '${detectedBefore}' may not be unique. From now on, the trigger recognizes messages by '${field.replaceAll(',', ', ')}'. If this is wrong, enter the right fields in 'Message ID Field'.`,
		withoutId.length > 0 &&
			`Messages without an ID: ${withoutId.length}. Their content identifies them: a message whose text changes later starts the workflow again, and of two equal messages only one does. If another field holds the ID, enter it in 'Message ID Field'.`,
	];
}

/** Returns a field that an option names and no message has; undefined if there is none. */
export function findMissingField(listed: KeyedMessage[], { namedFields, passes }: Options) {
	const messages = listed.map(({ message }) => message);
	const missing = namedFields.find(({ field }) =>
		messages.every((message) => getField(message, field) === undefined),
	);
	if (messages.length === 0 || !missing) return undefined;
	const { field, option } = missing;
	const isAlike = (name: string) => toPlainName(name) === toPlainName(field);
	const fields = messages.slice(0, 200).flatMap(listFields);
	const [alike] = fields.find(([path]) => isAlike(path) || isAlike(path.split('.').at(-1)!)) ?? [];
	return {
		text: `No listed message has the field '${field}', which '${option}' names`,
		advice: alike
			? `Enter ${alike}: capitals and separators count.`
			: 'Enter the name of a field as it appears in the messages, with dots for nested fields.',
		/** Otherwise, it may just be that no message has it now. */
		isMistake: alike !== undefined || !messages.some(passes),
	};
}

function describeGap(gap: Gap, { listQuery }: Options, { cutShort }: List) {
	const advice = cutShort?.error
		? `A further page could not be read: ${cutShort.error.message}. The next poll tries again.`
		: listQuery.paging
			? "Poll more often, or increase 'Page Limit'."
			: "Poll more often or, if the service has pages, set 'Page Parameter'.";
	return `Messages may have been missed: the ${gap.messagesListed} listed messages do not connect to those known from the last poll (${gap.since}). ${advice}`;
}
