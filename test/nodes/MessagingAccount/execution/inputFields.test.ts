import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { withInputFields } from '../../../../nodes/MessagingAccount/execution/inputFields';
import { createNode } from '../../../support/workflow';

const INPUT: INodeExecutionData[] = [
	{ json: { name: 'Ada', id: 7 } },
	{ json: { name: 'Grace', more: [1] } },
];
const item = (index: number, json: IDataObject) => ({ json, pairedItem: { item: index } });
const ERROR = { message: 'No', delivery: 'notSent' };

const contextOf = (input: INodeExecutionData[], onError: INode['onError']) =>
	({
		getInputData: () => input,
		getNode: () => createNode('Send Image', { type: 'messagingAccount', parameters: {}, onError }),
		continueOnFail: () => onError !== 'stopWorkflow',
	}) as IExecuteFunctions;
const outputs = (items: INodeExecutionData[], onError: INode['onError']) =>
	withInputFields(items, contextOf(INPUT, onError));
const jsonOf = (items: INodeExecutionData[], onError: INode['onError']) =>
	outputs(items, onError).map(({ json }) => json);

test('each item has the fields of its input item, and stays paired', () => {
	expect(outputs([item(1, { id: 'm2' })], 'stopWorkflow')).toEqual([
		{ json: { name: 'Grace', more: [1], id: 'm2' }, pairedItem: { item: 1 } },
	]);
});

const SENT_2 = { id: 'm2', status: 'queued' };
const GRACE = { name: 'Grace', more: [1], ...SENT_2 };

test.each<[onError: INode['onError'], own: IDataObject[], expected: IDataObject[]]>([
	[
		'continueRegularOutput',
		[{ error: ERROR }, SENT_2],
		[
			{ name: 'Ada', id: null, status: null, error: ERROR },
			{ ...GRACE, error: null },
		],
	],
	// Without errors among the items, they have no field for one.
	['stopWorkflow', [{ id: 'm1' }, SENT_2], [{ name: 'Ada', id: 'm1', status: null }, GRACE]],
	// Runs in which all failed or none did have the same fields.
	['continueRegularOutput', [{ error: ERROR }], [{ name: 'Ada', id: null, error: ERROR }]],
	['continueRegularOutput', [{ id: 'm1' }], [{ name: 'Ada', id: 'm1', error: null }]],
	// As n8n needs it to route an item to the error output.
	['continueErrorOutput', [{ error: ERROR }, SENT_2], [{ error: ERROR }, GRACE]],
])('with On Error "%s", all have the same fields of the node: %j', (onError, own, expected) => {
	const items = own.map((json, i) => item(i, json));
	expect(jsonOf(items, onError)).toEqual(expected);
});

test('what an earlier run said of an item does not stand beside what this one says, but other values stay', () => {
	const error = 'Refused. The image was not sent.';
	const earlier = { skipped: 1, sent: true, delivery: 'unknown', reason: 'id', error };
	const own = { error: 'a', skipped: 'no', sent: 3, delivery: 'b', reason: 'c', dryRun: false };
	const items = withInputFields(
		[item(0, { id: 'm1' }), item(1, { id: 'm2' })],
		contextOf([{ json: earlier }, { json: own }], 'stopWorkflow'),
	);
	expect(items.map(({ json }) => json)).toEqual([
		{ skipped: null, sent: null, delivery: null, reason: null, error: null, id: 'm1' },
		{ ...own, id: 'm2' },
	]);
});

test('the input stays as it is', () => {
	const before = structuredClone(INPUT);
	jsonOf([item(0, { id: 'm1' })], 'continueRegularOutput');
	expect(INPUT).toEqual(before);
});
