import { ApiError, InvalidInputError } from '../../nodes/MessagingAccount/errors/errorClasses';

/** Returns the message and description of the InvalidInputError that `read` throws. */
export function describeInputError(read: () => unknown): string {
	const { message, description } = getError(read, InvalidInputError);
	return `${message}: ${description}`;
}

/** Returns the ApiError that `work` throws. */
export const getApiError = (work: () => unknown): ApiError => getError(work, ApiError);

function getError<T extends Error>(work: () => unknown, Class: new (...args: never[]) => T): T {
	try {
		work();
	} catch (error) {
		if (error instanceof Class) return error;
		throw error as Error;
	}
	throw new Error('Nothing was refused.');
}
