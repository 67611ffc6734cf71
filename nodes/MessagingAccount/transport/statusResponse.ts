import type { IDataObject } from 'n8n-workflow';

import { CHECK_CREDENTIAL, unusableResponseError } from '../errors/httpError';
import { isObject } from '../shared/fields';
import type { ApiResponse } from './exchange';
import { describeBody, unexpectedResponse } from './unexpectedResponse';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The start of the data URI, which some services leave out, or to which they add parameters. */
const PNG_DATA_URI = /^data:image\/png(;[^,]*)?,/i;

/**
 * Reads the response of `GET /v1/status`: docs/api.md, "Status". @throws ApiError if it has neither of the two shapes
 * @returns the response, always with `is_connected`, and the PNG of the QR code if the account waits for its scan, and the service has one
 */
export function readStatus(response: ApiResponse): { status: IDataObject; qr?: Buffer } {
	const status = isObject(response.body) ? response.body : {};
	const { is_connected: isConnected, qr } = status;
	if (isConnected === true) return { status };
	const picture = decodePng(qr);
	if (picture) return { status: { ...status, is_connected: false }, qr: picture };
	if (isConnected === false) return { status };
	if (isConnected !== undefined && isConnected !== null) {
		const advice = "Ask the service's operator to return true or false.";
		const expected = "true or false in 'is_connected'";
		const body = describeBody({ ...response, body: isConnected });
		throw unusableResponseError(body, { expected, advice });
	}
	if (qr !== undefined && qr !== null) {
		const advice = "Scan it where the service shows it, or ask the service's operator for a PNG.";
		const message = 'The QR code from the service is not a PNG picture';
		const expected = "a PNG as data URI in 'qr'";
		throw unexpectedResponse(
			{ ...response, body: qr },
			{ expected, ifReported: '', message, advice },
		);
	}
	const expected = 'a status, with is_connected or qr';
	throw unexpectedResponse(response, { expected, ifReported: CHECK_CREDENTIAL });
}

function decodePng(qr: unknown): Buffer | undefined {
	if (typeof qr !== 'string') return undefined;
	const picture = Buffer.from(qr.trim().replace(PNG_DATA_URI, ''), 'base64');
	return picture.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE) ? picture : undefined;
}
