import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { withInputFields } from '../../../../nodes/MessagingAccount/execution/inputFields';
import { createNode } from '../../../support/workflow';

const INPUT: INodeExecutionData[] = [
	{ json: { name: 'Ada', id: 7 } },
	{ json: { name: 'Grace', more: [1] } },
];
const item = (index: number, json: IDataObject) => ({ json, pairedItem: { item: index } });
const ERROR = { message: 'No', delivery: 'notSent' };

const outputs = (items: INodeExecutionData[], onError: INode['onError']) =>
	withInputFields(items, {
		getInputData: () => INPUT,
		getNode: () => createNode('Send Image', { type: 'messagingAccount', parameters: {}, onError }),
		continueOnFail: () => onError !== 'stopWorkflow',
	});
const jsonOf = (items: INodeExecutionData[], onError: INode['onError']) =>
	outputs(items, onError).map(({ json }) => json);

test('each item has the fields of its input item, and stays paired', () => {
	expect(outputs([item(1, { id: 'm2' })], 'stopWorkflow')).toEqual([
		{ json: { name: 'Grace', more: [1], id: 'm2' }, pairedItem: { item: 1 } },
	]);
});

test('all have the same fields of the node, which take the place of those of the input', () => {
	const items = [item(0, { error: ERROR }), item(1, { id: 'm2', status: 'queued' })];
	expect(jsonOf(items, 'continueRegularOutput')).toEqual([
		{ name: 'Ada', id: null, status: null, error: ERROR },
		{ name: 'Grace', more: [1], id: 'm2', status: 'queued', error: null },
	]);
});

test('without errors among the items, they have no field for one, but all others', () => {
	const items = [item(0, { id: 'm1' }), item(1, { id: 'm2', status: 'queued' })];
	expect(jsonOf(items, 'stopWorkflow')).toEqual([
		{ name: 'Ada', id: 'm1', status: null },
		{ name: 'Grace', more: [1], id: 'm2', status: 'queued' },
	]);
});

test('runs in which all failed or none did have the same fields', () => {
	const failed = jsonOf([item(0, { error: ERROR })], 'continueRegularOutput');
	const sent = jsonOf([item(0, { id: 'm1' })], 'continueRegularOutput');
	expect(failed).toEqual([{ name: 'Ada', id: null, error: ERROR }]);
	expect(sent).toEqual([{ name: 'Ada', id: 'm1', error: null }]);
});

test('an item for the error output stays as n8n needs it to route it', () => {
	const items = [item(0, { error: ERROR }), item(1, { id: 'm2' })];
	expect(jsonOf(items, 'continueErrorOutput')).toEqual([
		{ error: ERROR },
		{ name: 'Grace', more: [1], id: 'm2' },
	]);
});

test('the input stays as it is', () => {
	const before = structuredClone(INPUT);
	jsonOf([item(0, { id: 'm1' })], 'continueRegularOutput');
	expect(INPUT).toEqual(before);
});
