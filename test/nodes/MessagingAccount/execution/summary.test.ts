import type { IDataObject } from 'n8n-workflow';

import { ApiError, NotTriedError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { summarizeList } from '../../../../nodes/MessagingAccount/execution/summary';
import { createUnknownError } from '../../../../nodes/MessagingAccount/sends/sendErrors';
import { readTable } from '../../../support/tables';

/** How an item of a list ends: with an output, or an error. */
const OUTPUTS: Record<string, IDataObject> = {
	sent: { id: 'm1' },
	skipped: { skipped: true, sendOnceId: 'A', reason: 'id' },
	unclear: { skipped: true, sendOnceId: 'B', reason: 'id', delivery: 'unknown' },
	left: { skipped: true, reason: 'limit' },
	/** The service's response has a field of this name. */
	sentToo: { reason: 'limit' },
};
const ERRORS: Record<string, Error> = {
	failed: new Error('No'),
	unknown: Object.assign(Object.create(ApiError.prototype), { delivery: 'unknown' }) as Error,
	lost: new ApiError('Lost', { description: '', result: { code: 'ECONNRESET' } }),
	lostBefore: createUnknownError('HTTP 502'),
	notTried: new NotTriedError({ failures: 3, firstItem: 1, since: '', reason: '' }),
};

const SUMMARIES = `
sent sentToo → 2 items: 2 sent, 0 skipped, 0 failed.
sent skipped failed → 3 items: 1 sent, 1 skipped, 1 failed.
skipped unclear failed unknown → 4 items: 0 sent, 2 skipped (1 may not have been sent), 2 failed (1 may have been sent).
sent skipped left left → 4 items: 1 sent, 1 skipped, 0 failed, 2 left.
sent lost notTried notTried → 4 items: 1 sent, 0 skipped, 3 failed (1 may have been sent). The service failed from item 1 on: 2 were not tried.
sent lost notTried sent → 4 items: 2 sent, 0 skipped, 2 failed (1 may have been sent). The service failed first at item 1: 1 was not tried.
sent lost notTried skipped → 4 items: 1 sent, 1 skipped, 2 failed (1 may have been sent). The service failed from item 1 on: 1 was not tried.
notTried notTried → 2 items: 0 sent, 0 skipped, 2 failed. The service failed before: 2 were not tried.
lostBefore notTried → 2 items: 0 sent, 0 skipped, 2 failed (1 may have been sent). The service failed before: 1 was not tried.
`;

test.each(readTable(SUMMARIES))('the items %s are summarized: %s', (items, text) => {
	const ends = items.split(' ');
	const outputs = ends.map((end) => (OUTPUTS[end] ? [{ json: OUTPUTS[end] }] : []));
	const errors = ends
		.map((end, itemIndex) => ({ itemIndex, error: ERRORS[end] }))
		.filter(({ error }) => error);
	expect(summarizeList({ outputs, errors, isDryRun: false })).toBe(text);
	const dryText = text.replace(' sent,', ' would be sent,');
	expect(summarizeList({ outputs, errors, isDryRun: true })).toBe(dryText);
});
