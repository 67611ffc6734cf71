import type { Host } from '../host';
import { last } from '../lists';

export const host: Host = {
	about: 'Numeric IDs too long for a number',
	respond: (account) => ({
		body: `[${last(account)
			.map(
				({ n, text, at }) => `{"id":${10n ** 18n + BigInt(n)},"text":"${text}","timestamp":${at}}`,
			)
			.join(',')}]`,
	}),
};
