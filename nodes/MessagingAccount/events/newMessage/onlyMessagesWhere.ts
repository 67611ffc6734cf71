import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../../errors/errorClasses';
import { cleanText } from '../../parameters/plainValue';
import { getField } from '../../shared/fields';

export const onlyMessagesWhere: INodeProperties = {
	displayName: 'Only Messages Where',
	name: 'onlyMessagesWhere',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Condition',
	default: {},
	description:
		'Conditions that a message must meet to start the workflow. The list may also have the messages that the account sends: leave them out if the workflow answers or sends messages.',
	options: [
		{
			displayName: 'Condition',
			name: 'rows',
			values: [
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
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. false',
				},
			],
		},
	],
};

/** @throws InvalidInputError if one cannot be used */
export function readConditions(rows: unknown) {
	return (Array.isArray(rows) ? rows : []).map(readCondition);
}

function readCondition(row: IDataObject | null, index: number) {
	const { field, operation = 'equals', value = '' } = row ?? {};
	const refusal = (reason: string, advice: string) =>
		new InvalidInputError(`Condition ${index + 1} of 'Only Messages Where' ${reason}`, advice);
	const path = typeof field === 'string' ? cleanText(field) : '';
	if (path === '') {
		throw refusal(
			'has no field',
			'Enter the name of a field as it appears in the messages, e.g. from_me, or remove the condition.',
		);
	}
	if (operation !== 'equals' && operation !== 'notEquals') {
		throw refusal(`has no operation '${String(operation)}'`, 'Choose Equals or Does Not Equal.');
	}
	if (typeof value === 'object' && value !== null) {
		throw refusal('has a value that is a list or an object', 'Enter the text to compare with.');
	}
	if (/\{\{/.test(`${path}${String(value)}`)) {
		throw refusal('contains {{', 'Enter the name of a field and the text to compare with.');
	}
	const expected = toText(value);
	return {
		/** The dot path. */
		field: path,
		isMet: (message: unknown) =>
			(toText(getField(message, path)) === expected) === (operation === 'equals'),
	};
}

/** Returns a value as text for comparison, without spaces around it; empty if it is missing or null. */
function toText(value: unknown): string {
	if (value === undefined || value === null) return '';
	return typeof value === 'object' ? JSON.stringify(value) : cleanText(String(value));
}
