import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';

import ofNode from '../../../nodes/MessagingAccount/MessagingAccount.node.json';
import { MessagingAccountTrigger } from '../../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import ofTrigger from '../../../nodes/MessagingAccount/MessagingAccountTrigger.node.json';
import { loneNode } from '../../support/loneNode';

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

test('has two events, New Message first chosen', () => {
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

test.each([
	[
		'newMessage',
		[
			['Emit Existing Messages', 'emitExisting', false],
			['First Page', 'firstPage', 0],
			['Max Pages', 'maxPages', 10],
			['Message ID Field', 'messageIdField', ''],
			['Page Parameter', 'pageParameter', ''],
			['Possible Gap Output', 'gapOutput', false],
			['Query Parameters', 'queryParameters', {}],
		],
	],
	['connectionChanged', [['Repeat While Disconnected', 'repeatWhileDisconnected', false]]],
])('%s has its options', (event, expected) => {
	const [options, ...others] = description.properties.filter(({ displayOptions }) =>
		displayOptions?.show?.event?.includes(event),
	);
	expect(others).toEqual([]);
	const entries = options.options as INodeProperties[];
	expect(entries.map((entry) => [entry.displayName, entry.name, entry.default])).toEqual(expected);
});

function withParameters(parameters: INodeParameters) {
	const { node, workflow } = loneNode({ parameters }, { nodeType });
	return {
		outputs: NodeHelpers.getNodeOutputs(workflow, node, description),
		subtitle: workflow.expression.getSimpleParameterValue(node, description.subtitle, 'manual', {}),
	};
}

test.each([
	[{ event: 'newMessage', options: {} }, ['main']],
	[{ event: 'newMessage', options: { gapOutput: false } }, ['main']],
	[{ event: 'connectionChanged', options: { gapOutput: true } }, ['main']],
	[
		{ event: 'newMessage', options: { gapOutput: true } },
		[
			{ type: 'main', displayName: 'Message' },
			{ type: 'main', displayName: 'Possible Gap' },
		],
	],
])('with %j has the outputs %j', (parameters, expected) => {
	expect(withParameters(parameters).outputs).toEqual(expected);
});

test.each([
	['connectionChanged', 'Connection Changed'],
	['newMessage', 'New Message'],
])('the subtitle for %s is %s', (event, name) => {
	expect(withParameters({ event, options: {} }).subtitle).toBe(name);
});

test("is found with the words of the node: n8n's panel has one entry for both, with the words of one of them", () => {
	expect(ofTrigger.alias).toEqual(ofNode.alias);
});
