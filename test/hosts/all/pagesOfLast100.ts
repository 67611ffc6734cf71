import type { Host } from '../host';
import { page, respondWith } from '../lists';

export const host: Host = {
	about: 'Pages of 50, of which it keeps the last 100',
	options: { pageParameter: 'page' },
	burst: 150,
	respond: (account, index) => respondWith(page(account, index, 50, 100)),
};
