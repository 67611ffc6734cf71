import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';

import { MessagingAccount } from '../../../nodes/MessagingAccount/MessagingAccount.node';
import { createSingleNodeWorkflow } from '../../support/singleNodeWorkflow';

let description: INodeTypeDescription;

beforeEach(() => {
	({ description } = new MessagingAccount());
});

/** Returns labels, names and defaults of the parameters of an operation. */
function parametersOf(operation: string) {
	return description.properties
		.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes(operation))
		.map(({ displayName, name, default: value }) => [displayName, name, value]);
}

function optionsOf(operation: string) {
	const options = description.properties.find(
		({ name, displayOptions }) =>
			name === 'options' && displayOptions?.show?.operation?.includes(operation),
	);
	return (options?.options as INodeProperties[]).map(({ displayName, name, default: value }) => [
		displayName,
		name,
		value,
	]);
}

test('has the names that saved workflows use', () => {
	expect(description).toMatchObject({
		displayName: 'Messaging Account',
		name: 'messagingAccount',
		version: 1,
		defaults: { name: 'Messaging Account' },
		usableAsTool: true,
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingAccountApi', required: true }],
	});
});

describe('the operations', () => {
	const operation = () => description.properties.find(({ name }) => name === 'operation')!;
	const options = () => operation().options as INodePropertyOptions[];

	test.each([
		{ name: 'Get Messages', value: 'getMessages', action: 'Get messages' },
		{ name: 'Get Status', value: 'getStatus', action: 'Get status' },
		{ name: 'Send Image', value: 'sendImage', action: 'Send image' },
	])('include $name', (entry) => {
		expect(options()).toContainEqual(expect.objectContaining(entry));
	});

	test('are sorted by name, with Send Image as the default', () => {
		const names = options().map(({ name }) => name);
		expect(names).toEqual([...names].sort());
		expect(operation().default).toBe('sendImage');
	});
});

test('Get Status has the documented parameters', () => {
	expect(parametersOf('getStatus')).toEqual([
		['Put QR Code in Field', 'binaryPropertyName', 'qr'],
		['Options', 'options', {}],
	]);
	expect(optionsOf('getStatus')).toEqual([['Timeout', 'timeout', 60000]]);
});

test('Send Image has the documented parameters', () => {
	expect(parametersOf('sendImage')).toEqual([
		['Number', 'number', ''],
		['Image From', 'imageSource', 'url'],
		['Image URL', 'url', ''],
		['Input Data Field Name', 'binaryPropertyName', 'data'],
		['Caption', 'caption', ''],
		['Options', 'options', {}],
	]);
	expect(optionsOf('sendImage')).toEqual([
		['Concurrent Sends', 'concurrency', 1],
		['Delay Between Sends (Ms)', 'delayBetweenSends', 0],
		['Dry Run', 'dryRun', false],
		['Hand Over As', 'handOverAs', 'link'],
		['Include Input Fields', 'includeInputFields', false],
		['Link Expires After (Minutes)', 'linkExpiresAfter', 60],
		['Pace per Account', 'pacePerAccount', false],
		['Random Extra Delay (Ms)', 'randomExtraDelay', 0],
		['Resend When Uncertain', 'resendUncertain', false],
		['Send Once per ID', 'sendOnceId', ''],
		['Timeout', 'timeout', 60000],
	]);
});

test('Get Messages has the documented parameters', () => {
	expect(parametersOf('getMessages')).toEqual([
		['Return All', 'returnAll', true],
		['Limit', 'limit', 50],
		['Options', 'options', {}],
	]);
	expect(optionsOf('getMessages')).toEqual([
		['Output Fields', 'outputFields', ''],
		['Page Limit', 'maxPages', 10],
		['Page Parameter', 'pageParameter', ''],
		['Page Start', 'firstPage', 0],
		['Query Parameters', 'queryParameters', {}],
		['Timeout', 'timeout', 60000],
	]);
});

test.each([
	['getMessages', 'Get Messages'],
	['getStatus', 'Get Status'],
	['sendImage', 'Send Image'],
])('the subtitle for %s is %s', (operation, name) => {
	const { node, workflow } = createSingleNodeWorkflow({ parameters: { operation } });
	expect(
		workflow.expression.getSimpleParameterValue(node, description.subtitle, 'manual', {}),
	).toBe(name);
});
