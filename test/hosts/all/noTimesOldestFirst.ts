import type { Host } from '../host';
import { last, respondWith, withoutTime } from '../lists';

export const host: Host = {
	about: 'Neither times nor IDs tell the order, newest at the end',
	respond: (account) => respondWith(last(account).reverse(), withoutTime),
};
