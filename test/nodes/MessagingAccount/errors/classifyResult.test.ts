import {
	classify,
	type RequestResult,
} from '../../../../nodes/MessagingAccount/errors/classifyResult';
import fc from '../../../support/fastCheck';

describe('a request result is classified', () => {
	test.each<[result: RequestResult, delivery: string, retryable: string]>([
		[{ status: 199 }, 'unknown', 'reads'],
		[{ status: 200 }, 'done', 'never'],
		[{ status: 201 }, 'done', 'never'],
		[{ status: 204 }, 'done', 'never'],
		[{ status: 299 }, 'done', 'never'],
		['unusable', 'unknown', 'never'],
		[{ status: 300 }, 'unknown', 'never'],
		[{ status: 301 }, 'notSent', 'never'],
		[{ status: 302 }, 'notSent', 'never'],
		[{ status: 303 }, 'unknown', 'never'],
		[{ status: 304 }, 'unknown', 'never'],
		[{ status: 305 }, 'unknown', 'never'],
		[{ status: 307 }, 'notSent', 'never'],
		[{ status: 308 }, 'notSent', 'never'],
		[{ status: 399 }, 'unknown', 'never'],
		[{ status: 400 }, 'notSent', 'never'],
		[{ status: 401 }, 'notSent', 'never'],
		[{ status: 403 }, 'notSent', 'never'],
		[{ status: 404 }, 'notSent', 'never'],
		[{ status: 406 }, 'unknown', 'never'],
		[{ status: 408 }, 'unknown', 'reads'],
		[{ status: 409 }, 'unknown', 'never'],
		[{ status: 410 }, 'notSent', 'never'],
		[{ status: 413 }, 'notSent', 'never'],
		[{ status: 416 }, 'unknown', 'never'],
		[{ status: 418 }, 'notSent', 'never'],
		[{ status: 421 }, 'notSent', 'never'],
		[{ status: 422 }, 'notSent', 'never'],
		[{ status: 422, retryAfter: 0 }, 'notSent', 'never'],
		[{ status: 423 }, 'notSent', 'never'],
		[{ status: 424 }, 'unknown', 'never'],
		[{ status: 425 }, 'notSent', 'never'],
		[{ status: 429 }, 'notSent', 'always'],
		[{ status: 429, retryAfter: 5000 }, 'notSent', 'always'],
		[{ status: 460 }, 'unknown', 'reads'],
		[{ status: 498 }, 'notSent', 'never'],
		[{ status: 499 }, 'unknown', 'reads'],
		[{ status: 500 }, 'unknown', 'reads'],
		[{ status: 500, retryAfter: 5000 }, 'unknown', 'reads'],
		[{ status: 501 }, 'unknown', 'reads'],
		[{ status: 502 }, 'unknown', 'reads'],
		[{ status: 503 }, 'unknown', 'reads'],
		[{ status: 503, retryAfter: 0 }, 'notSent', 'always'],
		[{ status: 503, retryAfter: 5000 }, 'notSent', 'always'],
		[{ status: 504 }, 'unknown', 'reads'],
		[{ status: 504, retryAfter: 5000 }, 'unknown', 'reads'],
		[{ status: 505 }, 'notSent', 'never'],
		[{ status: 507 }, 'unknown', 'reads'],
		[{ status: 511 }, 'notSent', 'never'],
		[{ status: 599 }, 'unknown', 'reads'],
		[{ status: 600 }, 'unknown', 'reads'],
		[{ code: 'ECONNREFUSED' }, 'notSent', 'always'],
		[{ code: 'ENOTFOUND' }, 'notSent', 'always'],
		[{ code: 'EAI_AGAIN' }, 'notSent', 'always'],
		[{ code: 'CERT_HAS_EXPIRED' }, 'notSent', 'never'],
		[{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'notSent', 'never'],
		[{ code: 'CERT_REVOKED' }, 'notSent', 'never'],
		[{ code: 'NO_TLS' }, 'notSent', 'never'],
		[{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'unknown', 'reads'],
		[{ code: 'BLOCKED_BY_N8N' }, 'notSent', 'never'],
		[{ code: 'EHOSTUNREACH' }, 'unknown', 'reads'],
		[{ code: 'ENETUNREACH' }, 'unknown', 'reads'],
		[{ code: 'ECONNRESET' }, 'unknown', 'reads'],
		[{ code: 'ECONNABORTED' }, 'unknown', 'reads'],
		[{ code: 'ETIMEDOUT' }, 'unknown', 'reads'],
		[{ code: 'EPIPE' }, 'unknown', 'reads'],
		[{ code: 'EPROTO' }, 'unknown', 'reads'],
		[{ code: 'HPE_INVALID_CONSTANT' }, 'unknown', 'reads'],
		[{ code: 'SOMETHING_NEW' }, 'unknown', 'reads'],
		[{ code: 'ERR_CANCELED' }, 'unknown', 'never'],
		[{ code: undefined }, 'unknown', 'never'],
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

	test('a send is never retryable if the service may have received it', () => {
		const results = fc.oneof(
			fc.record({
				status: fc.integer({ min: 100, max: 999 }),
				retryAfter: fc.option(fc.nat(), { nil: undefined }),
			}),
			fc.record({ code: fc.option(fc.string(), { nil: undefined }) }),
		);
		fc.assert(
			fc.property(results, (result) => {
				const { delivery, retryable } = classify(result);
				if (delivery !== 'notSent') expect(retryable).not.toBe('always');
			}),
		);
	});
});
