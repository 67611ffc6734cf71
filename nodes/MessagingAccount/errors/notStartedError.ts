/** Nothing new may start: the execution was canceled, or another item failed with On Error "Stop". */
export class NotStartedError extends Error {
	override name = 'NotStartedError';

	constructor() {
		super('The execution was canceled before this item');
	}
}
