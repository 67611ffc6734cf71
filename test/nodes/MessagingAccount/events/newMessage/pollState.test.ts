import { readPollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

const REMEMBERED = {
	account: 'a',
	known: ['key'],
	idField: 'uuid',
	isFieldSet: true,
	sharingTold: true,
	newestFirst: false,
	asked: 'b',
	longestPage: 20,
	polledAt: '2026-11-21T08:00:00.000Z',
};

test('what an earlier poll left is read as it is', () => {
	expect(readPollState(REMEMBERED, 'a')).toEqual({ state: REMEMBERED });
});

test('what has another type than it should have counts as absent', () => {
	const odd = Object.fromEntries(Object.keys(REMEMBERED).map((name) => [name, { odd: true }]));
	expect(readPollState({ ...odd, known: ['key'] }, 'a')).toEqual({
		state: { account: 'a', known: ['key'], idField: '' },
	});
});

test('a length of half a message counts as absent', () => {
	const { state } = readPollState({ ...REMEMBERED, longestPage: 0.5 }, 'a');
	expect(state?.longestPage).toBeUndefined();
});
