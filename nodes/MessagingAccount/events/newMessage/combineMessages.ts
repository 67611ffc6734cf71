import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { toItemJson } from '../../transport/responses';
import { readName, readNumber } from '../../parameters/plainValue';
import { getField } from '../../shared/fields';
import { groupBy } from '../../shared/groupBy';

/** The most messages to hold, because they are stored with their content. */
const MAX_HELD = 1000;

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
export function readCombineOptions(option: (name: string, fallback: unknown) => unknown) {
	const field = readName(option('combineBy', ''), 'Combine Messages By', 'the field, e.g. from');
	const readSeconds = (name: string) =>
		readNumber(combineOptions, name, option, 'Enter a number in this range, or remove the option.');
	return {
		/** The dot path of the field; empty if messages are not combined. */
		field,
		quietMs: field === '' ? 0 : readSeconds('waitUntilQuiet') * 1000,
		maxMs: field === '' ? 0 : readSeconds('waitAtMost') * 1000,
	};
}

/** A message that waits for others. These field names never change, because they are stored. */
export interface HeldMessage {
	message: unknown;
	/** The time of the poll that found it, in ISO 8601. */
	foundAt: string;
}

/**
 * Combines messages. This must always be true: each is emitted once, in one item with others of the same value, or by itself if it has
 * none, or if the option was turned off meanwhile. It is held until it is as old as the options say, at the latest.
 * @param held by earlier polls @param found by this poll; both the oldest first @param polledAt the time of this poll, in ISO 8601
 */
export function combineMessages(
	held: HeldMessage[],
	found: unknown[],
	polledAt: string,
	{ field, quietMs, maxMs }: CombineOptions,
): { items: IDataObject[]; held: HeldMessage[] } {
	const all = [...held, ...found.map((message) => ({ message, foundAt: polledAt }))];
	const byValue = groupBy(all, ({ message }) => getValue(message, field)?.toString());
	const toMessages = (group: HeldMessage[]) => group.map(({ message }) => message);
	const single = toMessages(byValue.get(undefined) ?? []).map(toItemJson);
	byValue.delete(undefined);
	const groups = [...byValue.values()];
	// A time in the future is from before a clock was set back.
	const isOver = (since: string, ms: number) => {
		const elapsed = Date.parse(polledAt) - Date.parse(since);
		return !(elapsed >= 0 && elapsed < ms - TOLERANCE_MS);
	};
	const waiting = groups.filter((group) => {
		const newest = group.at(-1)!;
		const isQuiet = newest.foundAt !== polledAt && isOver(newest.foundAt, quietMs);
		return !isQuiet && !isOver(group[0].foundAt, maxMs);
	});
	let heldCount = waiting.flat().length;
	while (heldCount > MAX_HELD) heldCount -= waiting.shift()!.length;
	const isHeld = new Set(waiting);
	const released = groups.filter((group) => !isHeld.has(group));
	const combined = released.map((group) => createItem(toMessages(group), field));
	return { items: [...combined, ...single], held: waiting.flat() };
}

/** Returns the item of the latest message, with all others of the same value. @param messages the oldest first */
export function takeTestItem(messages: unknown[], { field }: CombineOptions): IDataObject {
	const latest = messages.at(-1);
	const value = getValue(latest, field);
	if (value === undefined) return toItemJson(latest);
	const isTogether = (message: unknown) => String(getValue(message, field) ?? '') === String(value);
	return createItem(messages.filter(isTogether), field);
}

function createItem(messages: unknown[], field: string): IDataObject {
	const by = getValue(messages[0], field);
	return { by, count: messages.length, messages: messages as IDataObject[] };
}

function getValue(message: unknown, field: string): string | number | boolean | undefined {
	if (field === '') return undefined;
	const value = getField(message, field);
	const isPlain = ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
	return isPlain ? (value as string | number | boolean) : undefined;
}
