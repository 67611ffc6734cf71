import { filterMutated, findInvalidFiles } from './files';

const everyFileExists = () => true;

test('files of nodes and credentials are accepted', () => {
	const named = [
		'nodes/MessagingAccount/tasks.ts',
		'credentials/MessagingAccountApi.credentials.ts',
	];
	expect(findInvalidFiles(named, everyFileExists)).toBeUndefined();
});

test('the error for a missing file names it', () => {
	const exists = (file: string) => file !== 'nodes/none.ts';
	expect(findInvalidFiles(['nodes/some.ts', 'nodes/none.ts'], exists)).toBe(
		'There is no nodes/none.ts.',
	);
});

test.each(['test/nodes/a.ts', 'nodes/picture.svg', '../nodes/a.ts', 'nodes', 'demo/nodes/a.ts'])(
	'the error for %s names it',
	(file) => {
		expect(findInvalidFiles(['nodes/a.ts', file], everyFileExists)).toMatch(
			new RegExp(`not of ${file}\\.$`),
		);
	},
);

test('of all changed files, only those of nodes and credentials are mutated', () => {
	const changed = [
		'README.md',
		'nodes/a/b.ts',
		'nodes/a/b.svg',
		'test/nodes/a/b.ts',
		'credentials/c.ts',
	];
	expect(filterMutated(changed)).toEqual(['nodes/a/b.ts', 'credentials/c.ts']);
});
