import { ApiError } from './apiError';

const CHECK_ADDRESS =
	"Check 'Base URL' in the credential, and that it leads to the service this node is made for.";

/**
 * Creates the error for a 2xx response that cannot be used.
 *
 * @param received describes what came, without secrets
 * @param expected describes what should have come
 * @param advice what the service itself says about it, or what to check
 */
export function unexpectedResponseError(
	received: string,
	expected = 'a response of the messaging service',
	advice = CHECK_ADDRESS,
): ApiError {
	return new ApiError('Unexpected response from the service', {
		description: `Expected ${expected}, but received ${received}. ${advice}`,
		result: 'unusable',
	});
}
