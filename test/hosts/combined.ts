import type { Host } from './host';
import { last, page, respondWith } from './lists';

/** In the soak, polls follow each other within milliseconds. */
const COMBINE = { combineBy: 'chat.id', waitUntilQuiet: 0, waitAtMost: 86_400 };

const createLimit = (outOfOrder: number): Host['limit'] => ({
	about:
		'What is held of a chat comes out after newer messages of others. The option says that it waits.',
	allows: { outOfOrder },
});

const combinedByChat: Host = {
	about: 'The messages of a chat become one item',
	options: COMBINE,
	respond: (account) => respondWith(last(account)),
	limit: createLimit(0.6),
};

const combinedByChatOnPages: Host = {
	about: 'The same on pages of 20, of busy chats',
	options: { ...COMBINE, pageParameter: 'page' },
	perHour: 60,
	burst: 120,
	respond: (account, index) => respondWith(page(account, index, 20)),
	limit: createLimit(0.75),
};

export const combined = { combinedByChat, combinedByChatOnPages };
