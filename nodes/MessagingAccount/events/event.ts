import type {
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
} from 'n8n-workflow';

/** One event of the trigger. To add one, write its file and name it in `index.ts`. */
export interface TriggerEvent {
	/** The entry in the list of events. */
	entry: INodePropertyOptions & { value: string };
	/** Its collection "Options". */
	options: INodeProperties[];
	/**
	 * Looks once for what has happened. What it remembers changes as its last step, so only if nothing was thrown.
	 *
	 * @returns the items of each output; null where nothing has happened
	 * @throws InvalidInput, ServiceFailure
	 */
	poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null>;
}
