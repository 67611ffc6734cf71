/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- it runs Jest on this machine */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { LOCAL, PROJECT } from '../../demo/n8n/install';

/** How a run of Jest ended. */
export interface JestRun {
	passed: number;
	/** Not run: this version of n8n lacks what they are about. */
	leftOut: number;
	failed: number;
	/** What Jest says of each failure. */
	messages: string[];
}

/** As much as is read here of what Jest writes with `--json`. */
interface Report {
	numPassedTests: number;
	numPendingTests: number;
	numFailedTests: number;
	success: boolean;
	testResults: Array<{ message: string }>;
}

/**
 * Runs tests in a Jest of their own.
 *
 * @param name of its files in `.local/versions`: the log and the report
 * @throws where Jest came to no result
 */
export async function runJest(
	name: string,
	args: string[],
	env: Record<string, string>,
): Promise<JestRun> {
	const folder = join(LOCAL, 'versions');
	await mkdir(folder, { recursive: true });
	const reportFile = join(folder, `${name}.json`);
	const logFile = join(folder, `${name}.log`);
	await rm(reportFile, { force: true });
	const log = await open(logFile, 'w');
	const jest = spawn(
		process.execPath,
		[require.resolve('jest/bin/jest'), ...args, '--json', `--outputFile=${reportFile}`],
		{ cwd: PROJECT, env: { ...process.env, ...env }, stdio: ['ignore', log.fd, log.fd] },
	);
	await once(jest, 'close');
	await log.close();
	const report = await readFile(reportFile, 'utf8').catch(() => {
		throw new Error(`Jest came to no result. What it printed is in ${logFile}.`);
	});
	const result = JSON.parse(report) as Report;
	const messages = result.testResults.map(({ message }) => message).filter(Boolean);
	// A file that cannot be loaded has no test that failed.
	const failed = result.success ? 0 : Math.max(1, result.numFailedTests);
	return { passed: result.numPassedTests, leftOut: result.numPendingTests, failed, messages };
}
