import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Choice } from '../parameters/nodeProperties';

/** One event of the trigger. To add one, write its file and name it in `index.ts`. */
export interface TriggerEvent extends Choice {
	/**
	 * Polls once. The stored state changes last, so only if nothing was thrown.
	 *
	 * @returns the items of each output; null if nothing happened
	 * @throws InvalidInputError, ApiError
	 */
	poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null>;
}
