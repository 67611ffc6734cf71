import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { PROJECT } from '../../tools/n8n/install';

/** Prints its port and, like n8n, takes a while to shut down. */
const SERVER = `
	const server = require('node:http').createServer((request, response) => response.end());
	server.listen(0, '127.0.0.1', () => console.log(server.address().port));
	process.on('SIGINT', () => {});
	process.on('SIGTERM', () => setTimeout(() => process.exit(), 500));
`;

/** Starts the server, and exits at once when interrupted. */
const COMMAND = `
	require('node:child_process').spawn(process.execPath, ['-e', process.argv[1]], { stdio: 'inherit' });
	setInterval(() => {}, 1000);
`;

test('an interrupted command exits only after all processes that it started', async () => {
	const args = [join(PROJECT, 'tools/run.mjs'), 'node', '-e', COMMAND, SERVER];
	const command = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
	const [port] = (await once(createInterface(command.stdout), 'line')) as [string];
	const url = `http://127.0.0.1:${port}`;
	expect((await fetch(url)).ok).toBe(true);

	const exit = once(command, 'exit');
	command.kill('SIGINT');
	expect(await exit).toEqual([1, null]);
	await expect(fetch(url)).rejects.toThrow('fetch failed');
});
