import type { Message } from '../account';
import type { Host } from '../host';
import { page, respondWith, uuid } from '../lists';

function formatSome({ n, at, text }: Message) {
	const sent_at = new Date(at).toISOString();
	return n % 97 === 0
		? { message: { id: uuid(n) }, text, sent_at }
		: { id: uuid(n), text, sent_at };
}

export const host: Host = {
	about: 'Now and then a single message with its ID elsewhere, alone on a page',
	options: { pageParameter: 'page' },
	burst: 100,
	respond: (account, index) => respondWith(page(account, index, 40), formatSome),
};
