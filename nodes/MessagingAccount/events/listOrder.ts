/**
 * Which end of a list has the newest, learned from where known and new messages stand in it: the document does not show
 * it. The new ones of a list are newer than the known ones.
 *
 * @param isKnown for each message, in the order of the list
 * @returns undefined where it cannot be told
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
 * The same by what is in the messages, where known ones do not tell: a guess. Fields that are called a time or a date
 * count, and ids that are numbers, in the message and one level down, pair by pair.
 */
export function isNewestFirstByTime(messages: unknown[]): boolean | undefined {
	let votes = 0;
	let earlier = new Map<string, number>();
	for (const message of messages) {
		const times = timesIn(message);
		for (const [field, time] of times) {
			const before = earlier.get(field);
			if (before !== undefined) votes += Math.sign(before - time);
		}
		earlier = times;
	}
	return votes === 0 ? undefined : votes > 0;
}

/**
 * Puts the messages of pages in order, the oldest first.
 *
 * @param pages the first one has the newest messages, at whichever of its ends
 * @param newestFirst within a page; undefined where it is not known: then times tell, or it is taken for false
 */
export function oldestFirst(pages: unknown[][], newestFirst: boolean | undefined): unknown[] {
	const isReversed = newestFirst ?? isNewestFirstByTime(pages[0]) ?? false;
	return isReversed ? pages.flat().reverse() : pages.toReversed().flat();
}

/** IDs that are numbers count up as a rule. */
const RISES_WITH_TIME = /time|date|stamp|_at$|At$|^_?id$/i;
const CHANGES_LATER = /read|seen|deliver|update|edit|expir|delete/i;

/** In any unit; NaN where it is none. */
function timeOf(value: unknown): number {
	if (typeof value !== 'string') return typeof value === 'number' ? value : NaN;
	if (/^\d{4}-\d\d-\d\d/.test(value)) return Date.parse(value);
	return /^\d{10,19}$/.test(value) ? Number(value) : NaN;
}

function timesIn(message: unknown): Map<string, number> {
	const times = new Map<string, number>();
	const look = (fields: object, prefix: string) => {
		for (const [name, value] of Object.entries(fields) as Array<[string, unknown]>) {
			if (typeof value === 'object' && value !== null && prefix === '') look(value, `${name}.`);
			const time = RISES_WITH_TIME.test(name) && !CHANGES_LATER.test(name) ? timeOf(value) : NaN;
			if (Number.isFinite(time)) times.set(prefix + name, time);
		}
	};
	if (typeof message === 'object' && message !== null) look(message, '');
	return times;
}
