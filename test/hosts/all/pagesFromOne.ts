import type { Host } from '../host';
import { page, respondWith } from '../lists';

export const host: Host = {
	about: 'Pages from 1, and 0 stands for 1',
	options: { pageParameter: 'page' },
	burst: 100,
	respond: (account, index) => respondWith(page(account, Math.max(index - 1, 0), 25)),
};
