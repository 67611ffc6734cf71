import type { Host } from '../host';
import { respondWith } from '../lists';

export const host: Host = {
	about: 'All messages of the last 24 hours',
	perHour: 8,
	interval: 5,
	respond: (account) =>
		respondWith(account.listed.filter(({ at }) => at > account.now - 86_400_000)),
};
