import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { chooseAdvice, createErrorDetails, describeProgress } from './errors/errorDetails';
import { createError, createStopError } from './errors/nodeError';
import { withInputFields } from './execution/inputFields';
import { ItemRunner } from './execution/itemRunner';
import { summarizeList } from './execution/listSummary';
import { hints, operations, properties, subtitle } from './operations';
import { noSuchChoice } from './parameters/plainValue';
import { testCredential } from './transport/credentialTest';
import { getCancelSignal } from './transport/request';

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
		builderHint: {
			searchHint:
				"Sends an image with a caption to a phone number for each input item, so a list needs no loop. Set 'options.sendOnceId' to an expression that gives each item an ID of its own, e.g. its order number: no ID is then sent twice. Cannot send plain text.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-messaging-account.messagingAccountTrigger',
					relationHint:
						'Starts a workflow with each new message, or when the account is logged out',
				},
			],
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingAccountApi', required: true, testedBy: 'testCredential' }],
		hints,
		properties,
	};

	methods = { credentialTest: { testCredential } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const chosen = this.getNodeParameter('operation', 0);
		const operation = operations.find(({ entry }) => entry.value === chosen);
		if (!operation) {
			const names = operations.map(({ entry }) => entry.name).join(', ');
			throw createError(this.getNode(), noSuchChoice('Operation', chosen, `one of ${names}`));
		}

		const { sends } = operation;
		const continues = this.continueOnFail();
		const runner = new ItemRunner(this, operation, !continues);
		const { outputs, errors, isDryRun } = await runner.run();
		if (getCancelSignal(this)?.aborted) {
			const advice = chooseAdvice(this, isDryRun, 'stopped');
			const description = sends ? describeProgress(errors, outputs, advice) : undefined;
			throw new NodeOperationError(this.getNode(), 'The execution was canceled', { description });
		}
		if (errors.length > 0 && !continues) {
			const advice = chooseAdvice(this, isDryRun, 'failed');
			throw createStopError(this.getNode(), sends, errors, outputs, advice);
		}
		if (sends && outputs.length > 1) {
			const message = summarizeList(outputs, errors, isDryRun);
			this.addExecutionHints({ message, location: 'outputPane' });
		}
		for (const { itemIndex, error, repeats } of errors) {
			const details = createErrorDetails(error, sends, itemIndex, outputs.length);
			const json = { error: { ...details, ...(repeats && { repeats }) } };
			outputs[itemIndex] = [{ json, pairedItem: { item: itemIndex } }];
		}
		const items = outputs.flat();
		const includesInput = this.getNodeParameter('options.includeInputFields', 0, false) === true;
		return [includesInput ? withInputFields(items, this) : items];
	}
}
