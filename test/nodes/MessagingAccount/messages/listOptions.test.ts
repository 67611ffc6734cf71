import { readListing, readRows } from '../../../../nodes/MessagingAccount/messages/listOptions';
import { requestOfPage } from '../../../../nodes/MessagingAccount/messages/pages';

const listingOf = (options: Record<string, unknown>) =>
	readListing((name, fallback) => options[name] ?? fallback);

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
	expect(requestOfPage(listing, 0).path).toBe(`/v1/messages${expected}`);
});

test.each([{ a: 1 }, [1]])('a row with %j as its value is refused', (value) => {
	expect(() => readRows([{ name: 'a', value }])).toThrow('Row 1');
});

test('a row that is null is refused by its place', () => {
	expect(() => readRows([null])).toThrow('Row 1');
});

test('a row without a name is refused by its place', () => {
	const rows = [
		{ name: 'a', value: '1' },
		{ name: '', value: '2' },
	];
	expect(() => readRows(rows)).toThrow("Row 2 of 'Query Parameters' has no name");
});

test('pages are numbered from First Page on, behind the other parameters', () => {
	const listing = listingOf({
		pageParameter: ' page ',
		firstPage: '1',
		'queryParameters.parameters': [{ name: 'chat', value: '5' }],
	});
	expect(listing.paging).toEqual({ parameter: 'page', firstPage: 1, maxPages: 10 });
	expect([0, 1].map((index) => requestOfPage(listing, index).path)).toEqual([
		'/v1/messages?chat=5&page=1',
		'/v1/messages?chat=5&page=2',
	]);
});

test('First Page and Max Pages are not looked at without Page Parameter', () => {
	expect(listingOf({ firstPage: 'x', maxPages: 'x' })).toEqual({ query: [] });
});

test.each([
	['Page Parameter', { pageParameter: ['page'] }],
	['First Page', { pageParameter: 'page', firstPage: -1 }],
	['First Page', { pageParameter: 'page', firstPage: 0.5 }],
	['First Page', { pageParameter: 'page', firstPage: 'one' }],
	['Max Pages', { pageParameter: 'page', maxPages: 0 }],
	['Max Pages', { pageParameter: 'page', maxPages: 101 }],
	[
		'Query Parameters',
		{ pageParameter: 'page', 'queryParameters.parameters': [{ name: 'page', value: '0' }] },
	],
])("'%s' of %j is refused by its name", (name, options) => {
	expect(() => listingOf(options)).toThrow(`'${name}'`);
});
