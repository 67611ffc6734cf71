import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'The same with a single page',
	burst: 120,
	respond: (account) => respondWith([account.messages[3], ...last(account, 99)]),
};
