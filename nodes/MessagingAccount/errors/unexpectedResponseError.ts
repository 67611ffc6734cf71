import { ApiError } from './apiError';

/**
 * Creates the error for a 2xx response that cannot be used.
 *
 * @param received describes what came, without secrets
 * @param expected describes what should have come
 */
export function unexpectedResponseError(
	received: string,
	expected = 'a response of the messaging service',
): ApiError {
	return new ApiError('Unexpected response from the service', {
		description: `Expected ${expected}, but received ${received}. Check 'Base URL' in the credential, and that it leads to the service this node is made for.`,
		result: 'unusable',
	});
}
