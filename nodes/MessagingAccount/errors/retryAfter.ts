const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const DAY_NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY_NAME = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const MONTH = `(?<month>${MONTHS.join('|')})`;
/** The second 60 is a leap second. */
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';

/** The three forms of RFC 9110, 5.6.7: the preferred one, that of RFC 850 and that of asctime(). */
const HTTP_DATES = [
	`${DAY_NAME}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
	`${LONG_DAY_NAME}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT`,
	`${DAY_NAME} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/** As RFC 9111, 1.2.2, limits such numbers. */
const MAX_SECONDS = 2 ** 31;

/**
 * Parses the header `Retry-After` (RFC 9110, 10.2.3): a number of seconds, or an HTTP date.
 *
 * @param now in ms since 1970
 * @returns ms to wait, 0 if the date has passed; undefined if the header is absent or anything else
 */
export function parseRetryAfter(value: unknown, now: number): number | undefined {
	const text = String(value ?? '').trim();
	if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
	const date = parseHttpDate(text, now);
	return date === undefined ? undefined : Math.max(0, date - now);
}

/** Returns ms since 1970. `Date.parse` would also accept "retry 5", "-1" and much else. */
function parseHttpDate(text: string, now: number): number | undefined {
	const fields = HTTP_DATES.map((form) => form.exec(text)?.groups).find(Boolean);
	if (!fields) return undefined;
	const year = toFullYear(fields.year, now);
	const month = MONTHS.indexOf(fields.month);
	const day = Number(fields.day);
	// A day that the month does not have would become one of the next month.
	if (new Date(Date.UTC(year, month, day)).getUTCDate() !== day) return undefined;
	const { hour, minute, second } = fields;
	return Date.UTC(year, month, day, Number(hour), Number(minute), Number(second));
}

/** A year of two digits that seems more than 50 years ahead is the latest past year with these digits. */
function toFullYear(digits: string, now: number): number {
	if (digits.length > 2) return Number(digits);
	const currentYear = new Date(now).getUTCFullYear();
	const year = currentYear - (currentYear % 100) + Number(digits);
	return year > currentYear + 50 ? year - 100 : year;
}
