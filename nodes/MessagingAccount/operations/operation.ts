import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	NodeHint,
} from 'n8n-workflow';

import type { ReadParameter } from '../itemParameters';
import type { Answer } from '../service/answers';
import type { Read, ServiceRequest } from '../service/request';

/** What an operation makes of one input item: a request, and the way from its answer to output items. */
export interface Call {
	request: ServiceRequest;
	/** The recipient, where the request reaches one: what goes to the same one keeps its order. */
	recipient?: string;
	/**
	 * @param read for an operation that only reads: asks for more than the one answer
	 * @returns items without `pairedItem`, which is the same for all and added by the node
	 * @throws ServiceFailure where the answer cannot be used
	 */
	toItems(answer: Answer, read: Read): INodeExecutionData[] | Promise<INodeExecutionData[]>;
}

/** One operation of the node. To add one, write its file and name it in `list.ts`. */
export interface Operation {
	/** The entry in the list of operations. */
	entry: INodePropertyOptions & { value: string };
	/** Shown for this operation only; `index.ts` sees to that. */
	parameters: INodeProperties[];
	/** What it adds to the collection "Options". */
	options: INodeProperties[];
	/** What n8n shows where the output will be; each has to limit itself to its operation. */
	hints?: NodeHint[];
	/** Does it reach a person? Then a failed item tells with `delivery` whether the message may have gone out. */
	sends: boolean;
	/**
	 * Reads the parameters of one item.
	 *
	 * @throws InvalidInput where they cannot be used
	 */
	prepare(readParameter: ReadParameter, itemIndex: number, context: IExecuteFunctions): Call;
}
