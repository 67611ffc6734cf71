import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'The newest at the end',
	respond: (account) => respondWith(last(account).reverse()),
};
