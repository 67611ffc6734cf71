import { MAX_TEXT_LENGTH, toPlainWords } from './plainWords';

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
