import {
	renewKeys,
	readPollState,
} from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';
import { keyMessages } from '../../../../../nodes/MessagingAccount/messages/messageKey';

const STORED = {
	account: 'a',
	known: ['key'],
	idField: 'uuid',
	idEvidence: 4,
	told: ['shared'],
	order: -2,
	asked: 'b',
	conditions: [{ field: 'a', operation: 'equals', length: 1, hash: 'h' }],
	times: { field: 'date', oldest: 5, newest: 9 },
	recheckAfter: 'key',
	polledAt: '2026-11-21T08:00:00.000Z',
};

const read = (stored: unknown, account = 'a', asked = 'b') => readPollState(stored, account, asked);

test('reads the state of the previous poll unchanged', () =>
	expect(read(STORED)).toEqual({ state: STORED, held: [] }));

test.each([
	{},
	null,
	'text',
	{ ...STORED, known: 'all' },
	{ ...STORED, known: [1] },
	{ ...STORED, idField: undefined },
	{ ...STORED, order: '1' },
	{ ...STORED, times: null },
	{ ...STORED, told: 'all' },
	{ ...STORED, conditions: [null] },
	{ ...STORED, conditions: {} },
	{ ...STORED, times: { field: 'date' } },
])('starts over with what is no state: %j', (stored) => {
	expect(read(stored)).toEqual({ startsOver: 'unreadable', held: [] });
});

test('knows nothing of another account', () =>
	expect(read(STORED, 'c')).toEqual({ startsOver: 'otherAccount', held: [] }));

test('gives a copy, so that n8n does not wrap it again', () => {
	const { known, times } = read(STORED).state!;
	expect(known).not.toBe(STORED.known);
	expect(times).not.toBe(STORED.times);
});

test('keeps what is known after another query, but not what belongs to the list', () => {
	const { state, startsOver } = read(STORED, 'a', 'c');
	expect(startsOver).toBe('otherQuery');
	expect(state).toEqual({ ...STORED, order: 0, times: undefined, recheckAfter: undefined });
});

test.each([
	['as before', 'a', 'b'],
	['after another query', 'a', 'c'],
	['of another account', 'c', 'b'],
])('keeps the messages that are held, %s', (_what, account, asked) => {
	const held = [{ message: { id: 1 }, foundAt: STORED.polledAt }];
	expect(read({ ...STORED, held }, account, asked).held).toEqual(held);
	expect(read({ held }, account, asked)).toEqual({ startsOver: 'unreadable', held });
});

test.each([['text'], [[null]], [[5]], [[{ foundAt: 'x' }]], [[{ message: {} }]]])(
	'what is held must be a list of messages: %j',
	(held) => expect(read({ ...STORED, held }).held).toEqual([]),
);

test('another ID field gives each known message one key, also in the mark', async () => {
	const messages = [
		{ id: 'a', uuid: '1' },
		{ id: 'b', uuid: '2' },
	];
	const listed = await keyMessages(messages, 'uuid', 'id');
	const [before, after] = [await keyMessages(messages, 'id'), listed].map((keyed) =>
		keyed.map(({ key }) => key),
	);
	const state = { ...read(STORED).state!, idField: 'id', recheckAfter: before[1] };
	const changed = renewKeys({ ...state, known: [...before, after[0]] }, [listed], 'uuid');
	expect(changed).toMatchObject({ known: after, recheckAfter: after[1] });
	expect(renewKeys({ ...state, recheckAfter: '' }, [listed], 'uuid').recheckAfter).toBe('');
});

test('of messages that share an old key, the oldest one is known, also in an order that only this list tells', async () => {
	const messages = [2, 1].map((n) => ({ id: 'a', uuid: `${n}`, date: 1_700_000_000 + n }));
	const listed = await keyMessages(messages, 'uuid', 'id');
	const known = (await keyMessages(messages.slice(1), 'id')).map(({ key }) => key);
	const state = { ...read(STORED).state!, idField: 'id', order: 0, known };
	expect(renewKeys(state, [listed], 'uuid').known).toEqual([listed[1].key]);
});

test('another ID field raises the oldest time of the same field, although another one tells the order better', async () => {
	const messages = [3, 1, 2].map((n, i) => ({
		uuid: `${n}`,
		date: 1_700_000_000 + n,
		created_at: 1_700_000_009 - i,
	}));
	const state = { ...read(STORED).state!, idField: 'id', recheckAfter: undefined };
	const { times } = renewKeys(state, [await keyMessages(messages, 'uuid', 'id')], 'uuid');
	expect(times).toMatchObject({ field: 'date', oldest: 1_700_000_001_000 });
});
