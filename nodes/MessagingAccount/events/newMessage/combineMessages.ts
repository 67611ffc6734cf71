import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { toItemJson } from '../../transport/itemJson';
import { readName, readNumber, type ReadOption } from '../../parameters/optionReaders';
import { getField, isLongerThan } from '../../shared/fields';
import { groupBy } from '../../shared/groupBy';

/** The most messages to hold, and the most characters of them in JSON, because they are stored with their content at each poll. */
const MAX_HELD = 1000;
const MAX_HELD_LENGTH = 1_000_000;

/** A longer value identifies nobody. */
const MAX_VALUE_LENGTH = 1000;

/** The tolerance of times, because a poll may begin a little early, and the next one comes a minute later. */
const TOLERANCE_MS = 5000;

export const combineOptions: INodeProperties[] = [
	{
		displayName: 'Combine Messages By',
		name: 'combineBy',
		type: 'string',
		default: '',
		placeholder: 'e.g. from',
		description:
			'The field that identifies the sender, with dots for nested fields. Messages with the same value become one item once the sender has been quiet. Leave empty to turn this off.',
	},
	{
		displayName: 'Wait at Most (Seconds)',
		name: 'waitAtMost',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86_400 },
		default: 300,
		description:
			"The longest time to hold back a message while others keep coming. Only used with 'Combine Messages By'.",
	},
	{
		displayName: 'Wait Until Quiet (Seconds)',
		name: 'waitUntilQuiet',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86_400 },
		default: 60,
		description:
			"How long a sender must be silent before their messages are combined. Checked at each poll. Only used with 'Combine Messages By'.",
	},
];

type CombineOptions = ReturnType<typeof readCombineOptions>;

/** @throws InvalidInputError naming the option */
export function readCombineOptions(option: ReadOption) {
	const field = readName(option('combineBy', ''), 'Combine Messages By', 'the field, e.g. from');
	const readMs = (name: string) => 1000 * readNumber(combineOptions, name, option);
	// The field is empty if messages are not combined.
	if (field === '') return { field, quietMs: 0, maxMs: 0 };
	return { field, quietMs: readMs('waitUntilQuiet'), maxMs: readMs('waitAtMost') };
}

/** A message that waits for others, and the time of the poll that found it, in ISO 8601. These field names never change: they are stored. */
export type HeldMessage = { message: unknown; foundAt: string };

/**
 * Combines messages. This must always be true: each is emitted once, in one item with others of the same value, or by itself if it has
 * none, or if the option was turned off meanwhile. It is held until it is as old as the options say, at the latest.
 * @param held by earlier polls @param found by this poll; both the oldest first @param polledAt the time of this poll, in ISO 8601
 */
export function combineMessages(
	held: HeldMessage[],
	found: unknown[],
	polledAt: string,
	options: CombineOptions,
) {
	const { field } = options;
	const all = [...held, ...found.map((message) => ({ message, foundAt: polledAt }))];
	const byValue = groupBy(all, ({ message }) => getGroup(message, field));
	const single = toMessages(byValue.get(undefined) ?? []).map(toItemJson);
	byValue.delete(undefined);
	const groups = [...byValue.values()];
	const waiting = findHeld(groups, polledAt, options);
	const released = groups.filter((group) => !waiting.includes(group));
	const combined = released.map((group) => {
		const by = getField(group[0].message, field) as IDataObject[string];
		return { by, count: group.length, messages: toMessages(group) as IDataObject[] };
	});
	return { items: [...combined, ...single], held: waiting.flat() };
}

/** Combines messages without waiting for others. */
export const combineNow = (messages: unknown[], options: CombineOptions): IDataObject[] =>
	combineMessages([], messages, '', { ...options, maxMs: 0 }).items;

export const toMessages = (group: HeldMessage[]) => group.map(({ message }) => message);

/** Returns the groups that are to be held: of those that are not due, the newest for which there is room. */
function findHeld(groups: HeldMessage[][], polledAt: string, { quietMs, maxMs }: CombineOptions) {
	// A time in the future is from a poll that overtook this one, or from before a clock was set back.
	const isOver = (since: string, ms: number) =>
		!(Math.abs(Date.parse(polledAt) - Date.parse(since)) < ms - TOLERANCE_MS);
	let [count, length] = [0, 0];
	const isHeld = (group: HeldMessage[]) => {
		const { foundAt } = group.at(-1)!;
		const isQuiet = foundAt !== polledAt && isOver(foundAt, quietMs);
		if (isQuiet || isOver(group[0].foundAt, maxMs)) return false;
		count += group.length;
		for (const one of group) if (length <= MAX_HELD_LENGTH) length += measure(one);
		return count <= MAX_HELD && length <= MAX_HELD_LENGTH;
	};
	return groups.toReversed().filter(isHeld).reverse();
}

const measure = (one: HeldMessage) =>
	isLongerThan(one, MAX_HELD_LENGTH) ? Infinity : JSON.stringify(one).length;

/** Returns the item of the latest message, with all others of the same value. @param messages the oldest first */
export function takeTestItem(messages: unknown[], options: CombineOptions): IDataObject {
	const group = getGroup(messages.at(-1), options.field);
	const alike = messages.filter((one) => getGroup(one, options.field) === group);
	return combineNow(alike, options).at(-1)!;
}

/** Returns the value that says with which messages it belongs, as text; undefined if it stands by itself. */
function getGroup(message: unknown, field: string): string | undefined {
	const value = field === '' ? '' : getField(message, field);
	const isPlain = ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
	return isPlain && String(value).length <= MAX_VALUE_LENGTH ? String(value) : undefined;
}
