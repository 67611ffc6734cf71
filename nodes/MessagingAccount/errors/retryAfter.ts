/** The limit of such numbers in RFC 9111, 1.2.2. */
const MAX_SECONDS = 2 ** 31;

/**
 * Parses the header `Retry-After` (RFC 9110, 10.2.3): a number of seconds, or an HTTP date in its preferred form.
 *
 * @param now in ms since 1970
 * @returns ms to wait, 0 if the date has passed; undefined if the header is absent or anything else
 */
export function parseRetryAfter(value: unknown, now: number): number | undefined {
	const text = String(value ?? '').trim();
	if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
	const date = new Date(text);
	// `Date` would also read "retry 5", "-1" and much else.
	return /GMT$/.test(text) && date.toUTCString() === text
		? Math.max(0, date.getTime() - now)
		: undefined;
}
