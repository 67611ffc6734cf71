import { queryString } from '../../../../nodes/MessagingAccount/operations/getMessages.operation';

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
	expect(queryString(rows)).toBe(expected);
});

test.each([{ a: 1 }, [1]])('a row with %j as its value is refused', (value) => {
	expect(() => queryString([{ name: 'a', value }])).toThrow('Row 1');
});

test('a row that is null is refused by its place', () => {
	expect(() => queryString([null])).toThrow('Row 1');
});

test('a row without a name is refused by its place', () => {
	const rows = [
		{ name: 'a', value: '1' },
		{ name: '', value: '2' },
	];
	expect(() => queryString(rows)).toThrow("Row 2 of 'Query Parameters' has no name");
});
