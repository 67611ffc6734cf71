import { readPages } from '../../../../nodes/MessagingAccount/messages/pages';

const OPTIONS = {
	read: async () => await Promise.reject(new Error('requested another page')),
	getKey: String,
	isEnough: () => false,
};

test('an empty list is complete', async () => {
	const pages = await readPages([], { query: [] }, OPTIONS);
	expect(pages).toEqual({ pages: [[]], isComplete: true });
});

test('without paging, the list may continue', async () => {
	const pages = await readPages(['a'], { query: [] }, OPTIONS);
	expect(pages).toEqual({ pages: [['a']], isComplete: false });
});
