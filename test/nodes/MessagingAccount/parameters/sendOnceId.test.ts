import { describeIds } from '../../../../nodes/MessagingAccount/parameters/sendOnceId';
import { createNode } from '../../../support/workflow';

const FIRST = { id: ' 7', itemIndex: 1 };
const OTHER = { id: 8, itemIndex: 3 };
const SHARED =
	"skipped because an earlier item with another recipient has the same ID, e.g. item 1: ' 7'";
const FULL = expect.stringMatching(/^The record of 'Send Once per ID' is full: .* last 50,000 IDs/);
const FIXED = expect.stringMatching(/^All items were skipped: .* is the same text for every item/);

test.each([
	[[], false, false, 'order', []],
	[[FIRST], false, false, 'order', [`1 item was ${SHARED}`]],
	[[FIRST, OTHER, OTHER], false, true, '={{ $json.order }}', [`3 items were ${SHARED}`]],
	[[], true, false, 'order', [FULL]],
	[[], false, true, 'order', [FIXED]],
	[[], false, true, '={{ $json.order }}', []],
	[[FIRST], true, true, 'order', [`1 item was ${SHARED}`, FULL, FIXED]],
])(
	'with the shared IDs %j, full: %s, all skipped: %s and the ID %j, the hints are %j',
	(shared, isFull, areAllSkipped, sendOnceId, hints) => {
		const parameters = { options: { sendOnceId } };
		const node = createNode('Send Image', { type: 'messagingAccount', parameters });
		expect(describeIds(shared, isFull, areAllSkipped, node)).toEqual(hints);
	},
);
