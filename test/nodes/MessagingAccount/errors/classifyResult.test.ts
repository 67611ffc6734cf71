import {
	classify,
	type RequestResult,
} from '../../../../nodes/MessagingAccount/errors/classifyResult';
import fc from '../../../support/fastCheck';

describe('a request result is classified', () => {
	/** Delivery, and what may be retried; statuses, network codes, and other results that mean this. */
	const CLASSES: Array<[string, string, number[], codes: string, ...RequestResult[]]> = [
		['done', 'never', [200, 201, 204, 299], ''],
		[
			'notSent',
			'never',
			[301, 302, 307, 308, 400, 401, 403, 404, 410, 413, 418, 421, 422, 423, 425, 498, 505, 511],
			'CERT_HAS_EXPIRED SELF_SIGNED_CERT_IN_CHAIN CERT_REVOKED NO_TLS BLOCKED_BY_N8N',
			{ status: 422, retryAfter: 0 },
		],
		[
			'notSent',
			'always',
			[429],
			'ECONNREFUSED ENOTFOUND EAI_AGAIN',
			{ status: 429, retryAfter: 5000 },
			{ status: 503, retryAfter: 0 },
			{ status: 503, retryAfter: 5000 },
		],
		[
			'unknown',
			'never',
			[300, 303, 304, 305, 399, 406, 409, 416, 424],
			'ERR_CANCELED',
			'unusable',
			{ code: undefined },
		],
		[
			'unknown',
			'reads',
			[199, 408, 460, 499, 500, 501, 502, 503, 504, 507, 599, 600],
			'ECONNRESET ECONNABORTED ETIMEDOUT EPIPE EPROTO EHOSTUNREACH ENETUNREACH HPE_INVALID_CONSTANT ERR_SSL_WRONG_VERSION_NUMBER SOMETHING_NEW',
			{ status: 500, retryAfter: 5000 },
			{ status: 504, retryAfter: 5000 },
		],
	];

	test.each(CLASSES)(
		'delivery %s, retryable %s',
		(delivery, retryable, statuses, codes, ...others) => {
			const results = [
				...statuses.map((status) => ({ status })),
				...(codes.match(/\w+/g) ?? []).map((code) => ({ code })),
				...others,
			];
			for (const result of results) {
				expect({ result, ...classify(result) }).toEqual({ result, delivery, retryable });
			}
		},
	);

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
