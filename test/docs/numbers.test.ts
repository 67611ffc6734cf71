import { globSync } from 'node:fs';

import type { INodeProperties } from 'n8n-workflow';

import { classify } from '../../nodes/MessagingAccount/errors/classifyResult';
import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { PROJECT } from '../../tools/n8n/install';
import { DESIGN, DOCUMENTS, listRows, readDocument } from './documents';

const MINUTE_MS = 60_000;
const MB = 1024 ** 2;
const WORDS: Record<string, number> = { a: 1, three: 3 };

const toNumber = (text: string) => WORDS[text] ?? Number(text.replaceAll(',', ''));

/** The numbers of the constants in the nodes' code, by name; several if files have one of the same name. */
const constants = new Map<string, number[]>();
const toValue = (factor: string) =>
	constants.get(factor)?.[0] ?? Number(factor.replaceAll('_', ''));
for (const file of globSync('nodes/**/*.ts', { cwd: PROJECT })) {
	for (const [, name, product] of readDocument(file).matchAll(/\bconst (\w+) = ([\w *]+);/g)) {
		const factors = product.split(' * ').map(toValue);
		const value = factors.reduce((a, b) => a * b);
		if (!Number.isNaN(value)) constants.set(name, [...(constants.get(name) ?? []), value]);
	}
}

const properties = [new MessagingAccount(), new MessagingAccountTrigger()]
	.flatMap(({ description }) => description.properties)
	.flatMap((one) => (one.type === 'collection' ? (one.options as INodeProperties[]) : [one]));
const findProperty = (name: string) =>
	properties.find((one) => one.displayName === name || one.name === name)!;

type Fact = [file: string, text: string, ...numbers: Array<[name: string, unit?: number]>];

/** What documents say, with # for numbers, and each number in the code: a constant or the default of an option, in which unit. */
const FACTS: Fact[] = [
	['README.md', 'did not respond within # s', ['DEFAULT_TIMEOUT_MS', 1000]],
	['SECURITY.md', 'each from # characters on', ['MIN_LENGTH_IN_ITEMS']],
	['SECURITY.md', 'if they have fewer than # characters: it', ['SHORT_SECRET_LENGTH']],
	['SECURITY.md', 'if they have fewer than # characters, except', ['MIN_LENGTH_IN_ITEMS']],
	['SECURITY.md', 'the first # characters of', ['MAX_SOUGHT_LENGTH']],
	['docs/api.md', 'Respond within # seconds', ['DEFAULT_TIMEOUT_MS', 1000]],
	['docs/api.md', 'in any order, within # MB', ['MAX_LIST_BYTES', MB]],
	['docs/api.md', '# entries in a list', ['MAX_ENTRIES']],
	['docs/api.md', '# fields in an object', ['MAX_OBJECT_FIELDS']],
	['docs/api.md', 'and # levels', ['MAX_LEVELS']],
	['docs/api.md', 'Status and send take # MB', ['MAX_OBJECT_BYTES', MB]],
	['docs/api.md', 'within # kB. n8n shows the', ['MAX_ERROR_BYTES', 1024]],
	['docs/api.md', 'make up to # attempts', ['MAX_ATTEMPTS']],
	['docs/api.md', '(if at most # minute)', ['MAX_DELAY_MS', MINUTE_MS]],
	['docs/compatibility.md', 'its limit of # sends', ['MAX_KEYS', 3]],
	['docs/trigger.md', 'among the # that it knows', ['MAX_KNOWN']],
	['docs/design/new-messages.md', 'the newest # messages', ['MAX_KNOWN']],
	['docs/design/no-duplicate-sends.md', 'as start in # s', ['BATCH_MS', 1000]],
	['docs/design/no-duplicate-sends.md', 'keys of more than # sends', ['MAX_KEYS', 3]],
	['docs/design/no-duplicate-sends.md', 'and checks it for #.', ['REPEATED_FOR_MS', 1000]],
	[
		'docs/sending.md',
		'sends # to # digits unchanged unless they begin with 0',
		['MIN_DIGITS'],
		['MAX_DIGITS'],
	],
	['docs/sending.md', 'a delay is # ms', ['delayBetweenSends']],
	['docs/sending.md', 'for the complete response: # ms', ['timeout']],
	['docs/sending.md', 'expires after # minutes, or', ['linkExpiresAfter']],
	['docs/sending.md', 'up to about # MB', ['MAX_DATA_URI_LENGTH', (4 / 3) * MB]],
	['docs/sending.md', 'the latest # IDs', ['MAX_IDS']],
	['docs/trigger.md', 'wait until quiet (seconds)**, # by default', ['waitUntilQuiet']],
	['docs/trigger.md', 'wait at most (seconds)**, # by default', ['waitAtMost']],
	['docs/trigger.md', 'holds up to # messages', ['MAX_HELD']],
	['docs/trigger.md', 'short hashes of # messages', ['MAX_KNOWN']],
	['docs/trigger.md', 'for up to # seconds', ['MAX_POLL_MS', 1000]],
	['docs/troubleshooting.md', 'waits up to # seconds for a locked', ['MAX_BUSY_MS', 1000]],
	['docs/design/messages.md', 'is longer than # characters', ['MAX_FIELD_LENGTH']],
	['docs/design/messages.md', 'lists more than # messages', ['MAX_KNOWN']],
	['docs/troubleshooting.md', 'slows them down, up to # minute', ['MAX_WAIT_MS', MINUTE_MS]],
	['docs/troubleshooting.md', 'makes up to # attempts', ['MAX_ATTEMPTS']],
	['docs/troubleshooting.md', 'if that is more than # minute', ['MAX_DELAY_MS', MINUTE_MS]],
];

