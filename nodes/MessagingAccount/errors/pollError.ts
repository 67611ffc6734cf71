import type { Failure, INode, NodeError } from 'n8n-workflow';

import { ApiError } from './apiError';
import { createNodeError } from './nodeError';

/** Creates the error to throw when a poll fails. */
export function createPollError(node: INode, error: unknown): NodeError {
	const { message, description } = error as { message: string; description?: string };
	return createNodeError(
		node,
		error,
		message,
		error instanceof ApiError
			? { description: error.details, failure: getPollFailure(error) }
			: { description },
	);
}

/** Tells n8n's back-off why the poll failed; undefined leaves the decision to n8n. */
function getPollFailure({ httpCode, retryAfter, retryable }: ApiError): Failure | undefined {
	if (httpCode === '401' || httpCode === '403') return { cause: 'credential-invalid' };
	if (httpCode === '429') return { cause: 'rate-limited', retryAfterMs: retryAfter };
	if (retryable === 'never') return undefined;
	return { cause: 'temporarily-unavailable', retryAfterMs: retryAfter };
}
