import type { Failure, INode, NodeError } from 'n8n-workflow';

import { asNodeError } from '../nodeError';
import { ServiceFailure } from '../service/errors';

/** The error for a poll that came to nothing. */
export function toPollError(node: INode, error: unknown): NodeError {
	const { message, description } = error as { message: string; description?: string };
	return asNodeError(
		node,
		error,
		message,
		error instanceof ServiceFailure
			? { description: error.details, failure: pollFailureOf(error) }
			: { description },
	);
}

/** Tells n8n when it is worth to poll again; undefined leaves that to n8n. */
function pollFailureOf({
	httpCode,
	retryAfter,
	tryAgain,
}: Pick<ServiceFailure, 'httpCode' | 'retryAfter' | 'tryAgain'>): Failure | undefined {
	if (httpCode === '401' || httpCode === '403') return { cause: 'credential-invalid' };
	if (httpCode === '429') return { cause: 'rate-limited', retryAfterMs: retryAfter };
	if (tryAgain === 'never') return undefined;
	return { cause: 'temporarily-unavailable', retryAfterMs: retryAfter };
}
