import type { Host } from '../host';
import { last, respondWith } from '../lists';

export const host: Host = {
	about: 'Now and then an old message is bumped to the top',
	live(account) {
		const bumped = account.listed[10 + account.pick(15)];
		if (account.chance(60))
			account.listed = [bumped, ...account.listed.filter((one) => one !== bumped)];
	},
	respond: (account) => respondWith(last(account)),
	limit: {
		about: 'A message that is bumped before a poll comes out last.',
		allows: ['outOfOrder'],
	},
};
