import type { IDataObject } from 'n8n-workflow';

import { idOf, judge } from './verdict';

const NONE = { twice: 0, lost: 0, notSent: 0, unknown: 0 };
const SENT: IDataObject = { id: idOf('49151') };
const SENT_BEFORE: IDataObject = { id: null, sent: true };
const UNKNOWN: IDataObject = { error: { delivery: 'unknown' } };
const NOT_SENT: IDataObject = { error: { delivery: 'notSent' } };

const judgeOne = (row: IDataObject | undefined, messages: number) =>
	judge({ numbers: ['49151'], rows: row ? [row] : [] }, new Map([['49151', messages]]));

test.each<[what: string, row: IDataObject | undefined, messages: number, expected: object]>([
	['a message and its id', SENT, 1, {}],
	['a message that the crashed execution sent', SENT_BEFORE, 1, {}],
	['a message, said to be unknown', UNKNOWN, 1, { unknown: 1 }],
	['no message, said to be unknown', UNKNOWN, 0, { unknown: 1 }],
	['two messages', SENT, 2, { twice: 1 }],
	['two messages, said to be unknown', UNKNOWN, 2, { twice: 1, unknown: 1 }],
	['no message, said to be sent', SENT, 0, { lost: 1 }],
	['no message, said to be sent before', SENT_BEFORE, 0, { lost: 1 }],
	['no message, said not to be sent', NOT_SENT, 0, { notSent: 1 }],
	['a message, said not to be sent', NOT_SENT, 1, { notSent: 1 }],
	['no row', undefined, 0, { lost: 1 }],
	['a message without a row', undefined, 1, { lost: 1 }],
	['the id of another message', { id: idOf('49152') }, 1, { lost: 1 }],
	['neither an id nor an error', {}, 1, { lost: 1 }],
	['neither an id nor that it was sent', { id: null }, 1, { lost: 1 }],
])('%s', (_what, row, messages, expected) => {
	expect(judgeOne(row, messages)).toEqual({ ...NONE, ...expected });
});

test('each row is compared with its own number', () => {
	const numbers = ['49151', '49152', '49153'];
	const messages = new Map([
		['49151', 1],
		['49153', 1],
	]);
	const rows = [SENT, UNKNOWN, SENT_BEFORE];
	expect(judge({ numbers, rows }, messages)).toEqual({ ...NONE, unknown: 1 });
	expect(judge({ numbers, rows: [SENT, SENT_BEFORE, UNKNOWN] }, messages)).toMatchObject({
		lost: 1,
	});
});
