/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-hardcoded-secrets, no-console -- not part of the published node: it installs and runs n8n on this machine and talks to the person at the terminal; its token opens nothing but the embedded service */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

import { Listr } from 'listr2';
import type { INodeExecutionData } from 'n8n-workflow';
import { getPortPromise } from 'portfinder';

import { framedBy, startDesk, type Desk } from './desk';
import { releaseLock, takeLock } from './lock.js';
import {
	BASICS,
	EXAMPLES_PORT,
	importExamples,
	MANUAL_TRIGGER,
	readExamples,
} from './n8n/examples';
import { installN8n, installPackage, LOCAL, packProject, PROJECT } from './n8n/install';
import { prepareHome, startN8n, type N8nHome, type RunningN8n } from './n8n/process';
import { N8nRest, outputsOf, OWNER, type Execution } from './n8n/rest';
import { readQrCode } from './qrReader';
import { startService, type EmbeddedService } from './service/service';

const DESK_PORT = 3041;
const N8N_PORT = 5678;
const CREDENTIALS = { clientId: 'demo-client', token: 'demo-token-0123456789' };

interface Demo {
	service: EmbeddedService;
	n8n: RunningN8n;
	rest: N8nRest;
	desk: Desk;
}

const { values: flags } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
const running: Partial<Demo> = {};
// The listeners stay: a Ctrl-C can come more than once, from the terminal and by way of npm, and must not end the
// tidying up.
const interrupted = new Promise<'interrupted'>((resolve) => {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		process.on(signal, () => resolve('interrupted'));
	}
});

void main();

async function main(): Promise<void> {
	const lock = join(LOCAL, 'demo.lock');
	if (!takeLock(lock)) {
		console.error('The demo is running already, in another terminal. Stop it there with Ctrl-C.');
		process.exit(1);
	}
	let exitCode = 0;
	try {
		const ended = await Promise.race([interrupted, mainJob()]);
		if (flags.once) {
			if (ended === 'interrupted') throw new Error('It was interrupted.');
		} else if (ended !== 'interrupted') {
			sayWhereItIs(running as Demo);
			await interrupted;
		}
	} catch (error) {
		console.error(`\nThe demo did not get to its end. ${(error as Error).message}`);
		exitCode = 1;
	} finally {
		await running.desk?.close();
		await running.n8n?.stop();
		await running.service?.close();
		releaseLock(lock);
	}
	process.exit(exitCode);
}

async function mainJob(): Promise<void> {
	await new Listr<{ home: N8nHome; tarball: string }>([
		{
			title: 'Install n8n (a few minutes the first time)',
			task: async (context) => {
				const bin = await installN8n();
				context.home = { bin, userFolder: join(LOCAL, 'demo') };
			},
		},
		{
			title: 'Build and pack the package',
			task: async (context) => {
				context.tarball = await packProject();
			},
		},
		{
			title: 'Install the packed package into n8n',
			task: async ({ home, tarball }) => {
				await prepareHome(home, await installPackage(tarball));
			},
		},
		{
			title: 'Start the embedded service',
			task: async () => {
				const port = await getPortPromise({ port: EXAMPLES_PORT, host: '127.0.0.1' });
				running.service = await startService(CREDENTIALS, port);
			},
		},
		{
			title: 'Import the credential and the example workflows',
			task: async ({ home }) => await importOnce(home, running.service!.url),
		},
		{
			title: 'Start n8n',
			task: async ({ home }) => {
				const port = await getPortPromise({ port: DESK_PORT, host: '127.0.0.1' });
				running.n8n = await startN8n(home, N8N_PORT, { env: framedBy(port) });
				running.rest = new N8nRest(running.n8n.url);
				await running.rest.logIn();
				const n8n = `${running.n8n.url}/workflow/${BASICS}`;
				const sides = { n8n, phone: running.service!.url };
				running.desk = await startDesk(port, sides, running.rest.cookie);
			},
		},
	]).run();

	await statusToMessages(running as Demo);
}

/** The main job: all of it is done by the workflow "Basics", executed twice by n8n. */
async function statusToMessages({ rest, service }: Demo): Promise<void> {
	const workflow = await rest.workflow(BASICS);

	heading('Get Status, before the QR code is scanned');
	const before = await rest.run(workflow, MANUAL_TRIGGER);
	const [item] = itemsOf(before, 'Get Status');
	show([item]);
	const picture = join(LOCAL, 'demo', 'qr-code.png');
	const qr = Buffer.from(item.json.qr!.toString().split(',')[1], 'base64');
	await writeFile(picture, qr);
	console.log(`The picture of the QR code: ${relative(PROJECT, picture)}`);

	heading('Scan');
	const scanned = await fetch(`${service.url}/phone/scan`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ code: readQrCode(qr) }),
	});
	if (!scanned.ok) throw new Error(`The scan was refused: ${await scanned.text()}`);
	console.log('The QR code was read from the picture and scanned by the phone.');

	const after = await rest.run(workflow, MANUAL_TRIGGER);
	for (const [node, title] of [
		['Get Status', 'Get Status, after the scan'],
		['Send Image', 'Send Image, one for each recipient'],
		['Get Messages', 'Get Messages'],
	]) {
		heading(title);
		show(itemsOf(after, node));
	}
}

/** The items of a node that must have given some. */
function itemsOf(execution: Execution, node: string): INodeExecutionData[] {
	const items = outputsOf(execution, node)[0] ?? [];
	if (execution.status === 'success' && items.length > 0) return items;
	const { error } = execution.data.resultData;
	throw new Error(`'${node}' gave no items. ${[error?.message, error?.description].join(' ')}`);
}

/** Imports the examples and the credential, unless the same was imported before. */
async function importOnce(home: N8nHome, serviceUrl: string): Promise<void> {
	const credential = { baseUrl: serviceUrl, ...CREDENTIALS };
	const all = JSON.stringify([credential, await readExamples(serviceUrl)]);
	const digest = createHash('sha256').update(all).digest('hex');
	const done = join(home.userFolder, 'imported');
	if (existsSync(done) && (await readFile(done, 'utf8')) === digest) return;
	await importExamples(home, credential);
	await writeFile(done, digest);
}

function heading(text: string): void {
	console.log(`\n── ${text} ${'─'.repeat(Math.max(0, 70 - text.length))}`);
}

/** Prints items as n8n produced them; a long text, such as a QR code, is cut. */
function show(items: INodeExecutionData[]): void {
	const cut = (_key: string, value: unknown): unknown =>
		typeof value === 'string' && value.length > 80 ? `${value.slice(0, 77)}…` : value;
	for (const { json, binary } of items) {
		console.log(JSON.stringify(binary ? { json, binary } : { json }, cut, 2));
	}
}

function sayWhereItIs({ desk, n8n, service }: Demo): void {
	console.log(`
Open this in your browser:   ${desk.url}
n8n is on the left, and the phone of the account on the right: scan, log out, and write to the account there.

Each by itself:
  n8n                        ${n8n.url}/workflow/${BASICS}
                             log in as ${OWNER.email} with password ${OWNER.password}
  the phone                  ${service.url}
  the service's description  ${service.url}/openapi.json
  an image to send           ${service.url}/pictures/sample.png

For a credential of your own, the service takes
  Base URL                   ${service.url}
  Client ID                  ${CREDENTIALS.clientId}
  Token                      ${CREDENTIALS.token}

Ctrl-C stops all of it.`);
}
