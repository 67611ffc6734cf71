import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { MessagingAccount } from '../../../nodes/MessagingAccount/MessagingAccount.node';
import { createSingleNodeWorkflow } from '../../support/singleNodeWorkflow';

let description: INodeTypeDescription;

beforeEach(() => ({ description } = new MessagingAccount()));

/** Returns names and defaults. */
const describeAll = (parameters: INodeProperties[]) =>
	parameters.map(({ name, default: value }) => `${name}=${JSON.stringify(value)}`);

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

test('has these operations, with Send Image as the default', () => {
	expect(description.properties.find(({ name }) => name === 'operation')).toMatchObject({
		default: 'sendImage',
		options: [
			{ name: 'Get Messages', value: 'getMessages', action: 'Get messages' },
			{ name: 'Get Status', value: 'getStatus', action: 'Get status' },
			{ name: 'Send Image', value: 'sendImage', action: 'Send image' },
		],
	});
});

// Of each operation the label of its first parameter, and all. documentation.test.ts has the other labels.
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
])('%s has the parameters that saved workflows use', (operation, label, expected, options) => {
	const parameters = description.properties.filter(({ displayOptions }) =>
		displayOptions?.show?.operation?.includes(operation),
	);
	expect(parameters[0].displayName).toBe(label);
	expect(describeAll(parameters)).toEqual(expected.split(' '));
	const last = parameters.at(-1)!;
	expect(last.displayName).toBe('Options');
	expect(describeAll(last.options as INodeProperties[])).toEqual(options.split(/\s+/));
});

test.each([
	['getMessages', {}, 'Get Messages'],
	['getStatus', {}, 'Get Status'],
	['sendImage', {}, 'Send Image'],
	['sendImage', { dryRun: false }, 'Send Image'],
	['sendImage', { dryRun: true }, 'Send Image (dry run)'],
])('the subtitle for %s with %j is %s', (operation, options, name) => {
	const { node, workflow } = createSingleNodeWorkflow({ parameters: { operation, options } });
	expect(
		workflow.expression.getSimpleParameterValue(node, description.subtitle, 'manual', {}),
	).toBe(name);
});
