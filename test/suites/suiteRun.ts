/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- it runs tests on this machine */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { LOCAL, PROJECT } from '../../tools/n8n/install';
import type { Suite } from './list';

/** Of what a command printed, so much is shown where it tells no more of its failures. */
const LAST_LINES = 60;

/** How a suite ended. The counts are those of Jest; other commands have none. */
export interface SuiteRun {
	isGreen: boolean;
	seconds: number;
	passed?: number;
	/** Not run, e.g. because this version of n8n lacks what they are about. */
	leftOut?: number;
	failed?: number;
	/** What there is to read where it is not green. */
	findings: string;
	logFile: string;
}

/** As much as is read here of what Jest writes with `--json`. */
interface Report {
	numPassedTests: number;
	numPendingTests: number;
	numFailedTests: number;
	testResults: Array<{ message: string }>;
}

/**
 * Runs a suite to its end.
 *
 * @param onOutput gets each line that it prints
 */
export async function runSuite(suite: Suite, onOutput: (line: string) => void): Promise<SuiteRun> {
	const begin = Date.now();
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
		isGreen: exitCode === 0,
		seconds: Math.round((Date.now() - begin) / 1000),
		logFile,
		...(await readReport(reportFile, logFile)),
	};
}

/** What Jest has written; where there is none, what the command has printed. */
async function readReport(
	reportFile: string,
	logFile: string,
): Promise<Pick<SuiteRun, 'passed' | 'leftOut' | 'failed' | 'findings'>> {
	const text = await readFile(reportFile, 'utf8').catch(() => undefined);
	if (text === undefined) {
		const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
		return { findings: lines.slice(-LAST_LINES).join('\n') };
	}
	const report = JSON.parse(text) as Report;
	return {
		passed: report.numPassedTests,
		leftOut: report.numPendingTests,
		failed: report.numFailedTests,
		findings: report.testResults.map(({ message }) => message).join('\n'),
	};
}
