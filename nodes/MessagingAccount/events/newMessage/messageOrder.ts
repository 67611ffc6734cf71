/**
 * Finds out at which end of a list the newest messages are, which docs/api.md does not specify. New messages are newer
 * than known ones, so their positions tell.
 *
 * @param isKnown for each message, in the order of the list
 * @returns undefined if the positions do not tell
 */
export function isNewestFirst(isKnown: boolean[]): boolean | undefined {
	let knownSoFar = 0;
	let newSoFar = 0;
	let votes = 0;
	for (const known of isKnown) {
		votes += known ? newSoFar : -knownSoFar;
		if (known) knownSoFar++;
		else newSoFar++;
	}
	return votes === 0 ? undefined : votes > 0;
}

/**
 * Guesses the same from the content of the messages. Compares each message with the one before: fields named like a time
 * or date, and numeric IDs, at the top level and one level down.
 */
export function isNewestFirstByTime(messages: unknown[]): boolean | undefined {
	let votes = 0;
	let earlier = new Map<string, number>();
	for (const message of messages) {
		const times = findTimes(message);
		for (const [field, time] of times) {
			const before = earlier.get(field);
			if (before !== undefined) votes += Math.sign(before - time);
		}
		earlier = times;
	}
	return votes === 0 ? undefined : votes > 0;
}

/**
 * Sorts the messages of all pages, the oldest first.
 *
 * @param pages the first one has the newest messages, at either end
 * @param newestFirst within a page; if undefined, times decide, and without times it counts as false
 */
export function sortOldestFirst(pages: unknown[][], newestFirst: boolean | undefined): unknown[] {
	const isReversed = newestFirst ?? isNewestFirstByTime(pages[0]) ?? false;
	return isReversed ? pages.flat().reverse() : pages.toReversed().flat();
}

/** Numeric IDs usually count up. */
const TIME_FIELD = /time|date|stamp|_at$|At$|^_?id$/i;
const MUTABLE_FIELD = /read|seen|deliver|update|edit|expir|delete/i;

/** @returns the time in its original unit; NaN if it is not a time */
function parseTime(value: unknown): number {
	if (typeof value !== 'string') return typeof value === 'number' ? value : NaN;
	if (/^\d{4}-\d\d-\d\d/.test(value)) return Date.parse(value);
	return /^\d{10,19}$/.test(value) ? Number(value) : NaN;
}

function findTimes(message: unknown): Map<string, number> {
	const times = new Map<string, number>();
	const collect = (fields: object, prefix: string) => {
		for (const [name, value] of Object.entries(fields) as Array<[string, unknown]>) {
			if (typeof value === 'object' && value !== null && prefix === '') collect(value, `${name}.`);
			const time = TIME_FIELD.test(name) && !MUTABLE_FIELD.test(name) ? parseTime(value) : NaN;
			if (Number.isFinite(time)) times.set(prefix + name, time);
		}
	};
	if (typeof message === 'object' && message !== null) collect(message, '');
	return times;
}
