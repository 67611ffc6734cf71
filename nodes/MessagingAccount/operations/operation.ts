import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Choice } from '../parameters/chooser';
import { createParameterReader, type ParameterReader } from '../parameters/parameterReader';
import { readNumber } from '../parameters/optionReaders';
import type { PreparedSend } from '../sends/send';
import { evaluateId, readDryRun, readRunOptions, readSendOnceId } from '../sends/sendOptions';
import { DEFAULT_TIMEOUT_MS, type Read, type ServiceClient } from '../transport/request';

interface PreparedRead {
	/** Makes requests, and returns items without `pairedItem`, which the node adds. @throws ApiError, also if a response cannot be used */
	run(read: Read): Promise<INodeExecutionData[]>;
	message?: undefined;
}

interface OperationOf<T> extends Choice {
	/** Reads the parameters of one item. @throws InvalidInputError if they cannot be used */
	prepare(reader: ParameterReader, itemIndex: number, context: IExecuteFunctions): T | Promise<T>;
}

export type ReadOperation = OperationOf<PreparedRead> & { sends: false };

/** An operation whose request reaches a person. A failed item has `delivery`, and the node prevents duplicate messages. */
export type SendOperation = OperationOf<PreparedSend> & { sends: true };

/** One operation of the node. To add one, write its file and name it in `MessagingAccount.node.ts`. */
export type Operation = ReadOperation | SendOperation;

export const timeoutOption: INodeProperties = {
	displayName: 'Timeout (Milliseconds)',
	name: 'timeout',
	type: 'number',
	// Node.js treats a longer timeout as 1 ms.
	typeOptions: { minValue: 1, maxValue: 2 ** 31 - 1 },
	default: DEFAULT_TIMEOUT_MS,
	description: 'How long to wait for the complete response of the service',
};

/** Creates what reads the parameters of one run. Later code gets only their values. Each function throws InvalidInputError. */
export function createPlanner(
	operation: Operation,
	context: IExecuteFunctions,
	client: ServiceClient,
) {
	const reader = createParameterReader(context);
	const optionsOf = (itemIndex: number) => (name: string, fallback: unknown) =>
		reader.read(`options.${name}`, itemIndex, fallback);
	return {
		readDryRun: () => readDryRun(optionsOf(0)('dryRun', false)),
		readRunOptions: () => readRunOptions(optionsOf(0)),
		async planItem(itemIndex: number) {
			const option = optionsOf(itemIndex);
			if (operation.sends) readDryRun(option('dryRun', false), optionsOf(0)('dryRun', false));
			const prepared = await operation.prepare(reader, itemIndex, context);
			const advice = 'Enter a number in this range, e.g. 60000 for a minute, or remove the option.';
			const timeout = readNumber([timeoutOption], 'timeout', option, advice);
			if (!prepared.message) return { ...prepared, timeout };
			const resendUncertain = option('resendUncertain', false) === true;
			const id = evaluateId(() => reader.readWithParts('options.sendOnceId', itemIndex));
			const sendOnceId = readSendOnceId(id, prepared.message.recipient);
			const accountKey = await client.getOwnAccountKey(itemIndex);
			const message = { ...prepared.message, accountKey };
			return { ...prepared, message, timeout, resendUncertain, sendOnceId };
		},
	};
}
