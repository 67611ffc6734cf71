import { readPollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

const STORED = {
	account: 'a',
	known: ['key'],
	idField: 'uuid',
	idEvidence: 4,
	sharingTold: true,
	order: -2,
	asked: 'b',
	filter: 'f',
	times: { field: 'date', oldest: 5, newest: 9 },
	reuseTold: true,
	recheckAfter: 'key',
	polledAt: '2026-11-21T08:00:00.000Z',
};

const NOW = { account: 'a', asked: 'b', filter: 'f' };

test('reads the state of the previous poll unchanged', () => {
	expect(readPollState(STORED, NOW)).toEqual({ state: STORED, held: [] });
});

test.each([
	{},
	null,
	'text',
	{ ...STORED, known: 'all' },
	{ ...STORED, known: [1] },
	{ ...STORED, idField: undefined },
	{ ...STORED, order: '1' },
	{ ...STORED, times: null },
	{ ...STORED, times: { field: 'date' } },
])('starts over with what is no state: %j', (stored) => {
	expect(readPollState(stored, NOW)).toEqual({ startsOver: 'unreadable', held: [] });
});

test('knows nothing of another account', () => {
	const read = readPollState(STORED, { ...NOW, account: 'c' });
	expect(read).toEqual({ startsOver: 'otherAccount', held: [] });
});

test('accepts a state without the conditions, as earlier versions have stored it', () => {
	const stored = { ...STORED, filter: undefined };
	expect(readPollState(stored, NOW)).toEqual({ state: stored, held: [] });
});

test('gives a copy, so that n8n does not wrap it again', () => {
	const { known, times } = readPollState(STORED, NOW).state!;
	expect(known).not.toBe(STORED.known);
	expect(times).not.toBe(STORED.times);
});

test('keeps what is known after another query, but not what belongs to the list', () => {
	const { state, startsOver } = readPollState(STORED, { ...NOW, asked: 'c' });
	expect(startsOver).toBe('otherQuery');
	expect(state).toEqual({ ...STORED, order: 0, times: undefined, recheckAfter: undefined });
});

test.each([
	['as before', 'a', 'b'],
	['after another query', 'a', 'c'],
	['of another account', 'c', 'b'],
])('keeps the messages that are held, %s', (_what, account, asked) => {
	const held = [{ message: { id: 1 }, foundAt: STORED.polledAt }];
	expect(readPollState({ ...STORED, held }, { ...NOW, account, asked }).held).toEqual(held);
	expect(readPollState({ held }, { ...NOW, account, asked })).toEqual({
		startsOver: 'unreadable',
		held,
	});
});

test.each([['text'], [[null]], [[5]], [[{ foundAt: 'x' }]], [[{ message: {} }]]])(
	'what is held must be a list of messages: %j',
	(held) => {
		expect(readPollState({ ...STORED, held }, NOW).held).toEqual([]);
	},
);

test('begins anew with other conditions, and keeps what is known', () => {
	const other = readPollState(STORED, { ...NOW, filter: 'g' });
	expect(other).toEqual({ state: STORED, startsOver: 'otherFilter', held: [] });
});
