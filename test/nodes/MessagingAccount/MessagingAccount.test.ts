import { NodeHelpers, type INodeProperties } from 'n8n-workflow';

import { MessagingAccount } from '../../../nodes/MessagingAccount/MessagingAccount.node';
import nodeCodex from '../../../nodes/MessagingAccount/MessagingAccount.node.json';
import { MessagingAccountTrigger } from '../../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import triggerCodex from '../../../nodes/MessagingAccount/MessagingAccountTrigger.node.json';
import { createSingleNodeWorkflow } from '../../support/singleNodeWorkflow';

const create = () => ({ node: new MessagingAccount(), trigger: new MessagingAccountTrigger() });

const CREDENTIALS = [{ name: 'messagingAccountApi', required: true }];
const NODE = {
	displayName: 'Messaging Account',
	name: 'messagingAccount',
	version: 1,
	defaults: { name: 'Messaging Account' },
	usableAsTool: true,
	inputs: ['main'],
	outputs: ['main'],
	credentials: CREDENTIALS,
};
const TRIGGER = {
	displayName: 'Messaging Account Trigger',
	name: 'messagingAccountTrigger',
	version: 1,
	defaults: { name: 'Messaging Account Trigger' },
	group: ['trigger'],
	polling: true,
	inputs: [],
	credentials: CREDENTIALS,
};
const OPERATION = {
	name: 'operation',
	default: 'sendImage',
	options: [
		{ name: 'Get Messages', value: 'getMessages', action: 'Get messages' },
		{ name: 'Get Status', value: 'getStatus', action: 'Get status' },
		{ name: 'Send Image', value: 'sendImage', action: 'Send image' },
	],
};
const EVENT = {
	displayName: 'Trigger On',
	name: 'event',
	default: 'newMessage',
	options: [
		{ name: 'Connection Changed', value: 'connectionChanged' },
		{ name: 'New Message', value: 'newMessage' },
	],
};

test.each([
	['node', NODE, OPERATION],
	['trigger', TRIGGER, EVENT],
] as const)('the %s has the names that saved workflows use', (which, names, choices) => {
	const { description } = create()[which];
	expect(description).toMatchObject(names);
	expect(description.properties[0]).toMatchObject(choices);
});

/** Returns names and defaults. */
const describeAll = (parameters: INodeProperties[]) =>
	parameters.map(({ name, default: value }) => `${name}=${JSON.stringify(value)}`);

// Of each operation and event the label of its first parameter, and all. documentation.test.ts has the other labels.
test.each([
	['getStatus', 'Put QR Code in Field', 'binaryPropertyName="qr" options={}', 'timeout=60000'],
	[
		'sendImage',
		'Number',
		'number="" imageSource="url" url="" binaryPropertyName="data" caption="" options={}',
		`concurrency=1 delayBetweenSends=5000 dryRun=true includeInputFields=true linkExpiresAfter=60
		maxSends=100 randomExtraDelay=5000 resendUncertain=true handOverAs="link" sendOnceId=""
		pacePerAccount=true timeout=60000 waitForService=1`,
	],
	[
		'getMessages',
		'Return All',
		'returnAll=true limit=50 options={}',
		'outputFields="" maxPages=10 pageParameter="" firstPage=0 queryParameters={} timeout=60000',
	],
	[
		'newMessage',
		'Combine Messages By',
		'options={}',
		`combineBy="" emitExisting=true messageIdField="" onlyMessagesWhere={} maxPages=10
		pageParameter="" firstPage=0 gapOutput=true queryParameters={} waitAtMost=300
		waitUntilQuiet=60`,
	],
	['connectionChanged', 'Repeat While Disconnected', 'options={}', 'repeatWhileDisconnected=true'],
])('%s has the parameters that saved workflows use', (choice, label, expected, options) => {
	const parameters = Object.values(create())
		.flatMap(({ description }) => description.properties)
		.filter(({ displayOptions: { show = {} } = {} }) =>
			[...(show.operation ?? []), ...(show.event ?? [])].includes(choice),
		);
	expect(describeAll(parameters)).toEqual(expected.split(' '));
	const last = parameters.at(-1)!;
	const entries = last.options as INodeProperties[];
	expect(last.displayName).toBe('Options');
	expect(describeAll(entries)).toEqual(options.split(/\s+/));
	expect([...parameters, ...entries].find(({ name }) => name !== 'options')!.displayName).toBe(
		label,
	);
});

const MAIN = ['main'];
const BOTH = ['Message', 'Possible Gap'].map((displayName) => ({ type: 'main', displayName }));

test.each([
	[{ operation: 'getMessages', options: {} }, 'Get Messages', MAIN],
	[{ operation: 'getStatus', options: {} }, 'Get Status', MAIN],
	[{ operation: 'sendImage', options: {} }, 'Send Image', MAIN],
	[{ operation: 'sendImage', options: { dryRun: false } }, 'Send Image', MAIN],
	[{ operation: 'sendImage', options: { dryRun: true } }, 'Send Image (dry run)', MAIN],
	[{ event: 'newMessage', options: {} }, 'New Message', MAIN],
	[{ event: 'newMessage', options: { gapOutput: false } }, 'New Message', MAIN],
	[{ event: 'newMessage', options: { gapOutput: true } }, 'New Message', BOTH],
	[{ event: 'connectionChanged', options: { gapOutput: true } }, 'Connection Changed', MAIN],
])('with %j, the subtitle is %s, with the outputs %j', (parameters, subtitle, outputs) => {
	const nodeType = create()['event' in parameters ? 'trigger' : 'node'];
	const { node, workflow } = createSingleNodeWorkflow({ parameters }, { nodeType });
	const { description } = nodeType;
	expect(NodeHelpers.getNodeOutputs(workflow, node, description)).toEqual(outputs);
	expect(
		workflow.expression.getSimpleParameterValue(node, description.subtitle, 'manual', {}),
	).toBe(subtitle);
});

test("both nodes have the same search terms: n8n's panel has one entry for both, with the terms of one", () =>
	expect(triggerCodex.alias).toEqual(nodeCodex.alias));
