import { readConditions } from '../../../../../nodes/MessagingAccount/events/newMessage/onlyMessagesWhere';

test.each([
	['without conditions: anything', undefined, { text: 'a' }, true],
	['without operation and value: what is empty', [{ field: 'text' }], { text: '' }, true],
	['without operation and value: what is empty', [{ field: 'text' }], { text: 'a' }, false],
	['with null as value: what is empty', [{ field: 'text', value: null }], {}, true],
	['with null as value: what is empty', [{ field: 'text', value: null }], { text: 'a' }, false],
	['with a space behind the value', [{ field: 'text', value: 'a ' }], { text: 'a' }, true],
	['with a space behind the text', [{ field: 'text', value: 'a' }], { text: 'a\n' }, true],
	['with an invisible character', [{ field: '\ufefftext', value: 'a\u200b' }], { text: 'a' }, true],
])('passes %s (%j: %j, %s)', (_what, rows, message, expected) => {
	expect(readConditions(rows).every(({ isMet }) => isMet(message))).toBe(expected);
});
