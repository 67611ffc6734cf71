import type { IPollFunctions } from 'n8n-workflow';

import { readNewMessageOptions } from '../../../../../nodes/MessagingAccount/events/newMessage/options';
import { describeInputError } from '../../../../support/inputError';

const readConditions = (rows: unknown) =>
	readNewMessageOptions({
		getNode: () => ({ parameters: {} }),
		getNodeParameter: (name: string, fallback: unknown) =>
			name === 'options.onlyMessagesWhere.rows' ? rows : fallback,
	} as unknown as IPollFunctions);

const NOT_EMPTY = { field: 'text', operation: 'notEquals' };

test.each([
	['without conditions: anything', undefined, { text: 'a' }, true],
	['without operation and value: what is empty', [{ field: 'text' }], { text: '' }, true],
	['without operation and value: what is null', [{ field: 'text' }], { text: null }, true],
	['without operation and value: what is missing', [{ field: 'text' }], {}, true],
	['without operation and value: what is empty', [{ field: 'text' }], { text: 'a' }, false],
	['with null as value: what is empty', [{ field: 'text', value: null }], {}, true],
	['with a space behind the value', [{ field: 'text', value: 'a ' }], { text: 'a' }, true],
	['with a space behind the text', [{ field: 'text', value: 'a' }], { text: 'a\n' }, true],
	['with an invisible character', [{ field: '\ufefftext', value: 'a\u200b' }], { text: 'a' }, true],
	['a nested field', [{ field: ' a.b ', value: 'false' }], { a: { b: false } }, true],
	['not a far longer text', [{ field: 'text', value: 'a' }], { text: 'a'.padEnd(2000) }, false],
	['another value', [{ field: 'a.b', value: 'false' }], { a: { b: true } }, false],
	['a list as JSON', [{ field: 'text', value: '["a"]' }], { text: ['a'] }, true],
	['a list as JSON', [{ field: 'text', value: '["a"]' }], { text: 'a' }, false],
	['not what is equal', [{ ...NOT_EMPTY, value: 'a' }], { text: 'a' }, false],
	['what is not equal', [{ ...NOT_EMPTY, value: 'a' }], { text: 'b' }, true],
	['what is missing, and so not equal', [{ ...NOT_EMPTY, value: 'a' }], {}, true],
	['what is not empty', [NOT_EMPTY], { text: 'a' }, true],
	['not what is missing', [NOT_EMPTY], {}, false],
])('passes %s (%j: %j, %s)', (_what, rows, message, expected) => {
	expect(readConditions(rows).passes(message)).toBe(expected);
});

test.each([
	[null, 'has no field: Enter the name of a field'],
	[{ field: ' ' }, 'has no field: Enter the name of a field'],
	[{ field: 7 }, 'has no field: Enter the name of a field'],
	[{ field: 'id', value: { a: 1 } }, 'has a value that is a list or an object: Enter the text to'],
	[{ field: '{{ $json.id }}' }, 'contains {{: Enter the name of a field'],
	[{ field: 'id', value: '{{ $json.id }}' }, 'contains {{: Enter the name of a field and the text'],
	[{ field: 'id', operation: 'contains' }, "has no operation 'contains': Choose Equals or Does"],
])('refuses %j', (row, expected) => {
	const error = describeInputError(() => readConditions([{ field: 'ok' }, row]));
	expect(error).toContain(`Condition 2 of 'Only Messages Where' ${expected}`);
});
