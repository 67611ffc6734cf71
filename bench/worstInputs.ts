import type { IExecuteFunctions } from 'n8n-workflow';

import { readPhoneNumber } from '../nodes/MessagingAccount/parameters/phoneNumber';
import { hintAboutImage } from '../nodes/MessagingAccount/images/imageHints';
import { readBaseUrl, readHeaderValue } from '../nodes/MessagingAccount/transport/credential';
import { Poller } from '../test/support/poller';
import { startScriptedServer, type ScriptedServer } from '../test/support/scriptedServer';
import { median } from './figures';
import { createTable } from './tables';

/** n8n does nothing else for longer than this. */
const MAX_STEP_MS = 100;

const MB = 1024 * 1024;
/** Just less than the limit of a list. */
const FULL = 15 * MB;
/** Repeats a text until it has so many characters. */
const fill = (text: string, length = FULL) => text.repeat(length / text.length);
const repeat = (text: string, count: number) => Array<string>(count).fill(text).join(',');
const listOf = (count: number, create: (i: number) => string) =>
	`[${Array.from({ length: count }, (_, i) => create(i)).join(',')}]`;
const fields = (count: number, value: string) =>
	Array.from({ length: count }, (_, i) => `"field${i}":${value}`).join(',');
const indexed = (count: number) => Array.from({ length: count }, (_, i) => `"${i}":255`).join(',');
/** Different names of the same field. */
const wrappers = (create: (i: number) => string, count = 60) =>
	Array.from({ length: count }, (_, i) => `"data${'_'.repeat(i)}":${create(i)}`).join(',');
const time = (i: number) => `"timestamp":${1_700_000_000 + i}`;

/** Bodies of the list of messages, at the limits of what is read and beyond them. */
const BODIES: Record<string, () => string> = {
	'5,000 messages, full of text': () =>
		listOf(5_000, (i) => `{"id":"m${i}",${time(i)},"text":"${'\\"ä& '.repeat(600)}"}`),
	'5,000 messages, 515,000 values': () =>
		listOf(5_000, (i) => `{"id":"m${i}",${time(i)},${fields(100, '1')}}`),
	'5,000 messages without IDs or times': () =>
		listOf(5_000, (i) => `{"text":"text ${i}",${fields(98, '"a"')}}`),
	'5,000 messages that share an ID': () =>
		listOf(5_000, (i) => `{"id":"m","chat":"${i}",${fields(98, `"${i}"`)}}`),
	'100 messages that share an ID, full of text': () =>
		listOf(100, (i) => `{"id":"m","text":"${fill('\\"ab ', FULL / 100)}${i}"}`),
	'100 messages without IDs, full of text': () =>
		listOf(100, (i) => `{"text":"${fill('\\"ab ', FULL / 100)}${i}"}`),
	'100 IDs of 150 kB': () => listOf(100, (i) => `{"id":"${fill('ab', FULL / 100)}${i}"}`),
	'100 messages of 98 dates with comments': () =>
		listOf(100, (i) => `{"id":"m${i}",${fields(98, `"22 Nov 2026 ${fill('(x) ', 1_500)}"`)}}`),
	'a date full of spaces': () => `[{"id":1,"text":"1/1/2020${fill(' ')}x"}]`,
	'1 million numbers in a text': () =>
		`[{"id":12345678901234567890,"text":"${fill('12345678901234 ')}"}]`,
	'500 messages of 1,000 fields': () => listOf(500, (i) => `{"id":"m${i}",${fields(990, '1')}}`),
	'100 messages, each 100 levels deep': () =>
		listOf(100, (i) => `{"id":"m${i}","a":${'['.repeat(97)}${']'.repeat(97)}}`),
	'numbers that are not exact': () =>
		`[{"id":1,"list":[${repeat('12345678901234567890', 240_000)}]}]`,
	'one text': () => `[{"id":1,"text":"${fill('%25')}"}]`,
	'one text, backslashes': () => `[{"id":1,"text":"${fill('\\\\')}"}]`,
	'250,000 entries': () => `[${repeat('{"id":1}', 249_999)}]`,
	'2 messages with 250,000 bytes as fields': () =>
		listOf(2, (i) => `{"id":"m${i}","bytes":{${indexed(249_990)}}}`),
	'250,000 bytes as fields': () => `{"data":{${indexed(250_000)}}}`,
	'2 million fields': () => `[{${fields(2_000_000, '1')}}]`,
	'brackets alone': () => fill('[', FULL / 2) + fill(']', FULL / 2),
	'empty objects alone': () => `[${fill('{},')}{}]`,
	'wrappers in wrappers, each with an ID, 7 MB': () =>
		listOf(100, (i) => `{${wrappers((a) => `{${wrappers((b) => `{"id":"${i} ${a} ${b}"}`)}}`)}}`),
	'wrappers in wrappers without an ID': () =>
		listOf(100, () => `{${wrappers(() => `{${wrappers(() => `{${fields(20, '1')}}`, 10)}}`)}}`),
	'one message of 6 MB without an ID': () => `[{${fields(400_000, '1')}}]`,
	'one message of 6 MB without an ID, nested': () =>
		`[{"a":${listOf(4000, () => `{${fields(90, '1')}}`)}}]`,
	'a name of 3 MB': () => listOf(2, (i) => `{"id":7,"${'chat_id'.repeat(400_000)}":${i}}`),
	'a picture beside the list': () => `{"messages":[],"picture":"${fill('aB')}"}`,
	'a web page': () => `<html><head><title>${fill('<title> ')}</title>`,
};

