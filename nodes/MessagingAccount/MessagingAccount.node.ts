import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { factsOf, progress, toNodeError } from './failureFacts';
import { hints, operations, properties, subtitle } from './operations';
import { runItems } from './runItems';
import { cancelSignal } from './service/request';

export class MessagingAccount implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Account',
		name: 'messagingAccount',
		icon: { light: 'file:messagingAccount.svg', dark: 'file:messagingAccount.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle,
		description: 'Send images, get messages, and read the status of a messaging account',
		defaults: { name: 'Messaging Account' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingAccountApi', required: true }],
		hints,
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const chosen = this.getNodeParameter('operation', 0);
		const operation = operations.find(({ entry }) => entry.value === chosen);
		if (!operation) {
			throw new NodeOperationError(this.getNode(), `'Operation' has no '${String(chosen)}'`, {
				description: `Choose one of ${operations.map(({ entry }) => entry.name).join(', ')}.`,
			});
		}

		const continues = this.continueOnFail();
		const { outputs, failures } = await runItems(this, operation, !continues);
		if (cancelSignal(this)?.aborted) {
			const description = operation.sends ? progress(operation, failures, outputs) : undefined;
			throw new NodeOperationError(this.getNode(), 'The execution was canceled', { description });
		}
		if (failures.length > 0 && !continues) {
			throw toNodeError(this.getNode(), operation, failures, outputs);
		}
		for (const { itemIndex, error } of failures) {
			const json = { error: { ...factsOf(error, operation, itemIndex) } };
			outputs[itemIndex] = [{ json, pairedItem: { item: itemIndex } }];
		}
		return [outputs.flat()];
	}
}
