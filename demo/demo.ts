import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { INodeExecutionData } from 'n8n-workflow';

import { BASICS, MANUAL_TRIGGER } from '../tools/n8n/exampleWorkflows';
import { installPackage, LOCAL, packProject, PROJECT } from '../tools/n8n/install';
import { prepareHome } from '../tools/n8n/n8nProcess';
import { outputsOf, type Execution } from '../tools/n8n/rest';
import { readQrCode } from '../tools/qrReader';
import { COMMON_FLAGS, readFlags } from '../tools/stack/flags';
import { runStack, type Stack } from '../tools/stack/stack';

const flags = readFlags('demo', {
	once: 'execute the example “Basics”, print the results and exit',
	...COMMON_FLAGS,
});

let tarball: string;

void runStack({
	name: 'demo',
	installSteps: [
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
	// Otherwise, it is for the person to do.
	whenReady: flags.once ? runBasics : undefined,
	once: flags.once,
	fresh: flags.fresh,
	open: !flags['no-open'],
});

/** Executes the example workflow "Basics" in n8n before and after the scan, and prints the output of its nodes. */
async function runBasics({ rest, service }: Stack): Promise<void> {
	const workflow = await rest.workflow(BASICS);

	heading('Get Status, before the scan');
	const before = await rest.run(workflow, MANUAL_TRIGGER);
	const [item] = itemsOf(before, 'Get Status');
	show([item]);
	const file = join(LOCAL, 'demo', 'qr-code.png');
	const qr = Buffer.from(item.json.qr!.toString().split(',')[1], 'base64');
	await writeFile(file, qr);
	console.log(`Saved the QR code to ${relative(PROJECT, file)}`);

	heading('Scan');
	const scanned = await fetch(`${service.url}/phone/scan`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ code: readQrCode(qr) }),
	});
	if (!scanned.ok) throw new Error(`The phone rejected the QR code: ${await scanned.text()}`);
	console.log('Decoded the QR code from the image and scanned it with the phone.');

	const after = await rest.run(workflow, MANUAL_TRIGGER);
	for (const [node, title] of [
		['Get Status', 'Get Status, after the scan'],
		['Send Image', 'Send Image, one item per recipient'],
		['Get Messages', 'Get Messages'],
	]) {
		heading(title);
		show(itemsOf(after, node));
	}
}

/** @throws Error if the execution failed or the node returned no items */
function itemsOf(execution: Execution, node: string): INodeExecutionData[] {
	const items = outputsOf(execution, node)[0] ?? [];
	if (execution.status === 'success' && items.length > 0) return items;
	const { error } = execution.data.resultData;
	throw new Error(`'${node}' returned no items. ${[error?.message, error?.description].join(' ')}`);
}

function heading(text: string): void {
	console.log(`\n── ${text} ${'─'.repeat(Math.max(0, 70 - text.length))}`);
}

/** Prints items as n8n returned them, but truncates long strings such as the QR code. */
function show(items: INodeExecutionData[]): void {
	const truncate = (_key: string, value: unknown): unknown =>
		typeof value === 'string' && value.length > 80 ? `${value.slice(0, 77)}…` : value;
	for (const { json, binary } of items) {
		console.log(JSON.stringify(binary ? { json, binary } : { json }, truncate, 2));
	}
}
