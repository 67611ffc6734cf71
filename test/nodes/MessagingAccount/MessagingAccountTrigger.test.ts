import { NodeHelpers, type INodeProperties, type INodeTypeDescription } from 'n8n-workflow';

import nodeCodex from '../../../nodes/MessagingAccount/MessagingAccount.node.json';
import { MessagingAccountTrigger } from '../../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import triggerCodex from '../../../nodes/MessagingAccount/MessagingAccountTrigger.node.json';
import { createSingleNodeWorkflow } from '../../support/singleNodeWorkflow';

let nodeType: MessagingAccountTrigger;
let description: INodeTypeDescription;

beforeEach(() => {
	nodeType = new MessagingAccountTrigger();
	({ description } = nodeType);
});

test('has the names that saved workflows use', () => {
	expect(description).toMatchObject({
		displayName: 'Messaging Account Trigger',
		name: 'messagingAccountTrigger',
		version: 1,
		defaults: { name: 'Messaging Account Trigger' },
		group: ['trigger'],
		polling: true,
		inputs: [],
		credentials: [{ name: 'messagingAccountApi', required: true }],
	});
});

test('has two events, with New Message as the default', () => {
	expect(description.properties[0]).toMatchObject({
		displayName: 'Trigger On',
		name: 'event',
		default: 'newMessage',
		options: [
			{ name: 'Connection Changed', value: 'connectionChanged' },
			{ name: 'New Message', value: 'newMessage' },
		],
	});
});

// Of each event the label of its first option, and all options. documentation.test.ts has the other labels.
test.each([
	[
		'newMessage',
		'Combine Messages By',
		`combineBy="" emitExisting=true messageIdField="" onlyMessagesWhere={} maxPages=10
		pageParameter="" firstPage=0 gapOutput=true queryParameters={} waitAtMost=300
		waitUntilQuiet=60`,
	],
	['connectionChanged', 'Repeat While Disconnected', 'repeatWhileDisconnected=true'],
])('%s has the options that saved workflows use', (event, label, expected) => {
	const [options, ...others] = description.properties.filter(({ displayOptions }) =>
		displayOptions?.show?.event?.includes(event),
	);
	expect(others).toEqual([]);
	const entries = options.options as INodeProperties[];
	const described = entries.map(({ name, default: value }) => `${name}=${JSON.stringify(value)}`);
	expect(described).toEqual(expected.split(/\s+/));
	expect(entries[0].displayName).toBe(label);
});

const OUTPUTS = ['Message', 'Possible Gap'].map((displayName) => ({ type: 'main', displayName }));

test.each([
	['newMessage', {}, 'New Message', ['main']],
	['newMessage', { gapOutput: false }, 'New Message', ['main']],
	['newMessage', { gapOutput: true }, 'New Message', OUTPUTS],
	['connectionChanged', { gapOutput: true }, 'Connection Changed', ['main']],
])('%s with %j has the subtitle %s and the outputs %j', (event, options, subtitle, outputs) => {
	const parameters = { event, options };
	const { node, workflow } = createSingleNodeWorkflow({ parameters }, { nodeType });
	expect(NodeHelpers.getNodeOutputs(workflow, node, description)).toEqual(outputs);
	expect(
		workflow.expression.getSimpleParameterValue(node, description.subtitle, 'manual', {}),
	).toBe(subtitle);
});

test("has the same search terms as the node: n8n's panel has one entry for both, with the terms of one", () =>
	expect(triggerCodex.alias).toEqual(nodeCodex.alias));
