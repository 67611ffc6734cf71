/** Between which a number or a date counts as the time of a message. */
const MIN_MS = Date.UTC(1990, 0);
const MAX_MS = Date.UTC(2100, 0);

/** How much longer than a ms the units are in which services count: s, ms, µs and ns. */
const UNITS_MS = [1000, 1, 1e-3, 1e-6];

const EPOCH = /^\d{9,19}(\.\d+)?$/;
const ISO_DATE = /^\d{4}-\d\d-\d\d/;
/** As in e-mails, e.g. “Sun, 22 Nov 2026 08:00:00 GMT”. */
const DATE_WITH_WEEKDAY = /^[A-Z][a-z]{2},? .*\d{4}/;
/** E.g. 31/12/2025 10:00, or 12/31/2025, 10:00:00 PM. */
const NUMERIC_DATE =
	/^(\d{1,2})([./-])(\d{1,2})\2(\d{4}),? +(\d{1,2}):(\d\d)(?::(\d\d))? *([ap]m)?$/i;

/** Whether dates begin with the day or the month; undefined if nothing tells. */
export type FirstPart = 'day' | 'month' | undefined;

/** Finds out in which order the values write a date. */
export function findFirstPart(values: unknown[]): FirstPart {
	const dates = values.flatMap((value) =>
		[NUMERIC_DATE.exec(String(value)) ?? []].filter((one) => one.length > 0),
	);
	const isDay = (part: 1 | 3) => dates.some((date) => Number(date[part]) > 12);
	if (isDay(1) === isDay(3)) return undefined;
	return isDay(1) ? 'day' : 'month';
}

/**
 * Reads the time of a message in any of the forms that services use.
 *
 * @returns ms since 1970; undefined if it is none, or out of the range of plausible ones
 */
export function parseTime(value: unknown, firstPart?: FirstPart): number | undefined {
	const ms = toMs(value, firstPart);
	return ms !== undefined && ms >= MIN_MS && ms < MAX_MS ? ms : undefined;
}

/** Whether a value is a time, whatever its field is called. */
export function looksLikeTime(value: unknown): boolean {
	if (typeof value === 'number' || EPOCH.test(String(value))) return false;
	return parseTime(value, 'day') !== undefined || parseTime(value, 'month') !== undefined;
}

function toMs(value: unknown, firstPart: FirstPart): number | undefined {
	if (typeof value === 'object') return value === null ? undefined : readObject(value);
	if (typeof value === 'number') return scale(value);
	if (typeof value !== 'string') return undefined;
	if (EPOCH.test(value)) return scale(Number(value));
	if (ISO_DATE.test(value) || DATE_WITH_WEEKDAY.test(value)) return Date.parse(value);
	const [, first, , second, year, hour, minute, s = '0', half] = NUMERIC_DATE.exec(value) ?? [];
	if (first === undefined || firstPart === undefined) return undefined;
	const [day, month] = firstPart === 'day' ? [first, second] : [second, first];
	const hours = half ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hour);
	return Date.UTC(Number(year), Number(month) - 1, Number(day), hours, Number(minute), Number(s));
}

/** As protocol buffers, Firestore and MongoDB have times and long integers in JSON. */
function readObject(value: object): number | undefined {
	const fields = value as Record<string, unknown>;
	const { low, high } = fields;
	if (typeof low === 'number' && typeof high === 'number') {
		return scale(high * 2 ** 32 + (low >>> 0));
	}
	const inner = fields.seconds ?? fields._seconds ?? fields.$date ?? fields.$numberLong;
	const ms = inner === undefined ? undefined : toMs(inner, undefined);
	const ns = Number(fields.nanoseconds ?? fields._nanoseconds ?? fields.nanos ?? 0);
	return ms === undefined || Number.isNaN(ns) ? ms : ms + ns / 1e6;
}

function scale(time: number): number | undefined {
	return UNITS_MS.map((unit) => time * unit).find((ms) => ms >= MIN_MS && ms < MAX_MS);
}
