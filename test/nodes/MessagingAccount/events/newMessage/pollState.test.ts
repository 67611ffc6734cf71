import { readPollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

const STORED = {
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

test('reads the state of the previous poll unchanged', () => {
	expect(readPollState(STORED, 'a')).toEqual({ state: STORED });
});

test('ignores fields of the wrong type', () => {
	const odd = Object.fromEntries(Object.keys(STORED).map((name) => [name, { odd: true }]));
	expect(readPollState({ ...odd, known: ['key'] }, 'a')).toEqual({
		state: { account: 'a', known: ['key'], idField: '' },
	});
});

test('ignores a page length that is not a whole number', () => {
	const { state } = readPollState({ ...STORED, longestPage: 0.5 }, 'a');
	expect(state?.longestPage).toBeUndefined();
});
