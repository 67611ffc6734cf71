import { parseArgs } from 'node:util';

import { password } from '@inquirer/prompts';
import { Listr } from 'listr2';

import { InvalidInputError } from '../../nodes/MessagingAccount/errors/errorClasses';
import { type Account, toSafeText } from '../../nodes/MessagingAccount/secrets/account';
import {
	readAccount,
	readBaseUrl,
	readHeaderValue,
} from '../../nodes/MessagingAccount/transport/credential';
import { checkService } from './checkService';
import { formatReport, isCompatible, type Finding } from './finding';
import { createRead } from './serviceClient';

const HELP = `Checks whether the nodes work with a messaging service. It only reads: the status, and the list of messages.

  npm run check-service -- https://messaging.example.com [--page-parameter NAME]

The name is that of the query parameter for pages, if your service documents another one than page.
The client ID and the token come from the environment variables MESSAGING_CLIENT_ID and MESSAGING_TOKEN,
or from a prompt. The report contains neither of them, and nothing of a message except the names of its fields.
The exit code is 0 if the nodes work with the service, otherwise 1.`;

void main().catch((error: Error) => {
	process.exitCode = 1;
	if (error instanceof InvalidInputError) console.error(`${error.message}. ${error.description}`);
	// Ctrl-C at a prompt.
	else if (error.name !== 'ExitPromptError') throw error;
});

async function main(): Promise<void> {
	const { help, address, pageParameter } = readArguments();
	if (help) return console.log(HELP);
	const account = readAccount({
		baseUrl: readAddress(address),
		clientId: await readSecret('MESSAGING_CLIENT_ID', 'Client ID'),
		token: await readSecret('MESSAGING_TOKEN', 'Token'),
	});
	const findings = await ask(account, pageParameter);
	console.log(formatReport(findings));
	if (!isCompatible(findings)) process.exitCode = 1;
}

/** @throws InvalidInputError if there is anything else than one address and the flags */
function readArguments(): { help: boolean; address?: string; pageParameter?: string } {
	const { values, positionals } = parseArgs({
		options: {
			help: { type: 'boolean', short: 'h', default: false },
			'page-parameter': { type: 'string' },
		},
		allowPositionals: true,
		strict: false,
	});
	const { help, 'page-parameter': pageParameter, ...unknown } = values;
	const isComplete = pageParameter === undefined || typeof pageParameter === 'string';
	if (Object.keys(unknown).length === 0 && isComplete && (help || positionals.length === 1))
		return { help: help === true, address: positionals[0], pageParameter };
	throw new InvalidInputError(
		'Only the address of the service is needed',
		'Run: npm run check-service -- https://messaging.example.com',
	);
}

/** @throws InvalidInputError if it is not an address, or also contains a secret */
function readAddress(address: string | undefined): string {
	const baseUrl = readBaseUrl(address);
	const { username, password: userPassword } = new URL(baseUrl);
	if (username === '' && userPassword === '') return baseUrl;
	throw new InvalidInputError(
		'The address contains a user name or a password',
		'Remove everything between // and @: other programs can read what a command line contains.',
	);
}

/**
 * Reads a value from the environment or, without the variable, from a prompt.
 *
 * @throws InvalidInputError if there is no terminal to ask in
 */
async function readSecret(variable: string, field: 'Client ID' | 'Token'): Promise<string> {
	const value = process.env[variable];
	if (value !== undefined) return value;
	if (!process.stdin.isTTY || !process.stdout.isTTY) {
		throw new InvalidInputError(
			`There is no terminal to ask for the ${field} in`,
			'Set the environment variables MESSAGING_CLIENT_ID and MESSAGING_TOKEN.',
		);
	}
	return await password({
		message: field,
		mask: true,
		validate: (entered) => describeInvalid(entered, field) ?? true,
	});
}

function describeInvalid(entered: string, field: 'Client ID' | 'Token'): string | undefined {
	try {
		readHeaderValue(entered, field);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

/** Checks the service, and shows in a terminal what it is asked for. */
async function ask(account: Account, pageParameter?: string): Promise<Finding[]> {
	let findings: Finding[] = [];
	const host = toSafeText(new URL(account.baseUrl).host, account);
	const title = `Ask ${host}, without sending anything`;
	const task = async (_context: unknown, line: { output: string }) => {
		const show = (what: string) => (line.output = what);
		findings = await checkService(account, createRead(account), pageParameter, show);
	};
	await new Listr([{ title, task }], { fallbackRenderer: 'silent' }).run();
	return findings;
}
