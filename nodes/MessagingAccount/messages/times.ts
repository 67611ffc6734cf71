/** The range in which a number or a date counts as the time of a message. */
const [MIN_MS, MAX_MS] = [Date.UTC(1990, 0), Date.UTC(2100, 0)];

/** The units that services use, in ms: s, ms, µs and ns. */
const UNITS_MS = [1000, 1, 1e-3, 1e-6];

const EPOCH = /^\d{9,19}(\.\d+)?$/;
/** ISO 8601, another date with the year first, or a date as in e-mails, e.g. “Sun, 22 Nov 2026 08:00:00 GMT”. */
const DATE =
	/^\d{4}([-/])\d\d?\1\d\d?|^([A-Z][a-z]{2},? )?(\d\d? )?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d/;
/** ISO 8601 without separators, in parts. */
const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)(?:Z|\.\d+Z?)?$/;
/** E.g. 31/12/2025 10:00, or 12/31/25, 10:00:00 p.m. */
const NUMERIC_DATE =
	/^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d),? +(\d{1,2})[:.](\d\d)(?:[:.](\d\d)(?:\.\d+)?)? *(?:([ap])\.? ?m\.?)?$/i;

/** Returns the first part of numeric dates, if any. A part over 12 is a day. Otherwise, the day is first if all have dots or the same day. */
export function findFirstPart(values: unknown[]): 'day' | 'month' | undefined {
	const matches = values.map((value) => NUMERIC_DATE.exec(toText(value)));
	const dates = matches.filter((date) => date !== null);
	const isDay = (part: 1 | 3) => dates.some((date) => Number(date[part]) > 12);
	if (isDay(1) !== isDay(3)) return isDay(1) ? 'day' : 'month';
	if (dates.length === 0 || isDay(1)) return undefined;
	const isSameDay = new Set(dates.map(([, first, , second]) => `${first} ${second}`)).size === 1;
	return isSameDay || dates.every((date) => date[2] === '.') ? 'day' : undefined;
}

/** Returns a time, in any of the forms that services use, in ms since 1970; undefined if the value is none, or an implausible one. */
export function parseTime(value: unknown, firstPart?: 'day' | 'month'): number | undefined {
	const ms = toMs(value, firstPart);
	return ms !== undefined && ms >= MIN_MS && ms < MAX_MS ? ms : undefined;
}

/** Whether the form of a value alone shows that it is a time, whatever its field is called. A mere number does not. */
export function looksLikeTime(value: unknown): boolean {
	const text = toText(value);
	return !EPOCH.test(text) && (NUMERIC_DATE.test(text) || parseTime(value) !== undefined);
}

/** A longer text is no time: to look for one in it may take long. */
const MAX_LENGTH = 100;

function toText(value: unknown): string {
	const isShort = typeof value === 'string' && value.length <= MAX_LENGTH;
	return isShort || typeof value === 'number' ? String(value) : '';
}

function toMs(value: unknown, firstPart?: 'day' | 'month'): number | undefined {
	if (typeof value === 'object' && value) return readObject(value as Record<string, unknown>);
	const text = toText(value);
	const epoch = EPOCH.test(text) ? scale(Number(text)) : undefined;
	if (epoch !== undefined) return epoch;
	const iso = text.replace(BASIC_DATE, '$1-$2-$3T$4:$5:$6Z');
	if (DATE.test(iso)) return Date.parse(iso);
	const [, first, , second, year, hour, minute, s = '0', half] = NUMERIC_DATE.exec(text) ?? [];
	if (first === undefined || firstPart === undefined) return undefined;
	const [day, month] = (firstPart === 'day' ? [first, second] : [second, first]).map(Number);
	if (month > 12) return undefined;
	const [y, h, min, sec] = [year.padStart(4, '20'), hour, minute, s].map(Number);
	const hours = half ? (h % 12) + (/p/i.test(half) ? 12 : 0) : h;
	return Date.UTC(y, month - 1, day, hours, min, sec);
}

/** Reads times and long integers as protocol buffers, Firestore and MongoDB write them in JSON. */
function readObject(fields: Record<string, unknown>): number | undefined {
	const { low, high, seconds, _seconds, epochSecond, $date, $numberLong } = fields;
	if (typeof low === 'number') return scale(Number(high) * 2 ** 32 + (low >>> 0));
	const ms = toMs(seconds ?? _seconds ?? epochSecond ?? $date ?? $numberLong);
	const ns = Number(fields.nanoseconds ?? fields._nanoseconds ?? fields.nanos ?? 0);
	return ms === undefined ? undefined : ms + ns / 1e6;
}

const scale = (time: number) =>
	UNITS_MS.map((unit) => time * unit).find((ms) => ms >= MIN_MS && ms < MAX_MS);
