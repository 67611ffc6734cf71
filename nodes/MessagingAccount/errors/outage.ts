import type { ApiError } from './errorClasses';
import { CANCELED } from './networkCode';

/** The 4xx that say something of the account alone. */
const OF_ACCOUNT = [401, 402, 403, 419, 429, 440, 498];

/** The 4xx that say something of the service, of a firewall before it, or of the account. All others say something of one item. */
const OF_OUTAGE = [...OF_ACCOUNT, 405, 406, 407, 408, 416, 420, 421, 424, 425, 426, 451, 460, 499];

/**
 * Whether a send failed because of the service or the account, so that other sends will fail, too: in all ways but with a 4xx of one item,
 * e.g. 422, because the execution was stopped, or because it was not made. A web page comes from something in front of the service.
 */
export function isOutage({ details }: ApiError): boolean {
	const { result, isDisconnected, isWebPage } = details;
	if (result === 'unusable' || isDisconnected || isWebPage) return true;
	if (result === 'notMade') return false;
	if ('code' in result) return result.code !== CANCELED;
	const { status } = result;
	return status < 400 || status >= 500 || OF_OUTAGE.includes(status);
}

/** Whether a send failed because of the service, so that those of all its accounts will. */
export function isOutageForAll(error: ApiError): boolean {
	const { isDisconnected, isWebPage } = error.details;
	const isOfAccount = OF_ACCOUNT.includes(Number(error.httpCode));
	return isOutage(error) && !isDisconnected && (isWebPage === true || !isOfAccount);
}
