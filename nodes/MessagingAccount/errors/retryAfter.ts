/** Parses `Retry-After` (RFC 9110, 10.2.3), seconds or an HTTP date in its preferred form. @returns ms; undefined if it is anything else */
export function parseRetryAfter(value: unknown, now: number): number | undefined {
	const text = String(value ?? '').trim();
	// The limit of RFC 9111, 1.2.2.
	if (/^\d+$/.test(text)) return Math.min(Number(text), 2 ** 31) * 1000;
	const date = new Date(text);
	// `Date` would also read "retry 5", "-1" and much else.
	const isPreferred = /GMT$/.test(text) && date.toUTCString() === text;
	return isPreferred ? Math.max(0, date.getTime() - now) : undefined;
}
