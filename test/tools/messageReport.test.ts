import { describeMessages } from '../../tools/checkService/messageReport';
import { ACCOUNT } from '../support/account';

const list = <T>(length: number, one: (i: number) => T) => Array.from({ length }, (_, i) => one(i));
const minute = (i: number) => new Date(Date.UTC(2026, 10, 1, 0, i)).toISOString();

const TEN = list(10, (id) => ({ id }));
const OLDEST_FIRST = list(5, (i) => ({ id: `m${i}`, sent_at: minute(i) }));
const ANY_ORDER = [3, 1, 4, 2].map((i) => OLDEST_FIRST[i]);
const MOST_TIMES = [...OLDEST_FIRST, { id: 'last' }];
const ONE_WITHOUT_ID = [{ id: 'a' }, { id: 'b' }, { text: 'c' }];
const NO_ORDER = [{ id: 'b' }, { id: 'a' }];
const AN_ID_IN_ONE_FIELD = list(3, (i) => ({ message: { id: `m${i}` } }));
const AN_ID_PER_CHAT = list(4, (i) => ({ id: i % 2, chat: i < 2 ? 'a' : 'b', text: `${i}` }));
const PERHAPS_AN_ID = list(3, (i) => ({
	reference: `w${i}`,
	one: { nr: i },
	text: `some text ${i}`,
	same: 'x',
	...(i > 0 && { missing: i }),
	sent_at: minute(i),
	read_count: i,
	'a,b': i,
	'4915112345': i,
}));
const NAMES_THAT_MAY_BE_DATA = {
	id: 1,
	'4915112345': 'x',
	seen: { '+4915112345': 1, chat4915112345: 1 },
	'Ada Lovelace': 1,
	[ACCOUNT.token]: 1,
};
const MANY_KINDS = [
	{ id: 1, from: { id: 5, tags: ['x'] }, list: [1], nothing: null },
	{ id: 2, from_me: false },
];

const PLAIN_VALUES = "Plain values among them: an item holds such a message in its field 'value'.";
const SHORT = 'Check again when there are more: what follows is surer then.';
const FOUND = "New Message finds this without 'Message ID Field'.";
const FOUND_TOGETHER = `In 'chat' and 'id' together. ${FOUND} 'id' alone may not be unique: …`;
const PERHAPS_ONE =
	"No usual field has one…If one of these is the ID, enter it in 'Message ID Field': reference, one.nr.";
const NONE_FOUND = "…If some field has the ID all the same, enter it in 'Message ID Field'.";
const TAKES_LAST = "'Limit' of Get Messages takes the last ones of the list.";

/** Each sentence is a whole one, but `…` stands for any text. */
test.each<[about: string, of: string, messages: unknown[], text: string, mark?: '!' | '']>([
	['Messages', 'a bare list', TEN, '10 messages, in a bare list.'],
	['Messages', 'a short list', TEN.slice(1), `9 messages, in a bare list. ${SHORT}`, '!'],
	['Messages', 'one message', [{ id: 1 }], `1 message, in a bare list. ${SHORT}`, '!'],
	['Messages', 'texts', ['a', 'b'], `…${PLAIN_VALUES}`, '!'],
	['Messages', 'null', [{ id: 1 }, null], `…${PLAIN_VALUES}`, '!'],
	['Message ID', 'one field', AN_ID_IN_ONE_FIELD, `In 'message.id'. ${FOUND}`],
	['Message ID', 'two fields', AN_ID_PER_CHAT, FOUND_TOGETHER],
	['Message ID', 'some messages', ONE_WITHOUT_ID, '…Without an ID: 1 message. …', '!'],
	['Message ID', 'fields with another value in each message', PERHAPS_AN_ID, PERHAPS_ONE, '!'],
	['Message ID', 'no field', [{ text: 'a b' }, { text: 'c d' }], NONE_FOUND, '!'],
	['Order', 'times', OLDEST_FIRST, "The oldest first, as the times in 'sent_at' tell."],
	['Order', 'times', OLDEST_FIRST.toReversed(), 'The newest first…'],
	['Order', 'numeric IDs', TEN, "The oldest first, as the numbers in 'id' tell."],
	['Order', 'times in any order', ANY_ORDER, "Not clear from the times in 'sent_at'. …", '!'],
	['Order', 'texts as IDs', NO_ORDER, 'Not known…', '!'],
	['Time', 'all', OLDEST_FIRST, "In 'sent_at': 'Limit' of Get Messages takes the newest ones."],
	['Time', 'most', MOST_TIMES, `In 'sent_at', but not in every message: ${TAKES_LAST}`, '!'],
	['Time', 'none', TEN, `No field has it: ${TAKES_LAST}`, '!'],
	['Fields', 'many kinds', MANY_KINDS, "For 'Only Messages Where': id, from.id, from_me."],
	['Fields', 'names that may be data', [NAMES_THAT_MAY_BE_DATA], "For 'Only Messages Where': id."],
	['Fields', 'plain values', ['a'], "None that 'Only Messages Where' could compare."],
])('%s, of %s', (about, _of, messages, text, mark = '') => {
	const findings = describeMessages(messages, undefined, ACCOUNT);
	const { sentences, isNotable = false } = findings.find(({ topic }) => topic === about)!;
	const pattern = text.replace(/[^\w\s…]/g, '\\$&').replaceAll('…', '.*');
	expect(sentences.join(' ')).toMatch(new RegExp(`^${pattern}$`));
	expect(isNotable).toBe(mark === '!');
});
