import fc from 'fast-check';

import {
	classify,
	type RequestResult,
} from '../../../../nodes/MessagingAccount/errors/classifyResult';

describe('a request result is classified', () => {
	test.each<[result: RequestResult, delivery: string, retryable: string]>([
		[{ status: 199 }, 'unknown', 'reads'],
		[{ status: 200 }, 'done', 'never'],
		[{ status: 201 }, 'done', 'never'],
		[{ status: 204 }, 'done', 'never'],
		[{ status: 299 }, 'done', 'never'],
		['unusable', 'unknown', 'never'],
		[{ status: 300 }, 'notSent', 'never'],
		[{ status: 301 }, 'notSent', 'never'],
		[{ status: 302 }, 'notSent', 'never'],
		[{ status: 303 }, 'notSent', 'never'],
		[{ status: 304 }, 'notSent', 'never'],
		[{ status: 307 }, 'notSent', 'never'],
		[{ status: 308 }, 'notSent', 'never'],
		[{ status: 400 }, 'notSent', 'never'],
		[{ status: 401 }, 'notSent', 'never'],
		[{ status: 403 }, 'notSent', 'never'],
		[{ status: 404 }, 'notSent', 'never'],
		[{ status: 408 }, 'notSent', 'never'],
		[{ status: 413 }, 'notSent', 'never'],
		[{ status: 422 }, 'notSent', 'never'],
		[{ status: 422, retryAfter: 0 }, 'notSent', 'never'],
		[{ status: 429 }, 'notSent', 'always'],
		[{ status: 429, retryAfter: 5000 }, 'notSent', 'always'],
		[{ status: 499 }, 'notSent', 'never'],
		[{ status: 500 }, 'unknown', 'reads'],
		[{ status: 500, retryAfter: 5000 }, 'unknown', 'reads'],
		[{ status: 501 }, 'unknown', 'reads'],
		[{ status: 502 }, 'unknown', 'reads'],
		[{ status: 503 }, 'unknown', 'reads'],
		[{ status: 503, retryAfter: 0 }, 'notSent', 'always'],
		[{ status: 503, retryAfter: 5000 }, 'notSent', 'always'],
		[{ status: 504 }, 'unknown', 'reads'],
		[{ status: 504, retryAfter: 5000 }, 'unknown', 'reads'],
		[{ status: 599 }, 'unknown', 'reads'],
		[{ code: 'ECONNREFUSED' }, 'notSent', 'always'],
		[{ code: 'ENOTFOUND' }, 'notSent', 'always'],
		[{ code: 'EAI_AGAIN' }, 'notSent', 'always'],
		[{ code: 'CERT_HAS_EXPIRED' }, 'notSent', 'never'],
		[{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'notSent', 'never'],
		[{ code: 'CERT_REVOKED' }, 'notSent', 'never'],
		[{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'notSent', 'never'],
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
