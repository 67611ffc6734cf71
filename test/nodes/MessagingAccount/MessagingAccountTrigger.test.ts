import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';

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

test.each([
	[
		'newMessage',
		[
			['Combine Messages By', 'combineBy', ''],
			['Emit Existing Messages', 'emitExisting', false],
			['Message ID Field', 'messageIdField', ''],
			['Only Messages Where', 'onlyMessagesWhere', {}],
			['Page Limit', 'maxPages', 10],
			['Page Parameter', 'pageParameter', ''],
			['Page Start', 'firstPage', 0],
			['Possible Gap Output', 'gapOutput', false],
			['Query Parameters', 'queryParameters', {}],
			['Wait at Most (Seconds)', 'waitAtMost', 300],
			['Wait Until Quiet (Seconds)', 'waitUntilQuiet', 60],
		],
	],
	['connectionChanged', [['Repeat While Disconnected', 'repeatWhileDisconnected', false]]],
])('%s has the documented options', (event, expected) => {
	const [options, ...others] = description.properties.filter(({ displayOptions }) =>
		displayOptions?.show?.event?.includes(event),
	);
	expect(others).toEqual([]);
	const entries = options.options as INodeProperties[];
	expect(entries.map((entry) => [entry.displayName, entry.name, entry.default])).toEqual(expected);
});

function evaluateWith(parameters: INodeParameters) {
	const { node, workflow } = createSingleNodeWorkflow({ parameters }, { nodeType });
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
	expect(evaluateWith(parameters).outputs).toEqual(expected);
});

test.each([
	['connectionChanged', 'Connection Changed'],
	['newMessage', 'New Message'],
])('the subtitle for %s is %s', (event, name) => {
	expect(evaluateWith({ event, options: {} }).subtitle).toBe(name);
});

test("has the same search terms as the node: n8n's panel has one entry for both, with the terms of one", () => {
	expect(triggerCodex.alias).toEqual(nodeCodex.alias);
});
