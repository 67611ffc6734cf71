import type { Host } from '../host';
import { page, respondWith } from '../lists';

export const host: Host = {
	about: 'Pages of 20, in each of which the newest are at the end',
	options: { pageParameter: 'page' },
	burst: 120,
	respond: (account, index) => respondWith(page(account, index, 20).reverse()),
};
