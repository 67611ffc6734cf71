import type { IDataObject, IExecuteFunctions, INodeExecutionData, NodeHint } from 'n8n-workflow';

import type { Choice } from '../parameters/nodeProperties';
import type { ReadParameter } from '../parameters/parameterReader';
import type { Message } from '../sends/attempt';
import type { Account } from '../shared/account';
import type { ApiRequest, Read } from '../transport/request';
import type { ApiResponse } from '../transport/responses';

/** The request for one input item, and how its response becomes output items. */
export interface PreparedRequest {
	/** Creates the request. Called right before it is made, and again before a send is retried. @throws InvalidInputError */
	createRequest(account: Account): ApiRequest | Promise<ApiRequest>;
	/** The message of an operation that sends. */
	send?: Message;
	/** The output of a dry run for a send. */
	preview?: IDataObject;
	/** For a dry run: checks what `createRequest` would check, and creates nothing. @throws InvalidInputError */
	check?(account: Account): void;
	/**
	 * @param read for an operation that only reads and needs more than one response
	 * @returns items without `pairedItem`, which the node adds
	 * @throws ApiError if the response cannot be used
	 */
	toItems(response: ApiResponse, read: Read): INodeExecutionData[] | Promise<INodeExecutionData[]>;
}

/** One operation of the node. To add one, write its file and name it in `index.ts`. */
export interface Operation extends Choice {
	/** Hints for the output pane. Each must limit itself to its operation. */
	hints?: NodeHint[];
	/** Whether a request reaches a person. A failed item then has `delivery`, and the node prevents duplicate messages. */
	sends: boolean;
	/** Reads the parameters of one item. @throws InvalidInputError if they cannot be used */
	prepare(
		readParameter: ReadParameter,
		itemIndex: number,
		context: IExecuteFunctions,
	): PreparedRequest | Promise<PreparedRequest>;
}
