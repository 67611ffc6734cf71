import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../../errors/errorClasses';
import { listOptions, readListQuery } from '../../messages/listQuery';
import { readNames, type ReadOption } from '../../parameters/optionReaders';
import { cleanText, quote } from '../../parameters/text';
import { getField, isLongerThan } from '../../shared/fields';
import { hash } from '../../shared/hash';
import { combineOptions, readCombineOptions } from './combineMessages';

/** A row of Only Messages Where. */
const CONDITION: INodeProperties[] = [
	{
		displayName: 'Field',
		name: 'field',
		type: 'string',
		default: '',
		placeholder: 'e.g. from_me',
		description: 'The name of a field of the message, with dots for nested fields',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Equals', value: 'equals' },
			{ name: 'Does Not Equal', value: 'notEquals' },
		],
		default: 'equals',
	},
	{ displayName: 'Value', name: 'value', type: 'string', default: '', placeholder: 'e.g. false' },
];

export const newMessageOptions: INodeProperties[] = [
	...combineOptions,
	{
		displayName: 'Include Existing Messages',
		name: 'emitExisting',
		type: 'boolean',
		default: true,
		description:
			'Whether messages that exist at the first poll also start the workflow. Otherwise the trigger only remembers them.',
	},
	...listOptions,
	{
		displayName: 'Message ID Field',
		name: 'messageIdField',
		type: 'string',
		default: '',
		placeholder: 'e.g. chat.key, messageId',
		description:
			'The field that holds the ID of a message, with dots for nested fields. If it takes several to identify a message, separate them with commas. Leave empty to detect it automatically.',
	},
	{
		displayName: 'Only Messages Where',
		name: 'onlyMessagesWhere',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add condition',
		default: {},
		description:
			'Conditions that a message must meet to start the workflow. The list may also have the messages that the account sends: leave them out if the workflow sends any.',
		options: [{ displayName: 'Condition', name: 'rows', values: CONDITION }],
	},
	{
		displayName: 'Possible Gap Output',
		name: 'gapOutput',
		type: 'boolean',
		default: true,
		description:
			'Whether to add an output that reports when messages may have been missed, because more arrived between two polls than the service lists',
	},
];

export type Options = ReturnType<typeof readNewMessageOptions>;

/** @throws InvalidInputError naming the option */
export function readNewMessageOptions(context: IPollFunctions) {
	const option: ReadOption = (name, fallback) =>
		context.getNodeParameter(`options.${name}`, fallback);
	// Before expressions are evaluated: a query with the current time is the same query each time.
	const { queryParameters = {} } = (context.getNode().parameters.options ?? {}) as IDataObject;
	const combine = readCombineOptions(option);
	const rows = option('onlyMessagesWhere.rows', []);
	const conditions = (Array.isArray(rows) ? rows : []).map(readCondition);
	const idFields = option('messageIdField', '');
	const named = conditions.map(({ field }) => ({ field, option: 'Only Messages Where' }));
	if (combine.field !== '') named.push({ field: combine.field, option: 'Combine Messages By' });
	return {
		/** Empty if the user set none. */
		idField: readNames(idFields, 'Message ID Field', 'the field, e.g. id or message.id').join(','),
		listQuery: readListQuery(option),
		/** See `PollState`. */
		asked: hash(JSON.stringify(queryParameters)),
		conditions,
		passes: meetsAll(conditions),
		combine,
		/** Fields that messages should have, each with the option that names it. */
		namedFields: named,
		emitsExisting: option('emitExisting', false) === true,
		hasGapOutput: option('gapOutput', false) === true,
	};
}

/** A condition as it was evaluated. Its field names never change, because it is stored; its value is not, except for length and hash. */
export interface Condition {
	field: string;
	operation: 'equals' | 'notEquals';
	length: number;
	hash: string;
}

/** The most invisible characters and spaces that a text may have beside what it is compared with. */
const MAX_INVISIBLE = 1000;

export const meetsAll =
	(conditions: Condition[] = []) =>
	(message: unknown): boolean =>
		conditions.every(({ field, operation, ...expected }) => {
			const value = getField(message, field);
			const isLonger = isLongerThan(value, expected.length + MAX_INVISIBLE);
			const text = isLonger ? undefined : toText(value);
			const isEqual = text?.length === expected.length && hash(text) === expected.hash;
			return isEqual === (operation === 'equals');
		});

/** @throws InvalidInputError if it cannot be used */
function readCondition(row: IDataObject | null, index: number): Condition {
	const { field, operation = 'equals', value = '' } = row ?? {};
	const refusal = (reason: string, advice: string) =>
		new InvalidInputError(`Condition ${index + 1} of 'Only Messages Where' ${reason}`, advice);
	const path = typeof field === 'string' ? cleanText(field) : '';
	const enterField = 'Enter the name of a field as it appears in the messages, e.g. from_me';
	if (path === '') throw refusal('has no field', `${enterField}, or remove the condition.`);
	if (operation !== 'equals' && operation !== 'notEquals') {
		const reason = `has no operation ${quote(String(operation))}`;
		throw refusal(reason, 'Choose Equals or Does Not Equal.');
	}
	if (typeof value === 'object' && value !== null)
		throw refusal('has a value that is a list or an object', 'Enter the text to compare with.');
	if (`${path}${String(value)}`.includes('{{'))
		throw refusal('contains {{', 'Enter the name of a field and the text to compare with.');
	const expected = toText(value);
	return { field: path, operation, length: expected.length, hash: hash(expected) };
}

/** Returns a value as text for comparison, without spaces around it; empty if it is missing or null. */
function toText(value: unknown): string {
	if (typeof value === 'object' && value) return JSON.stringify(value);
	return cleanText(String(value ?? ''));
}
