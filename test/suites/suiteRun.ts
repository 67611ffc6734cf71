/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- it starts processes and reads files */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { LOCAL, PROJECT } from '../../tools/n8n/install';
import type { Suite } from './list';

/** How much of the output to show for a failed command without a report. */
const MAX_LINES = 60;

/** The result of a suite. Only Jest reports counts. */
export interface SuiteRun {
	isSuccessful: boolean;
	seconds: number;
	passed?: number;
	/** E.g. tests of a feature that this version of n8n lacks. */
	skipped?: number;
	failed?: number;
	/** Error messages, or the end of the output. */
	errors: string;
	logFile: string;
}

/** The relevant part of Jest's `--json` report. */
interface Report {
	numPassedTests: number;
	numPendingTests: number;
	numFailedTests: number;
	testResults: Array<{ message: string }>;
}

/**
 * Runs a suite.
 *
 * @param onOutput called with each line of its output
 */
export async function runSuite(suite: Suite, onOutput: (line: string) => void): Promise<SuiteRun> {
	const start = Date.now();
	await suite.install?.();
	const folder = join(LOCAL, 'suites');
	await mkdir(folder, { recursive: true });
	const file = join(folder, suite.name.replaceAll(/[^\w.]+/g, '-'));
	const logFile = `${file}.log`;
	const reportFile = `${file}.json`;
	await rm(reportFile, { force: true });

	const [program, ...args] = suite.command;
	const report = program === 'jest' ? ['--json', `--outputFile=${reportFile}`] : [];
	const command = spawn(program, [...args, ...report], {
		cwd: PROJECT,
		env: { ...process.env, ...suite.env },
		stdio: ['ignore', 'pipe', 'pipe'],
		shell: process.platform === 'win32',
	});
	const log = createWriteStream(logFile);
	for (const stream of [command.stdout, command.stderr]) {
		stream.on('data', (chunk: Buffer) => {
			log.write(chunk);
			chunk.toString().split('\n').filter(Boolean).forEach(onOutput);
		});
	}
	const [exitCode] = (await once(command, 'close')) as [number | null];
	await new Promise<void>((resolve) => log.end(resolve));
	return {
		isSuccessful: exitCode === 0,
		seconds: Math.round((Date.now() - start) / 1000),
		logFile,
		...(await readReport(reportFile, logFile)),
	};
}

/** Reads Jest's report or, without one, the output of the command. */
async function readReport(
	reportFile: string,
	logFile: string,
): Promise<Pick<SuiteRun, 'passed' | 'skipped' | 'failed' | 'errors'>> {
	const text = await readFile(reportFile, 'utf8').catch(() => undefined);
	if (text === undefined) {
		const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
		return { errors: lines.slice(-MAX_LINES).join('\n') };
	}
	const report = JSON.parse(text) as Report;
	return {
		passed: report.numPassedTests,
		skipped: report.numPendingTests,
		failed: report.numFailedTests,
		errors: report.testResults.map(({ message }) => message).join('\n'),
	};
}
