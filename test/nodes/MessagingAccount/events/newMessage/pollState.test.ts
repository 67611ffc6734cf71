import { readPollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

const STORED = {
	account: 'a',
	known: ['key'],
	idField: 'uuid',
	isFieldSet: true,
	idEvidence: 4,
	sharingTold: true,
	newestFirst: false,
	orderEvidence: 2,
	asked: 'b',
	longestList: 20,
	oldest: { field: 'date', time: 5 },
	newest: { field: 'date', time: 9 },
	reuseTold: true,
	recheckAfter: 'key',
	polledAt: '2026-11-21T08:00:00.000Z',
};

test('reads the state of the previous poll unchanged', () => {
	expect(readPollState(STORED, 'a', 'b')).toEqual({ state: STORED });
});

test('ignores fields of the wrong type', () => {
	const odd = Object.fromEntries(Object.keys(STORED).map((name) => [name, { odd: true }]));
	expect(readPollState({ ...odd, known: ['key'] }, 'a', 'b')).toEqual({
		state: { account: 'a', known: ['key'], idField: '', idEvidence: 1, longestList: 1 },
	});
});

test('ignores numbers that are not whole', () => {
	const { state } = readPollState({ ...STORED, longestList: 0.5, orderEvidence: NaN }, 'a', 'b');
	expect(state).toMatchObject({ longestList: 1, orderEvidence: undefined });
});

test('ignores a half time of the oldest message', () => {
	expect(
		readPollState({ ...STORED, oldest: { field: 'date' } }, 'a', 'b').state?.oldest,
	).toBeUndefined();
	expect(readPollState({ ...STORED, oldest: { time: 5 } }, 'a', 'b').state?.oldest).toBeUndefined();
});

test('keeps what is known after another query, but not what belongs to the list', () => {
	const { state, startsOver } = readPollState(STORED, 'a', 'c');
	expect(startsOver).toBe('otherQuery');
	expect(state).toEqual({ ...STORED, newestFirst: undefined, recheckAfter: undefined });
});
