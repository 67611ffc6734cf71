import { readListQuery } from '../../../../nodes/MessagingAccount/messages/listQuery';
import { createPageRequest } from '../../../../nodes/MessagingAccount/messages/pages';
import { describeInputError } from '../../../support/inputError';

const readOptions = (options: Record<string, unknown>) =>
	readListQuery((name, fallback) => options[name] ?? fallback);

const readRows = (rows: unknown) =>
	readListQuery((name, fallback) => (name.startsWith('query') ? rows : fallback)).query;

/** Rows of Query Parameters, from e.g. `b=2 a=1`. */
const rowsOf = (text: string) =>
	text.split(' ').map((row) => {
		const [name, value] = row.split('=');
		return { name, value };
	});

test.each([
	['no rows', [], ''],
	['nothing', undefined, ''],
	['rows, in their order', rowsOf('b=2 a=1'), '?b=2&a=1'],
	['a number', [{ name: 'a', value: 1 }], '?a=1'],
	['a name twice', rowsOf('a=1 a=2'), '?a=1&a=2'],
	['characters that need escaping', [{ name: 'q', value: 'a&b=c d/é' }], '?q=a%26b%3Dc+d%2F%C3%A9'],
	['no value', [{ name: 'a' }], '?a='],
])('the query string of %s', (_what, rows, expected) => {
	const listQuery = readOptions({ 'queryParameters.parameters': rows });
	expect(createPageRequest(listQuery, 0).path).toBe(`/v1/messages${expected}`);
});

test.each([{ a: 1 }, [1]])('a row with the name or value %j is refused', (value) => {
	const message = /^Row 1 of 'Query Parameters' is not text: .* select the field/;
	expect(describeInputError(() => readRows([{ name: 'a', value }]))).toMatch(message);
	expect(describeInputError(() => readRows([{ name: value, value: 'a' }]))).toMatch(message);
});

test('null counts as not set', () => expect(readListQuery(() => null)).toEqual({ query: [] }));

test('the error for a row without a name, or for a null row, names its position', () => {
	expect(describeInputError(() => readRows(rowsOf('a=1 =2')))).toBe(
		"Row 2 of 'Query Parameters' has no name: Enter a name, or remove the row.",
	);
	expect(() => readRows([null])).toThrow('Row 1');
	expect(() => readRows([{ name: ' ', value: '5' }])).toThrow('Row 1');
});

test('pages are numbered from Page Start, after the other parameters', () => {
	const listQuery = readOptions({
		pageParameter: ' page ',
		firstPage: '1',
		'queryParameters.parameters': rowsOf('chat=5'),
	});
	expect(listQuery.paging).toEqual({ parameter: 'page', firstPage: 1, maxPages: 10 });
	expect([0, 1].map((index) => createPageRequest(listQuery, index).path)).toEqual([
		'/v1/messages?chat=5&page=1',
		'/v1/messages?chat=5&page=2',
	]);
});

test('Page Start and Page Limit are ignored without Page Parameter', () =>
	expect(readOptions({ firstPage: 'x', maxPages: 'x' })).toEqual({ query: [] }));

const TWICE = { pageParameter: 'page', 'queryParameters.parameters': rowsOf('page=0') };

test.each([
	['Page Parameter', { pageParameter: ['page'] }, 'Enter the name of the query parameter'],
	['Page Parameter', { pageParameter: '{{ $json.page }}' }, 'Enter the name'],
	['Page Start', { pageParameter: 'page', firstPage: -1 }, 'Enter the number'],
	['Page Start', { pageParameter: 'page', firstPage: 0.5 }, 'Enter the number'],
	['Page Limit', { pageParameter: 'page', maxPages: 0 }, 'Enter a number'],
	['Page Limit', { pageParameter: 'page', maxPages: 101 }, 'Enter a number'],
	['Query Parameters', TWICE, 'Remove it'],
])("'%s' of %j is refused with its name and with advice", (name, options, advice) => {
	const error = describeInputError(() => readOptions(options));
	expect(error).toContain(`'${name}'`);
	expect(error).toContain(`: ${advice}`);
});
