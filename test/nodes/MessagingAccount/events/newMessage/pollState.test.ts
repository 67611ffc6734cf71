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
	times: { field: 'date', oldest: 5, newest: 9 },
	reuseTold: true,
	recheckAfter: 'key',
	polledAt: '2026-11-21T08:00:00.000Z',
};

test('reads the state of the previous poll unchanged', () => {
	expect(readPollState(STORED, 'a', 'b')).toEqual({ state: STORED, held: [] });
});

test.each([{}, { known: 'all' }])('starts over with what is no state: %j', (stored) => {
	expect(readPollState(stored, 'a', 'b')).toEqual({ startsOver: 'unreadable', held: [] });
});

test('knows nothing of another account', () => {
	expect(readPollState(STORED, 'c', 'b')).toEqual({ startsOver: 'otherAccount', held: [] });
});

test('gives a copy, so that n8n does not wrap it again', () => {
	const { known, times } = readPollState(STORED, 'a', 'b').state!;
	expect(known).not.toBe(STORED.known);
	expect(times).not.toBe(STORED.times);
});

test('keeps what is known after another query, but not what belongs to the list', () => {
	const { state, startsOver } = readPollState(STORED, 'a', 'c');
	expect(startsOver).toBe('otherQuery');
	expect(state).toEqual({ ...STORED, order: 0, times: undefined, recheckAfter: undefined });
});

test.each([
	['as before', 'a', 'b'],
	['after another query', 'a', 'c'],
	['of another account', 'c', 'b'],
])('keeps the messages that are held, %s', (_what, account, asked) => {
	const held = [{ message: { id: 1 }, foundAt: STORED.polledAt }];
	expect(readPollState({ ...STORED, held }, account, asked).held).toEqual(held);
	expect(readPollState({ held }, account, asked)).toEqual({ startsOver: 'unreadable', held });
});

test('what is held must be a list', () => {
	expect(readPollState({ ...STORED, held: 'text' }, 'a', 'b').held).toEqual([]);
});
