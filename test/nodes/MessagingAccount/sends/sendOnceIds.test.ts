import { describeSameIds } from '../../../../nodes/MessagingAccount/sends/sendOnceIds';

const FIRST = { id: ' 7', itemIndex: 1 };
const OTHER = { id: 8, itemIndex: 3 };
const SKIPPED =
	"skipped because an earlier item with another recipient has the same ID, e.g. item 1: ' 7'";

test.each([
	[[], undefined],
	[[FIRST], `1 item was ${SKIPPED}`],
	[[FIRST, OTHER, OTHER], `3 items were ${SKIPPED}`],
])('of the items %j, it says: %s', (shared, hint) => {
	expect(describeSameIds(shared)).toBe(hint);
});
