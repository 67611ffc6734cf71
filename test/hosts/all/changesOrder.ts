import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Turns its list round after some hours',
	respond: (account) => respondWith(account.minute < 700 ? last(account) : last(account).reverse()),
};
