import { classify } from '../../../../nodes/MessagingAccount/errors/classifyResult';
import fc from '../../../support/fastCheck';

/** The delivery, and what may be retried: network codes and statuses; behind a plus sign the ms to wait. */
const CLASSES = `
	done never: 200 201 204 299
	notSent never: 301 302 307 308 400 401 403 404 410 413 418 421 422 422+0 423 425 498 505 511
		CERT_HAS_EXPIRED SELF_SIGNED_CERT_IN_CHAIN CERT_REVOKED UNSPECIFIED PATH_LENGTH_EXCEEDED CRL_HAS_EXPIRED
		UNABLE_TO_GET_CRL INVALID_CA ERROR_IN_CERT_NOT_AFTER_FIELD CERT_UNTRUSTED UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY
		NO_TLS NO_HANDSHAKE NO_SUCH_NAME ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED BLOCKED_BY_N8N
	notSent always: 429 429+5000 503+0 503+5000 ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL NOT_SECURED
	unknown never: 300 303 304 305 399 406 409 416 424 ERR_CANCELED
	unknown reads: 199 408 460 499 500 500+5000 501 502 503 504 504+5000 507 599 600 ETIMEDOUT EPIPE
		ERR_SSL_WRONG_VERSION_NUMBER EHOSTUNREACH ENETUNREACH ECONNRESET ECONNABORTED EPROTO
		HPE_INVALID_CONSTANT SOMETHING_NEW`;

function toResult(text: string) {
	const [status, retryAfter] = text.split('+').map(Number);
	if (!status) return { code: text };
	return retryAfter === undefined ? { status } : { status, retryAfter };
}

test.each([
	...[...CLASSES.matchAll(/(\w+) (\w+): ([^:]+)(?=\n\t\w|$)/g)].flatMap(
		([, delivery, retryable, results]) =>
			results.split(/\s+/).map((text) => [toResult(text), delivery, retryable] as const),
	),
	['unusable', 'unknown', 'never'] as const,
	[{ code: undefined }, 'unknown', 'never'] as const,
])('%j: delivery %s, retryable %s', (result, delivery, retryable) => {
	expect(classify(result)).toEqual({ delivery, retryable });
});

/** RFC 9110, 15: a client need not know a status, only its class. */
test('an unknown status is classified like the first of its class', () => {
	const unknown = fc.integer({ min: 512, max: 599 });
	fc.assert(
		fc.property(fc.constantFrom(430, 440, 470, 480, 490), unknown, (refused, failed) => {
			expect(classify({ status: refused })).toEqual(classify({ status: 400 }));
			expect(classify({ status: failed })).toEqual(classify({ status: 500 }));
		}),
	);
});
