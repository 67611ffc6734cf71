import { httpError } from '../../nodes/MessagingAccount/errors/httpError';
import {
	describePaging,
	probePages,
	sharesNothing,
	type Page,
	type Paging,
} from '../../tools/checkService/pageProbe';
import { ACCOUNT } from '../support/account';

const FAILS = httpError({ status: 500, headers: {}, body: '' }, ACCOUNT);
const NONE: Page = [];
const A = ['a', 'b', 'c'];
const B = ['d', 'e', 'f'];
const C = ['g'];
const MOVED_ON = [
	['new', 'a', 'b'],
	['c', 'd', 'e'],
];
const HALVES = ['x', 'y', 'z'].map((one) => ['a', 'b', one]);

const ignored: Paging = { kind: 'ignored' };
const refused: Paging = { kind: 'refused' };
const otherList: Paging = { kind: 'otherList' };
const from = (start: number, hasMore = true) =>
	({ kind: 'pages', start, size: 3, hasMore }) as const;
const notKnown = (page: number): Paging => ({ kind: 'notKnown', page, error: FAILS });

test.each<[string, Page[], Paging]>([
	['counts from 0', [A, B], from(0)],
	['counts from 0, with a single page', [A, NONE], from(0, false)],
	['counts from 1, with 0 for 1', [A, A, B], from(1)],
	['counts from 1, with 0 for 1 and a single page', [A, A, NONE], from(1, false)],
	['counts from 1, with nothing at 0', [NONE, A, B], from(1)],
	['counts from 1, and fails at 0', [FAILS, A, B], from(1)],
	['gives the same list for each number', [A, A, A], ignored],
	['gives the same list for each number but 0', [NONE, A, A], ignored],
	['lists a message twice on each page', [[...A, ...A], B], from(0)],
	['has a new message since the first request', MOVED_ON, from(0)],
	['lists a random half of its messages', HALVES, ignored],
	['has no page for any number', [NONE, NONE], refused],
	['begins with other messages', [B, C], otherList],
	['begins with other messages at 1', [NONE, B], otherList],
	['fails at each number', [FAILS, FAILS], notKnown(0)],
	['fails at 1', [A, FAILS], notKnown(1)],
	['fails at 1, and has nothing at 0', [NONE, FAILS], notKnown(1)],
	['fails at 2', [A, A, FAILS], notKnown(2)],
])('a service that %s', async (_what, pages, expected) => {
	const asked: number[] = [];
	const paging = await probePages(A, async (page) => {
		asked.push(page);
		return pages[page];
	});
	expect(paging).toEqual(expected);
	expect(asked).toEqual([...pages.keys()]);
});

test('a list that is longer than a page', async () => {
	const pages = [A, B, C];
	expect(await probePages(pages.flat(), async (page) => pages[page])).toEqual(from(0));
});

test.each<[string, Page, boolean]>([
	['another list', B, true],
	['one of its messages', ['c', 'd'], false],
	['an empty list', [], false],
	['a failed request', FAILS, false],
])('%s shares nothing: %#', (_what, again, expected) => {
	expect(sharesNothing(A, again)).toBe(expected);
});

const OTHER_NAME =
	'If your service documents another name, add --page-parameter NAME to this command.';

/** With the value of 'Page Start' to set, if pages work. */
test.each<[Paging, sentence: string, start?: number]>([
	[from(1), "'page' counts pages from 1: the first one has 3, and there are more.", 1],
	[from(0, false), "'page' counts pages from 0: the first one has 3, and no more pages so far.", 0],
	[ignored, OTHER_NAME],
	[refused, OTHER_NAME],
	[otherList, "Leave 'Page Parameter' empty"],
	[notKnown(2), 'page 2 cannot be read. The service reported a fault of its own (HTTP 500).'],
])('$kind is described', (...[paging, sentence, start]) => {
	const { sentences, settings } = describePaging(paging, 'page');
	expect(sentences.join(' ')).toContain(sentence);
	const expected = ["'Page Parameter' to 'page'", `'Page Start' to ${start}`];
	expect(settings).toEqual(start === undefined ? undefined : expected);
});
