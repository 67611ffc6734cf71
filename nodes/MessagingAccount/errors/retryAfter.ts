/** The limit of such numbers in RFC 9111, 1.2.2. */
const MAX_SECONDS = 2 ** 31;

/** Parses `Retry-After` (RFC 9110, 10.2.3), seconds or an HTTP date in its preferred form. @returns ms; undefined if it is anything else */
export function parseRetryAfter(value: unknown, now: number): number | undefined {
	const text = String(value ?? '').trim();
	if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
	const date = new Date(text);
	// `Date` would also read "retry 5", "-1" and much else.
	const isPreferred = /GMT$/.test(text) && date.toUTCString() === text;
	return isPreferred ? Math.max(0, date.getTime() - now) : undefined;
}