/** Reports of errors that have the status of a success, and so the size of a list. */
const REPORTS: Record<string, () => string> = {
	'a report, one text': () => report(`"${fill('session é %25 ', 0.9 * FULL)}"`),
	'a report, one text in JSON': () => report(`${JSON.stringify(`{"error":"${fill('x y ')}"}`)}`),
	'a report, one text in XML': () => report(`"${fill('<a>b c</a>')}"`),
	'a report, spaces': () => report(`"${fill(' ')}x"`),
	'a report, 150,000 texts': () =>
		report(listOf(150_000, (i) => `"no session no session ${i} ${'no a '.repeat(11)}"`)),
	'a report, 15 texts of 1 MB': () => report(listOf(15, () => `"${fill('device not ', MB)}"`)),
	'a report, 150,000 objects': () =>
		report(listOf(150_000, (i) => `{"field":"f${i}","message":"${'not found '.repeat(5)}"}`)),
	'a report, 500,000 values': () => report(listOf(500, () => listOf(1000, () => '0'))),
	'a report, nested': () =>
		report(listOf(10_000, () => `${'{"error":['.repeat(45)}"a b"${']}'.repeat(45)}`)),
	'a report, 500,000 fields': () => report(listOf(500, () => `{${fields(990, '"a b"')}}`)),
	'a report, 1,000 fields at its top': () =>
		`{"success":false,${fields(990, `"${fill('a b ', FULL / 1_000)}"`)}}`,
	'a report, 250,000 bytes as fields': () => report(`{${indexed(250_000)}}`),
	'a report, one name': () => report(`{"${fill('message ')}":"a b"}`),
	'a report, one name at its top': () => `{"success":false,"${fill('message ')}":1}`,
};
const report = (errors: string) => `{"success":false,"errors":${errors}}`;

const REFUSALS: Record<string, () => string> = {
	'a refusal, spaces': () => `{"message":"${' '.repeat(60_000)}x"}`,
	'a refusal, nested': () => `${'{"error":'.repeat(90)}"x"${'}'.repeat(90)}`,
	'a refusal, many reasons': () => `{"errors":${listOf(4000, (i) => `{"message":"m${i}"}`)}}`,
	'a refusal, texts about sessions': () =>
		`{"errors":${listOf(60, () => `"${'no session is '.repeat(74)}"`)}}`,
	'a refusal, texts in JSON': () =>
		`{"errors":${listOf(10, () => JSON.stringify(`[${repeat('"a b"', 700)}]`))}}`,
	'a refusal, a web page': () => `<html>${'<title '.repeat(9000)}`,
};

