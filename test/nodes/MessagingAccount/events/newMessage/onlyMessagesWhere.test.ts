import { createMessageFilter } from '../../../../../nodes/MessagingAccount/events/newMessage/onlyMessagesWhere';

test.each([
	['without conditions: anything', undefined, { text: 'a' }, true],
	['without operation and value: what is empty', [{ field: 'text' }], { text: '' }, true],
	['without operation and value: what is empty', [{ field: 'text' }], { text: 'a' }, false],
	['with null as value: what is empty', [{ field: 'text', value: null }], {}, true],
	['with null as value: what is empty', [{ field: 'text', value: null }], { text: 'a' }, false],
])('passes %s (%j: %j, %s)', (_what, rows, message, expected) => {
	expect(createMessageFilter(rows)(message)).toBe(expected);
});
