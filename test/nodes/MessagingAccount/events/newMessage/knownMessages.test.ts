import { diffMessages } from '../../../../../nodes/MessagingAccount/events/newMessage/diffMessages';

test('a list may be as long as an item list can be', () => {
	const start = 1_700_000_000_000;
	const listed = Array.from({ length: 200_000 }, (_, i) => {
		const id = 200_000 - i;
		return { key: `m${id}`, message: { id, date: start + id } };
	});
	const { times } = diffMessages([listed], undefined).next;
	expect(times).toMatchObject({ oldest: start + 1, newest: start + 200_000 });
});
