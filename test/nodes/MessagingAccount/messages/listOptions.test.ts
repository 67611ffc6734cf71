import { readListQuery, readRows } from '../../../../nodes/MessagingAccount/messages/listOptions';
import { createPageRequest } from '../../../../nodes/MessagingAccount/messages/pages';
import { refusalOf } from '../../../support/refusal';

const listingOf = (options: Record<string, unknown>) =>
	readListQuery((name, fallback) => options[name] ?? fallback);

test.each([
	['no rows', [], ''],
	['nothing', undefined, ''],
	[
		'rows, in their order',
		[
			{ name: 'b', value: '2' },
			{ name: 'a', value: 1 },
		],
		'?b=2&a=1',
	],
	[
		'a name twice',
		[
			{ name: 'a', value: '1' },
			{ name: 'a', value: '2' },
		],
		'?a=1&a=2',
	],
	['signs that need escaping', [{ name: 'q', value: 'a&b=c d/é' }], '?q=a%26b%3Dc+d%2F%C3%A9'],
	['no value', [{ name: 'a' }], '?a='],
])('the query string of %s', (_what, rows, expected) => {
	const listing = listingOf({ 'queryParameters.parameters': rows });
	expect(createPageRequest(listing, 0).path).toBe(`/v1/messages${expected}`);
});

test.each([{ a: 1 }, [1]])('a row with %j as its name or its value is refused', (value) => {
	const refusal = /^Row 1 of 'Query Parameters' is not text: .* select the field/;
	expect(refusalOf(() => readRows([{ name: 'a', value }]))).toMatch(refusal);
	expect(refusalOf(() => readRows([{ name: value, value: 'a' }]))).toMatch(refusal);
});

test('a row that is null is refused by its place', () => {
	expect(() => readRows([null])).toThrow('Row 1');
});

test('options that are null are as good as none', () => {
	expect(readListQuery(() => null)).toEqual({ query: [] });
});

test('a row without a name is refused by its place', () => {
	const rows = [
		{ name: 'a', value: '1' },
		{ name: '', value: '2' },
	];
	expect(refusalOf(() => readRows(rows))).toBe(
		"Row 2 of 'Query Parameters' has no name: Enter a name, or remove the row.",
	);
});

test('pages are numbered from First Page on, behind the other parameters', () => {
	const listing = listingOf({
		pageParameter: ' page ',
		firstPage: '1',
		'queryParameters.parameters': [{ name: 'chat', value: '5' }],
	});
	expect(listing.paging).toEqual({ parameter: 'page', firstPage: 1, maxPages: 10 });
	expect([0, 1].map((index) => createPageRequest(listing, index).path)).toEqual([
		'/v1/messages?chat=5&page=1',
		'/v1/messages?chat=5&page=2',
	]);
});

test('First Page and Max Pages are not looked at without Page Parameter', () => {
	expect(listingOf({ firstPage: 'x', maxPages: 'x' })).toEqual({ query: [] });
});

test.each([
	['Page Parameter', { pageParameter: ['page'] }, 'Enter the name'],
	['First Page', { pageParameter: 'page', firstPage: -1 }, 'Enter the number'],
	['First Page', { pageParameter: 'page', firstPage: 0.5 }, 'Enter the number'],
	['First Page', { pageParameter: 'page', firstPage: 'one' }, 'Enter the number'],
	['Max Pages', { pageParameter: 'page', maxPages: 0 }, 'Enter one'],
	['Max Pages', { pageParameter: 'page', maxPages: 101 }, 'Enter one'],
	[
		'Query Parameters',
		{ pageParameter: 'page', 'queryParameters.parameters': [{ name: 'page', value: '0' }] },
		'Remove it',
	],
])("'%s' of %j is refused by its name, with what to do", (name, options, advice) => {
	const refusal = refusalOf(() => listingOf(options));
	expect(refusal).toContain(`'${name}'`);
	expect(refusal).toContain(`: ${advice}`);
});
