import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { PROJECT } from '../../tools/n8n/install';

let running: ChildProcess;

// Stops a demo that has started nevertheless.
afterEach(async () => {
	if (running.exitCode !== null) return;
	running.kill('SIGINT');
	await once(running, 'exit');
});

async function run(script: string, ...args: string[]) {
	const command = ['--import', 'tsx', `demo/${script}.ts`, ...args];
	const child = spawn(process.execPath, command, { cwd: PROJECT });
	running = child;
	const [stdout, stderr, [status]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, 'exit') as Promise<[number]>,
	]);
	return { status, stdout, stderr };
}

test.each([
	['demo', ['--once', '--fresh', '--no-open', '--help']],
	['dev', ['--fresh', '--no-open', '--help']],
])('npm run %s -- --help lists its flags, and starts nothing', async (script, flags) => {
	const { status, stdout, stderr } = await run(script, '--help');
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	expect(stdout).toContain(`Usage: npm run ${script} -- `);
	expect(stdout.match(/--[a-z-]+/g)).toEqual(flags);
});

test('an unknown flag is named in a sentence, and starts nothing', async () => {
	expect(await run('demo', '--frsh')).toEqual({
		status: 1,
		stdout: '',
		stderr: `'npm run demo' has no flag '--frsh'. 'npm run demo -- --help' lists its flags.\n`,
	});
});
