import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { factsOf, toNodeError } from './failureFacts';
import { operations, properties, readTimeout, subtitle } from './operations';
import { exchange, openSession, type Session } from './service/request';

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
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const chosen = this.getNodeParameter('operation', 0);
		const operation = operations.find(({ entry }) => entry.value === chosen);
		if (!operation) {
			throw new NodeOperationError(this.getNode(), `There is no operation '${String(chosen)}'`, {
				description: `Choose one of ${operations.map(({ entry }) => entry.name).join(', ')}.`,
			});
		}

		const items = this.getInputData();
		const output: INodeExecutionData[] = [];
		let session: Session | undefined;
		for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
			const pairedItem = { item: itemIndex };
			let isRequested = false;
			try {
				const call = operation.prepare(this, itemIndex);
				const timeout = readTimeout(this, itemIndex);
				session ??= await openSession(this);
				isRequested = true;
				const body = await exchange(this, session, { ...call.request, timeout });
				for (const item of await call.toItems({ body, account: session.account })) {
					output.push({ ...item, pairedItem });
				}
			} catch (error) {
				const facts = factsOf(error, operation, isRequested);
				if (!this.continueOnFail()) throw toNodeError(this.getNode(), error, facts, itemIndex);
				output.push({ json: { error: { ...facts } }, pairedItem });
			}
		}
		return [output];
	}
}
