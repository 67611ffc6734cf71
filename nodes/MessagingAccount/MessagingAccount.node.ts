import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { createErrorDetails, describeProgress } from './errors/itemErrors';
import { createStopError } from './errors/nodeErrors';
import { withInputFields } from './execution/inputFields';
import { runItems } from './execution/itemRunner';
import { summarizeList } from './execution/summary';
import { getMessages } from './operations/getMessages.operation';
import { getStatus } from './operations/getStatus.operation';
import { timeoutOption, type Operation } from './operations/operation';
import { sendImage } from './operations/sendImage.operation';
import { createChooser } from './parameters/chooser';
import { testCredential } from './transport/credentialTest';
import { getCancelSignal } from './n8n/cancelSignal';
import { isCalledByAgent, isToolNode } from './n8n/agentTool';
import { showHint } from './n8n/notify';

/** All operations, sorted by name, as n8n wants its lists. */
const operations: Operation[] = [getMessages, getStatus, sendImage];

const chooser = createChooser(
	{ displayName: 'Operation', name: 'operation', default: 'sendImage' },
	operations.map((one) => ({ ...one, options: [...(one.options ?? []), timeoutOption] })),
);

const NO_ERROR_OUTPUT =
	"Nothing was done: n8n tells an agent nothing about a tool whose 'On Error' is 'Continue (using error output)'. Choose 'Continue' there.";

export class MessagingAccount implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Account',
		name: 'messagingAccount',
		icon: { light: 'file:messagingAccount.svg', dark: 'file:messagingAccount.dark.svg' },
		group: ['output'],
		version: 1,
		// On the canvas, it says that nothing is sent.
		subtitle: `${chooser.subtitle}{{ $parameter["options"]["dryRun"] === true ? " (dry run)" : "" }}`,
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
						'Starts a workflow with each new message, or when the account is disconnected',
				},
			],
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingAccountApi', required: true, testedBy: 'testCredential' }],
		hints: [
			{
				message:
					"If you execute this node again, everybody gets the image again. To prevent that, add the option 'Send Once per ID' before you first send.",
				location: 'outputPane',
				whenToDisplay: 'beforeExecution',
				displayCondition:
					'={{ $parameter["operation"] === "sendImage" && !$parameter["options"]["sendOnceId"] && $parameter["options"]["dryRun"] !== true }}',
			},
		],
		properties: chooser.properties,
	};

	methods = { credentialTest: { testCredential } };

	async execute(this: IExecuteFunctions) {
		const node = this.getNode();
		const isCalled = isCalledByAgent(this);
		// n8n's engine would tell the agent nothing, not even of a success, and it would call again.
		if (isToolNode(node) && !isCalled && node.onError === 'continueErrorOutput')
			throw new NodeOperationError(node, NO_ERROR_OUTPUT);
		const operation = chooser.find(this.getNodeParameter('operation', 0), node);
		const { sends } = operation;
		const continues = this.continueOnFail() || (isCalled && node.onError !== 'stopWorkflow');
		const result = await runItems(this, operation, !continues);
		const { outputs, errors } = result;
		if (getCancelSignal(this)?.aborted) {
			const description = sends ? describeProgress(this, result, 'stopped') : undefined;
			throw new NodeOperationError(node, 'The execution was canceled', { description });
		}
		if (errors.length > 0 && !continues) throw createStopError(this, sends, result);
		if (sends && outputs.length > 1) showHint(this, summarizeList(result));
		for (const failed of errors) {
			const error = createErrorDetails(node, failed, sends, outputs.length);
			outputs[failed.itemIndex] = [{ json: { error }, pairedItem: { item: failed.itemIndex } }];
		}
		const items = outputs.flat();
		return [result.includesInput ? withInputFields(items, this) : items];
	}
}
