import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Each message is listed twice',
	burst: 120,
	respond: (account) => respondWith([...last(account), ...last(account)]),
};
