import type { Host } from '../host';
import { page, respondWith } from '../lists';

export const host: Host = {
	about: 'Further pages are refused with 429 for hours',
	options: { pageParameter: 'page' },
	burst: 100,
	respond: (account, index) =>
		index > 0 && account.minute % 480 < 180
			? { status: 429, headers: { 'retry-after': '600' } }
			: respondWith(page(account, index, 20)),
	limit: {
		about: 'Messages of a page that was refused come out late.',
		allows: ['outOfOrder'],
	},
};
