import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { readPages } from '../../../../nodes/MessagingAccount/messages/pages';
import type { Read } from '../../../../nodes/MessagingAccount/transport/request';
import { ACCOUNT as account } from '../../../support/account';

const PAGING = { query: [], paging: { parameter: 'page', firstPage: 0, maxPages: 10 } };

/** Reads pages until `limit` messages are read. A number stands for a page that fails with this status. */
async function readAll(
	list: Array<string[] | number>,
	{ query = PAGING, limit = Infinity, isDisconnected = false } = {},
) {
	const requested: number[] = [];
	const read: Read = async ({ path }) => {
		const index = Number(new URLSearchParams(path.split('?')[1]).get('page'));
		requested.push(index);
		const page = list[index] ?? [];
		if (typeof page !== 'number') return await Promise.resolve({ body: page, size: 0, account });
		throw new ApiError('Failed', { description: '', result: { status: page }, isDisconnected });
	};
	const firstPage = list[query.paging.firstPage] as string[];
	const isEnough = (soFar: unknown[][]) => soFar.flat().length >= limit;
	const { pages, error } = await readPages(firstPage, query, '', read, isEnough);
	const messages = pages.map((page) => page.map(({ message }) => message));
	return { pages: messages, requested, status: error?.httpCode };
}

test.each<[string, string[][], string[][], number[]]>([
	['an empty page', [['a'], ['b'], [], ['c']], [['a'], ['b']], [1, 2]],
	['an empty first page', [[], ['b']], [[]], []],
	['a page without anything new', [['a'], ['b'], ['a', 'b'], ['c']], [['a'], ['b']], [1, 2]],
	['two pages like the first one', [['a'], ['a'], ['a'], ['b']], [['a']], [1, 2]],
	['one page like the first one', [['a'], ['a'], ['b'], []], [['a'], ['b']], [1, 2, 3]],
	['what moved to the next page', [['b', 'a'], ['a', 'z'], []], [['b', 'a'], ['z']], [1, 2]],
])('with %s, the rest is read once', async (_what, list, pages, requested) => {
	expect(await readAll(list)).toEqual({ pages, requested, status: undefined });
});

test.each([400, 404, 416, 422])('HTTP %d behind the first page ends the list', async (status) => {
	expect(await readAll([['a'], status])).toMatchObject({ pages: [['a']], status: undefined });
});

test.each([401, 410, 429, 500])('HTTP %d ends reading, and is returned', async (status) => {
	expect(await readAll([['a'], ['b'], status, ['c']])).toEqual({
		pages: [['a'], ['b']],
		requested: [1, 2],
		status: String(status),
	});
});

test('HTTP 422 is returned if the account is not connected', async () => {
	expect(await readAll([['a'], 422], { isDisconnected: true })).toMatchObject({ status: '422' });
});

test('reading ends when there are enough messages, or with Page Limit', async () => {
	const list = [['a'], ['b'], ['c'], ['d']];
	expect((await readAll(list, { limit: 2 })).requested).toEqual([1]);
	const query = { ...PAGING, paging: { ...PAGING.paging, maxPages: 3 } };
	expect((await readAll(list, { query })).requested).toEqual([1, 2]);
});

test('a page like the first one ends the list if pages are counted from 1', async () => {
	const query = { ...PAGING, paging: { ...PAGING.paging, firstPage: 1 } };
	expect(await readAll([[], ['a'], ['a'], ['b']], { query })).toMatchObject({ requested: [2] });
});

test('further pages together have a limit, and one that goes beyond it is not read', async () => {
	const MB = 1024 * 1024;
	const limits: number[] = [];
	const read: Read = async ({ path, maxResponseBytes = Infinity }) => {
		limits.push(maxResponseBytes);
		if (maxResponseBytes < 14 * MB)
			throw new ApiError('Too large', { description: '', result: { code: undefined } });
		return await Promise.resolve({ body: [path], size: 14 * MB, account });
	};
	const { pages, error } = await readPages(['a'], PAGING, '', read, () => false);
	expect(limits).toEqual([16 * MB, 16 * MB, 4 * MB]);
	expect(pages).toHaveLength(3);
	expect(error?.message).toBe('Too large');
});
