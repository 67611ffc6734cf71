import { mutatedAmong, refusal } from './files';

const everyFileExists = () => true;

test('files of nodes and credentials are taken', () => {
	const named = [
		'nodes/MessagingAccount/tasks.ts',
		'credentials/MessagingAccountApi.credentials.ts',
	];
	expect(refusal(named, everyFileExists)).toBeUndefined();
});

test('a file that is not there is refused by its name', () => {
	const exists = (file: string) => file !== 'nodes/none.ts';
	expect(refusal(['nodes/some.ts', 'nodes/none.ts'], exists)).toBe('There is no nodes/none.ts.');
});

test.each(['test/nodes/a.ts', 'nodes/picture.svg', '../nodes/a.ts', 'nodes', 'demo/nodes/a.ts'])(
	'%s is refused by its name',
	(file) => {
		expect(refusal(['nodes/a.ts', file], everyFileExists)).toMatch(
			new RegExp(`not of ${file}\\.$`),
		);
	},
);

test('of what has changed, only files of nodes and credentials count', () => {
	const changed = [
		'README.md',
		'nodes/a/b.ts',
		'nodes/a/b.svg',
		'test/nodes/a/b.ts',
		'credentials/c.ts',
	];
	expect(mutatedAmong(changed)).toEqual(['nodes/a/b.ts', 'credentials/c.ts']);
});
