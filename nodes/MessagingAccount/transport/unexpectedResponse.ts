import { CHECK_ADDRESS, unusableResponseError } from '../errors/httpError';
import type { ApiError } from '../errors/errorClasses';
import { extractApiMessage } from '../errors/extractApiMessage';
import { describePage, isWebPage } from '../errors/webPage';
import { toSafeText } from '../secrets/account';
import { isObject } from '../shared/fields';
import { reportsError } from './errorReports';
import type { ApiResponse } from './exchange';

const USE_GET_STATUS = 'Use Get Status to see whether the account is connected.';

/** What should have come. What to do if the service reports that something went wrong; what happened, and what to do, if not. */
type Expected = { expected: string; ifReported?: string; message?: string; advice?: string };

/** Creates the error for a response that cannot be used: with its own reason, if it reports an error or an account that is not connected. */
export function unexpectedResponse(response: ApiResponse, expectation: Expected): ApiError {
	const { body, account } = response;
	const { expected, ifReported = USE_GET_STATUS, ...otherwise } = expectation;
	const apiMessage = isObject(body) ? extractApiMessage(body, account) : undefined;
	const isReport = isObject(body) && reportsError(body);
	const received = `${isReport ? 'a report that something went wrong, ' : ''}${describeBody(response)}`;
	const report = isReport || apiMessage?.isDisconnected ? apiMessage : undefined;
	// Without a report, only what comes in place of an ID is a sentence for sure, and not, e.g., a message.
	const said = report ?? (otherwise.message ? apiMessage : undefined);
	const quotation = said ? `The service says: “${said.text}”. ` : '';
	const advice = `${quotation}${isReport ? ifReported : (otherwise.advice ?? CHECK_ADDRESS)}`;
	return unusableResponseError(received, { ...otherwise, expected, advice, report });
}

const MAX_FIELD_NAMES = 8;

export function describeBody({ body, account }: ApiResponse): string {
	if (body === null) return 'null';
	if (body === undefined || body === '') return 'an empty response';
	if (isWebPage(body)) return `a web page${describePage(String(body), {}, account)}`;
	if (typeof body === 'string') return `the text “${toSafeText(body, account)}”`;
	if (Array.isArray(body)) return `a list of ${body.length} entries`;
	if (typeof body !== 'object') return `the value ${toSafeText(String(body), account)}`;
	const fields = Object.keys(body);
	if (fields.length === 0) return 'an object without fields';
	const names = fields.slice(0, MAX_FIELD_NAMES).join(', ');
	const more = fields.length > MAX_FIELD_NAMES ? ', …' : '';
	return `an object with the fields ${toSafeText(names, account)}${more}`;
}