/** Quantities that are not the code's: examples, what the API's description says, what services do, and what was measured. */
const OTHERS =
	'300 rows, 40 minutes, 300 items, 20 items, 5 seconds, 100 messages, 25 messages, 3.5 GB, 1.2 GB, 5 minutes, 30 ms, 50 ms, 7 ms, 55 ms, 0.5 ms';

const readText = (file: string) =>
	readDocument(file)
		.replace(/```[^]*?```/g, '')
		.replace(/\s+/g, ' ');

const toPattern = (text: string) =>
	new RegExp(text.replace(/[.*()]/g, '\\$&').replaceAll('#', '(a|three|[\\d,]*\\.?\\d+)'), 'gi');

test.each(FACTS)('%s: “%s” is true', (file, text, ...numbers) => {
	const [, ...said] = toPattern(text).exec(readText(file)) ?? [];
	expect(said).toHaveLength(numbers.length);
	for (const [i, [name, unit = 1]] of numbers.entries()) {
		const values = constants.get(name) ?? [findProperty(name).default as number];
		expect(values).toContain(toNumber(said[i]) * unit);
	}
});

/** Returns a text without what these facts and other quantities say. */
const withoutFacts = (file: string, text: string) =>
	FACTS.filter((fact) => fact[0] === file)
		.map((fact) => toPattern(fact[1]))
		.concat(new RegExp(OTHERS.replaceAll(', ', '|'), 'g'))
		.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text);

test('every quantity in the documents is one of these facts, or none of the code', () => {
	const quantity =
		/(?<![\w.,])[\d,]*\.?\d+ ([GM]B|kB|ms|s|(second|minute|hour|digit|character|message|ID|send|item|row|attempt)s?)\b/g;
	// The bench writes and checks what the performance is.
	const files = [...DOCUMENTS, ...DESIGN, 'SECURITY.md'].filter(
		(file) => !file.endsWith('performance.md'),
	);
	const unknown = files.flatMap((file) => withoutFacts(file, readText(file)).match(quantity) ?? []);
	expect(unknown).toEqual([]);
});

test.each(['docs/sending.md', 'docs/reading.md'])('%s: limits and defaults are true', (file) => {
	for (const [names, value] of ['option', 'parameter'].flatMap((head) => listRows(file, head))) {
		const numbers = names.split(', ').flatMap((name) => {
			const { default: preset, typeOptions = {} } = findProperty(name);
			return [preset, typeOptions.minValue, typeOptions.maxValue].map(String);
		});
		const said = withoutFacts(file, value.replace(/`[^`]*`/g, '')).match(/(?<!\w)\d+/g) ?? [];
		expect([names, said.filter((one) => !numbers.includes(one))]).toEqual([names, []]);
	}
});

test('the guide says what each status means', () => {
	const said = new Map<number, string>();
	for (const [delivery, statuses] of listRows('docs/troubleshooting.md', 'delivery')) {
		for (const status of statuses.match(/\d{3}/g) ?? [])
			said.set(Number(status), delivery.slice(1, -1));
	}
	for (let status = 300; status < 600; status++) {
		const ofClass = status >= 400 && status < 500 ? 'notSent' : 'unknown';
		const { delivery } = classify({ status, retryAfter: status === 503 ? 1 : undefined });
		expect([status, said.get(status) ?? ofClass]).toEqual([status, delivery]);
	}
});
