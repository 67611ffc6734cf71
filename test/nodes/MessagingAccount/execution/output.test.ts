import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import {
	summarizeList,
	withInputFields,
} from '../../../../nodes/MessagingAccount/execution/output';
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
	} as IExecuteFunctions);
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

const SENT = [{ json: { id: 'm1' } }];
const SKIPPED = [{ json: { skipped: true, sendOnceId: 'A' } }];
const UNCLEAR = [{ json: { skipped: true, sendOnceId: 'B', delivery: 'unknown' } }];
const FAILED = { itemIndex: 2, error: new Error('No') };
const UNKNOWN = {
	itemIndex: 3,
	error: Object.assign(Object.create(ApiError.prototype), { delivery: 'unknown' }),
};

test.each([
	[[SENT, SENT], [], '2 items: 2 sent, 0 skipped, 0 failed.'],
	[[SENT, SKIPPED, []], [FAILED], '3 items: 1 sent, 1 skipped, 1 failed.'],
	[
		[SKIPPED, UNCLEAR, [], []],
		[FAILED, UNKNOWN],
		'4 items: 0 sent, 2 skipped (1 may not have been sent), 2 failed (1 may have been sent).',
	],
])('a list %j with the errors %j is summarized', (outputs, errors, text) => {
	expect(summarizeList({ outputs, errors, isDryRun: false })).toBe(text);
	const dryText = text.replace(' sent,', ' would be sent,');
	expect(summarizeList({ outputs, errors, isDryRun: true })).toBe(dryText);
});