const FIELDS: Record<string, () => unknown> = {
	Number: () => readPhoneNumber(`+2${'('.repeat(100_000)}`),
	'Number of 8 MB': () => readPhoneNumber('1'.repeat(8 * MB)),
	'Token of 3 MB': () => readHeaderValue('{{ '.repeat(MB), 'Token'),
	'Image URL of 0.6 MB': () =>
		hintAboutImage(
			{} as IExecuteFunctions,
			0,
			`https://github.com${'//blob'.repeat(100_000)}?raw=1`,
		),
	'Base URL': () => readBaseUrl(`https://a${'/'.repeat(100_000)}b`),
};

let parsed: Array<{ start: number; end: number }> = [];

/** CPU time of this thread, in ms: what other processes take from it is nothing that the input costs. */
function cpuTime(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
}

/** JSON.parse of a whole body is one step, which nobody can divide. It is measured to be subtracted. */
function watchJsonParse(): void {
	const { parse } = JSON;
	JSON.parse = ((...args: Parameters<typeof parse>) => {
		const start = cpuTime();
		try {
			return parse(...args) as unknown;
		} finally {
			const end = cpuTime();
			if (end - start > 1) parsed.push({ start, end });
		}
	}) as typeof parse;
}

/** Returns the most CPU time in which the event loop did nothing else, without JSON.parse, in ms. */
async function measureLongestStep(run: () => Promise<unknown>) {
	parsed = [];
	let longest = 0;
	let isOver = false;
	let last = cpuTime();
	const tick = () => {
		const now = cpuTime();
		const inParse = parsed
			.filter(({ start }) => start >= last)
			.reduce((sum, { start, end }) => sum + end - start, 0);
		longest = Math.max(longest, now - last - inParse);
		last = now;
		if (!isOver) setImmediate(tick);
	};
	setImmediate(tick);
	const end = await run().then(
		() => 'read',
		({ message }: Error) => message,
	);
	isOver = true;
	await new Promise(setImmediate);
	return { longest, end };
}

/** What is measured, and what comes before it each time. */
interface Input {
	name: string;
	run(): Promise<unknown>;
	prepare?(): Promise<unknown>;
}

/** Creates one input after another: most have full bodies. */
function* listInputs(server: ScriptedServer): Generator<Input> {
	const respond = (status: number, body: Buffer) =>
		server.respondWith((response) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(body);
		});
	const first = Buffer.from('[{"id":"first"}]');
	let poller = new Poller(server);
	const run = async () => await poller.poll();
	for (const [name, create] of Object.entries(BODIES)) {
		const body = Buffer.from(create());
		const prepare = async () => {
			poller = new Poller(server);
			respond(200, first);
			await run();
			respond(200, body);
		};
		yield { name: `${name}, new`, run, prepare };
		yield { name: `${name}, known`, run };
	}
	for (const [status, bodies] of [
		[200, REPORTS],
		[422, REFUSALS],
	] as const) {
		for (const [name, create] of Object.entries(bodies)) {
			respond(status, Buffer.from(create()));
			yield { name, run };
		}
	}
	for (const [name, read] of Object.entries(FIELDS)) {
		yield { name, run: async () => await Promise.resolve().then(read) };
	}
}

/** Prints the longest step of each input. Returns whether all are short enough. */
export async function measureWorstInputs(): Promise<boolean> {
	watchJsonParse();
	const server = await startScriptedServer();
	const rows: string[][] = [];
	let isFast = true;
	for (const { name, run, prepare } of listInputs(server)) {
		const steps: Array<Awaited<ReturnType<typeof measureLongestStep>>> = [];
		for (let i = 0; i < 3; i++) {
			await prepare?.();
			steps.push(await measureLongestStep(run));
		}
		// Other work of this process may fall into one of them.
		const longest = median(steps.map((step) => step.longest));
		isFast &&= longest <= MAX_STEP_MS;
		rows.push([name, longest.toFixed(0), steps[2].end.slice(0, 60)]);
	}
	console.log(createTable(['input', 'longest step, ms', 'result'], rows));
	await server.close();
	return isFast;
}
