import type { ApiError } from './errorClasses';
import { CANCELED } from './networkCode';

/** The 4xx that say something of the account alone. */
const OF_ACCOUNT = [401, 402, 403, 419, 429, 440, 498];

/** The 4xx that say something of the service, of a firewall before it, or of the account. All others say something of one item. */
const OUTAGES_AMONG_4XX = [
	...OF_ACCOUNT,
	...[405, 406, 407, 408, 416, 420, 421, 424, 425, 426, 451, 460, 499],
];

/**
 * Whether a send failed because of the service or the account, so that other sends will fail, too.
 *
 * | the send ended | it is |
 * | --- | --- |
 * | without a complete response: no connection, a timeout, a lost connection | an outage |
 * | because the execution was stopped | not |
 * | before it began, because an earlier attempt is unknown | not |
 * | with a 2xx response that cannot be used | an outage |
 * | with a web page, from something in front of the service | an outage |
 * | with a reason that says that the account is not connected | an outage |
 * | with a 4xx that is none of `OUTAGES_AMONG_4XX`, e.g. 400, 404, 410, 412, 422 | not |
 * | with any other status, e.g. 401, 403, 429, 502, 302 | an outage |
 */
export function isOutage({ details }: ApiError): boolean {
	const { result, isDisconnected, isWebPage } = details;
	if (result === 'unusable' || isDisconnected || isWebPage) return true;
	if (result === 'notMade') return false;
	if ('code' in result) return result.code !== CANCELED;
	const { status } = result;
	return status < 400 || status >= 500 || OUTAGES_AMONG_4XX.includes(status);
}

/** Whether that is so for all accounts of the service. */
export function isOutageForAll(error: ApiError): boolean {
	const { result, isDisconnected, isWebPage } = error.details;
	const isOfAccount =
		typeof result === 'object' && 'status' in result && OF_ACCOUNT.includes(result.status);
	return isOutage(error) && !isDisconnected && (isWebPage === true || !isOfAccount);
}
