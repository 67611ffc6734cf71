import type { INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';

import { ApiError } from './errors/errorClasses';
import { createError } from './errors/nodeError';
import { events, outputs, properties, subtitle, triggerPanel } from './events';
import { beginsPublication } from './events/publication';
import { readTriggerState } from './events/triggerState';
import { noSuchChoice } from './parameters/plainValue';
import { testCredential } from './transport/credentialTest';

export class MessagingAccountTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Account Trigger',
		name: 'messagingAccountTrigger',
		icon: { light: 'file:messagingAccount.svg', dark: 'file:messagingAccount.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle,
		// n8n's node panel shows this text for the node, too: both share one entry.
		description:
			'Starts the workflow when a message arrives or the connection changes. Its actions send images and read messages.',
		defaults: { name: 'Messaging Account Trigger' },
		polling: true,
		builderHint: {
			searchHint:
				"Polls a messaging account, so it needs no webhook. Each message starts the workflow once: no table of handled IDs is needed. Before you send replies, leave out the account's own messages with a condition in 'options.onlyMessagesWhere.rows'. 'options.combineBy' makes one item of what a sender writes in a row.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-messaging-account.messagingAccount',
					relationHint: 'Answers with an image, or reads earlier messages',
				},
			],
		},
		triggerPanel,
		inputs: [],
		outputs,
		credentials: [{ name: 'messagingAccountApi', required: true, testedBy: 'testCredential' }],
		properties,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions) {
		const node = this.getNode();
		const chosen = this.getNodeParameter('event');
		const event = events.find(({ entry }) => entry.value === chosen);
		if (!event) {
			const names = events.map(({ entry }) => entry.name).join(', ');
			throw createError(node, noSuchChoice('Trigger On', chosen, `one of ${names}`));
		}
		const isAtPublication = beginsPublication(this);
		try {
			return await event.poll(this);
		} catch (error) {
			// Without a state of earlier polls, a refusal may be due to a wrong credential.
			const isFaultOfService =
				error instanceof ApiError &&
				(error.retryable !== 'never' || readTriggerState(this, event.entry.value) !== undefined);
			if (!isAtPublication || !isFaultOfService) throw createError(node, error);
			this.logger.warn(
				`${node.name}: The first poll failed: ${error.message}. The next one is made as scheduled.`,
				{ workflowId: this.getWorkflow().id },
			);
			return null;
		}
	}
}
