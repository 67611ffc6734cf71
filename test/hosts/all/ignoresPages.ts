import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'The first page for every page number',
	options: { pageParameter: 'page' },
	burst: 90,
	respond: (account) => respondWith(last(account, 50)),
};
