import type { Account } from '../account';
import type { Host } from '../host';
import { page, respondWith } from '../lists';

/** As the list was a minute ago. */
function lagging(account: Account, index: number) {
	const before = account.listed.filter(({ at }) => at < account.now - 60_000);
	return before.slice(index * 50, (index + 1) * 50);
}

export const host: Host = {
	about: 'Further pages come from a replica that is some messages behind',
	options: { pageParameter: 'page' },
	burst: 100,
	respond: (account, index) =>
		respondWith(index === 0 ? page(account, 0, 50) : lagging(account, index)),
	limit: {
		about: 'Messages that a replica lacked come out late.',
		allows: ['outOfOrder'],
	},
};
