import { readPages } from '../../../../nodes/MessagingAccount/messages/pages';

const READERS = {
	read: async () => await Promise.reject(new Error('asked for another page')),
	getKey: String,
	isEnough: () => false,
};

test('a list without messages has its end on its first page', async () => {
	const pages = await readPages([], { query: [] }, READERS);
	expect(pages).toEqual({ pages: [[]], isComplete: true });
});

test('where there is one page to read, its end is not known', async () => {
	const pages = await readPages(['a'], { query: [] }, READERS);
	expect(pages).toEqual({ pages: [['a']], isComplete: false });
});
