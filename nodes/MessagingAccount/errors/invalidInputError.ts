/** The user entered something that cannot be used. Nothing was requested. */
export class InvalidInputError extends Error {
	override name = 'InvalidInputError';

	constructor(
		message: string,
		readonly description: string,
	) {
		super(message);
	}
}
