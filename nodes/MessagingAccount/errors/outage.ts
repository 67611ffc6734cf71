import type { ApiError } from './errorClasses';
import { CANCELED } from './networkCode';

/** Statuses that say something of the request, and so of one item, not of the service or the account. */
const STATUSES_OF_ITEMS = [400, 404, 409, 413, 414, 415, 422];

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
 * | with one of `STATUSES_OF_ITEMS` | not |
 * | with any other status, e.g. 401, 403, 429, 502, 302 | an outage |
 */
export function isOutage({ details }: ApiError): boolean {
	const { result, isDisconnected, isWebPage } = details;
	if (result === 'unusable' || isDisconnected || isWebPage) return true;
	if (result === 'notMade') return false;
	return 'code' in result ? result.code !== CANCELED : !STATUSES_OF_ITEMS.includes(result.status);
}
