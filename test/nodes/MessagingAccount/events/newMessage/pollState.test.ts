import { readPollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

const STORED = {
	account: 'a',
	known: ['key'],
	idField: 'uuid',
	isFieldSet: true,
	idEvidence: 4,
	sharingTold: true,
	order: -2,
	asked: 'b',
	longestList: 20,
	times: { field: 'date', oldest: 5, newest: 9, forgotten: 3, ofKeys: [['key', 9]] },
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
		state: { account: 'a', known: ['key'], idField: '', idEvidence: 1, longestList: 1, order: 0 },
	});
});

test('ignores numbers that are not whole', () => {
	const { state } = readPollState({ ...STORED, longestList: 0.5, order: NaN }, 'a', 'b');
	expect(state).toMatchObject({ longestList: 1, order: 0 });
});

test.each(['field', 'oldest', 'newest', 'ofKeys'])('ignores times with an odd %s', (name) => {
	const times = { ...STORED.times, [name]: {} };
	expect(readPollState({ ...STORED, times }, 'a', 'b').state?.times).toBeUndefined();
});

test('keeps what is known after another query, but not what belongs to the list', () => {
	const { state, startsOver } = readPollState(STORED, 'a', 'c');
	expect(startsOver).toBe('otherQuery');
	expect(state).toEqual({ ...STORED, order: 0, times: undefined, recheckAfter: undefined });
});
