/** Only this much of a text of the service is looked at. */
export const MAX_TEXT_LENGTH = 1000;

/**
 * Returns a text or code as words in lower case, without accents and numbers, and without “error” and the like at its ends.
 * @example toPlainWords('HTTP 404: Not Found') // 'not found' @example toPlainWords('sessionNotConnected') // 'session not connected'
 */
export function toPlainWords(text: string): string {
	return text
		.slice(0, MAX_TEXT_LENGTH)
		.normalize('NFD')
		.replace(/\p{M}+/gu, '')
		.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
		.toLowerCase()
		.replace(/n['’]t\b/g, ' not')
		.replace(/\P{L}+/gu, ' ')
		.replace(/^ ?(http |error )+| (exception|error)? ?$/g, '')
		.trim();
}

/** Texts of servers about an address that they do not have, which a 404 says by itself. */
const NO_ADDRESS = [
	/^cannot (get|post) \//i,
	/^no (static |http )?(resource|route|handler)/i,
	/^un(known|recognized) (path|request url)/i,
	/^invalid (endpoint|route)/i,
	/^method .*not allowed/i,
	/^(\d+ )?(the )?(route|page|endpoint|requested (url|uri|path|page|resource))\b.*\bnot (be )?(found|exist)/i,
];

/** Names of statuses and the like, as `toPlainWords` returns them: they say no more than their number. */
const STATUS_NAMES = [
	/^(bad request|unauthori[sz]ed|(authorization|payment) required|forbidden( resource)?)$/,
	/^((resource )?not found|method not allowed|not acceptable|conflict|gone|locked)$/,
	/^(precondition failed|failed dependency|too many requests|unsupported media type)$/,
	/^((payload|content|request (entity|header fields)) too large|unprocessable (entity|content))$/,
	/^((internal )?server|internal|not implemented|bad gateway|(gateway|request) time ?out)$/,
	/^((service )?(temporarily )?unavailable|something went wrong|no message available)$/,
	/^(an )?(unexpected|unknown|request|validation|operation)( (server )?(error|failed|failure))?( (has )?occurred)?$/,
	/^((axios )?(error )?request failed with status code)$/,
	/^(error|failed|failure|false|ok|http|code|object object)$/,
];

/** Whether a text in an error response says no more than its status. */
export function isStatusName(text: string): boolean {
	const words = toPlainWords(text);
	const start = text.slice(0, MAX_TEXT_LENGTH);
	return (
		/^[45]\d\d$/.test(text) ||
		STATUS_NAMES.some((name) => name.test(words)) ||
		NO_ADDRESS.some((name) => name.test(start))
	);
}
