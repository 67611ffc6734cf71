import { describeSameIds } from '../../../../nodes/MessagingAccount/sends/sendOnceIds';

const FIRST = { id: ' 7', itemIndex: 1 };
const OTHER = { id: 8, itemIndex: 3 };
const SKIPPED = 'Skipped because an earlier item with another recipient has the same ID:';
const EXAMPLE = "e.g. item 1: ' 7'. Give each image an ID of its own.";

test.each([
	[[], undefined],
	[[FIRST], `${SKIPPED} 1 item, ${EXAMPLE}`],
	[[FIRST, OTHER, OTHER], `${SKIPPED} 3 items, ${EXAMPLE}`],
])('of the items %j, it says: %s', (shared, hint) => {
	expect(describeSameIds(shared)).toBe(hint);
});
