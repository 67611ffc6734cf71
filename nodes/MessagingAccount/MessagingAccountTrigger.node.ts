import type { INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';

import { ApiError } from './errors/errorClasses';
import { createError } from './errors/nodeErrors';
import { connectionChanged } from './events/connectionChanged.event';
import { newMessage } from './events/newMessage.event';
import type { TriggerEvent } from './events/triggerEvent';
import { TriggerState } from './events/triggerState';
import { log } from './n8n/notify';
import { beginPoll, isSuperseded } from './n8n/pollStart';
import { createChooser } from './parameters/chooser';
import { testCredential } from './transport/credentialTest';

/** All events, sorted by name, as n8n wants its lists. */
const chooser = createChooser<TriggerEvent>(
	{ displayName: 'Trigger On', name: 'event', default: 'newMessage' },
	[connectionChanged, newMessage],
);

const WHILE_BUILDING =
	"<b>While building your workflow</b>, 'Fetch Test Event' shows the newest message or the current status, and changes nothing.<br /><br />";

const OWN_MESSAGES =
	"The list of messages may include your own: if the workflow sends messages, leave these out with 'Only Messages Where'.";

const describeLoss = (polledAt: string) =>
	`n8n has not kept what the trigger stored at ${polledAt}, so what is new since its last stored poll starts the workflow again. Several triggers in one workflow overwrite each other's state in n8n's scheduler without durable cursors.`;

export class MessagingAccountTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Account Trigger',
		name: 'messagingAccountTrigger',
		icon: { light: 'file:messagingAccount.svg', dark: 'file:messagingAccount.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: chooser.subtitle,
		// n8n's node panel shows this text for the node, too: both share one entry.
		description:
			'Starts the workflow when a message arrives or the connection changes. To send images or read messages, use the Messaging Account node.',
		defaults: { name: 'Messaging Account Trigger' },
		polling: true,
		builderHint: {
			searchHint:
				"Polls a messaging account, so it needs no webhook. Each message starts the workflow once: no table of handled IDs is needed. Before you send replies, leave out the account's own messages with a condition in 'options.onlyMessagesWhere.rows'. 'options.combineBy' makes one item of what a sender writes in a row.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-messaging-account.messagingAccount',
					relationHint: 'Replies with an image, or reads earlier messages',
				},
			],
		},
		triggerPanel: {
			header: 'See the newest message or the current status',
			executionsHelp: {
				inactive: `${WHILE_BUILDING}<b>Once the workflow is published</b>, n8n polls the service at the interval set in 'Poll Times'. The first poll only remembers the listed messages. After that, each poll that finds new messages or a change starts the workflow once. ${OWN_MESSAGES}`,
				active: `${WHILE_BUILDING}<b>This workflow is published</b>: n8n polls the service at the interval set in 'Poll Times', and each poll that finds new messages or a change starts it once. See the executions list. ${OWN_MESSAGES}`,
			},
			activationHint: {
				inactive:
					'Once the workflow is published, each poll that finds new messages or a change starts it.',
				active: 'Each poll that finds new messages or a change starts the workflow.',
			},
		},
		inputs: [],
		// A second one while the option "Possible Gap Output" is on.
		outputs: `={{ $parameter["event"] === "newMessage" && $parameter["options"]["gapOutput"]
			? [{ type: "main", displayName: "Message" }, { type: "main", displayName: "Possible Gap" }]
			: ["main"] }}`,
		credentials: [{ name: 'messagingAccountApi', required: true, testedBy: 'testCredential' }],
		properties: chooser.properties,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions) {
		const node = this.getNode();
		const event = chooser.find(this.getNodeParameter('event'), node);
		const begin = beginPoll(this);
		const state = new TriggerState(this, event.entry.value, begin);
		if (isSuperseded(this) || state.isOutdated()) return null;
		const lostAt = state.takeLoss();
		if (lostAt) log(this, describeLoss(lostAt));
		try {
			return await event.poll(this, state);
		} catch (error) {
			// Without a state of earlier polls, a refusal may be due to a wrong credential.
			const isFaultOfService =
				error instanceof ApiError && (error.retryable !== 'never' || state.read() !== undefined);
			if (begin !== 'publication' || !isFaultOfService) throw createError(node, error);
			log(this, `This poll failed: ${error.message}. The next one is made as scheduled.`);
			return null;
		}
	}
}
