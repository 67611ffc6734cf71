import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { summarizeList } from '../../../../nodes/MessagingAccount/execution/listSummary';

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
	expect(summarizeList(outputs, errors, false)).toBe(text);
	expect(summarizeList(outputs, errors, true)).toBe(text.replace(' sent,', ' would be sent,'));
});
