/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- the test runs the demo's command line */
import { spawnSync } from 'node:child_process';

import { PROJECT } from '../../tools/n8n/install';

function run(script: string, ...args: string[]) {
	const command = ['--import', 'tsx', `demo/${script}.ts`, ...args];
	const { status, stdout, stderr } = spawnSync(process.execPath, command, {
		cwd: PROJECT,
		encoding: 'utf8',
	});
	return { status, stdout, stderr };
}

test.each([
	['demo', ['--once', '--fresh', '--no-open', '--help']],
	['dev', ['--fresh', '--no-open', '--help']],
])('npm run %s -- --help lists its flags, and starts nothing', (script, flags) => {
	const { status, stdout, stderr } = run(script, '--help');
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	expect(stdout).toContain(`Usage: npm run ${script} -- `);
	expect(stdout.match(/--[a-z-]+/g)).toEqual(flags);
});

test('an unknown flag is named in a sentence, and starts nothing', () => {
	expect(run('demo', '--frsh')).toEqual({
		status: 1,
		stdout: '',
		stderr: `'npm run demo' has no flag '--frsh'. 'npm run demo -- --help' lists its flags.\n`,
	});
});
