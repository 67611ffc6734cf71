import { InvalidInputError } from '../../nodes/MessagingAccount/errors/invalidInputError';

/** What the node says of something that cannot be used: what is wrong with it, and what to do about it. */
export function refusalOf(read: () => unknown): string {
	try {
		read();
	} catch (error) {
		if (error instanceof InvalidInputError) return `${error.message}: ${error.description}`;
		throw error as Error;
	}
	throw new Error('It was not refused.');
}
