import type { IDataObject } from 'n8n-workflow';

import { isWebPage } from '../errors/webPage';
import { toSafeText } from '../secrets/account';
import { isObject } from '../shared/fields';
import { listIdFields } from '../shared/idFieldNames';
import { reportsError } from './errorReports';
import type { ApiResponse } from './exchange';
import { unexpectedResponse } from './unexpectedResponse';

/** Returns the body of `POST /v1/sendImage` untouched: docs/api.md, "Send image". @throws ApiError if it has no id, or reports an error */
export function readSentMessage(response: ApiResponse): IDataObject {
	const sent = response.body;
	const hasId = isObject(sent) && isId(sent.id);
	if (hasId && !reportsError(sent)) return sent;
	const [field] = listIdFields(sent);
	const found = field ? `; here, '${toSafeText(field, response.account)}' looks like it` : '';
	const advice = `Ask the service's operator: the ID must be in 'id'${found}.`;
	const message = 'The service responded without a message ID';
	const other = hasId || isWebPage(sent) ? {} : { message, advice };
	throw unexpectedResponse(response, { expected: 'the id of the message', ...other });
}

/** Some services have a word for a missing ID, maybe in brackets, or a sentence. */
const NO_ID =
	/undefined|\[object|^-1$|^(not?|n[aã]o|unable|cannot|could)\s{1,9}\p{L}|^0{8}-[0-]+$|^(error|fail(ed)?|invalid):?\s{1,9}\p{L}|^[^\p{L}\p{N}]*((null|none|nil|nan|n\/a|true|false|error|fail(ed)?|unknown)[^\p{L}\p{N}]*)?$/iu;
const isId = (id: unknown) =>
	(typeof id === 'number' && id !== -1) ||
	(typeof id === 'string' && !NO_ID.test(id.trim().slice(0, 200)));
