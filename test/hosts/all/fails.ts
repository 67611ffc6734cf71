import type { Host } from '../host';
import { format, last, respondWith } from '../lists';

export const host: Host = {
	about: 'Fails in many ways: web pages, half answers, 429',
	respond(account) {
		const kind = account.pick(12);
		if (kind === 0) return { body: '<html>Just a moment</html>' };
		if (kind === 1) return { status: 429, headers: { 'retry-after': '600' } };
		if (kind === 2) return { body: { error: 'not connected' } };
		if (kind === 3) return { body: JSON.stringify(last(account).map(format)).slice(0, -20) };
		return respondWith(last(account));
	},
};
