import { InvalidInputError } from '../../nodes/MessagingAccount/errors/errorClasses';

/** Returns the message and description of the InvalidInputError that `read` throws. */
export function describeInputError(read: () => unknown): string {
	try {
		read();
	} catch (error) {
		if (error instanceof InvalidInputError) return `${error.message}: ${error.description}`;
		throw error as Error;
	}
	throw new Error('The input was accepted.');
}
