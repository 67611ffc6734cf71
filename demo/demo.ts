/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- not part of the published node: it runs on this machine and talks to the person at the terminal */
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

import type { INodeExecutionData } from 'n8n-workflow';

import { BASICS, MANUAL_TRIGGER } from './n8n/examples';
import { installPackage, LOCAL, packProject, PROJECT } from './n8n/install';
import { prepareHome } from './n8n/process';
import { outputsOf, type Execution } from './n8n/rest';
import { readQrCode } from './qrReader';
import { runTogether, type Running } from './run';

const { values: flags } = parseArgs({ options: { once: { type: 'boolean', default: false } } });

let tarball: string;

void runTogether({
	name: 'demo',
	bring: [
		{
			title: 'Build and pack the package',
			task: async () => {
				tarball = await packProject();
			},
		},
		{
			title: 'Install the packed package into n8n',
			task: async (home) => await prepareHome(home, await installPackage(tarball)),
		},
	],
	whenReady: statusToMessages,
	once: flags.once,
});

/** The main job: all of it is done by the workflow "Basics", executed twice by n8n. */
async function statusToMessages({ rest, service }: Running): Promise<void> {
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
