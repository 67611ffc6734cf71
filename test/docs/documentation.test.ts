import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import ts from 'typescript';
import { parse } from 'yaml';

import { MessagingAccountApi } from '../../credentials/MessagingAccountApi.credentials';
import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import manifest from '../../package.json';
import { openApi } from '../../tools/embeddedService/openapi';
import { PROJECT } from '../../tools/n8n/install';
import {
	CODE,
	DESIGN,
	DOCUMENTS,
	findBrokenLinks,
	listCodeBlocks,
	listNodes,
	listRows,
	parseCode,
	readDocument,
} from './documents';

const blocksOf = (language: string) =>
	DOCUMENTS.flatMap(listCodeBlocks).filter((block) => block.language === language);

test('every code block is of a language that is tested', () => {
	const languages = DOCUMENTS.flatMap(listCodeBlocks).map(({ language }) => language);
	expect(new Set(languages)).toEqual(new Set(['json', 'sh', 'yaml']));
});

test.each(blocksOf('json'))('JSON in $file can be parsed: $code', ({ code }) => {
	expect(JSON.parse(code)).toBeInstanceOf(Object);
});

test("docs/openapi.json, for operators to import, is the embedded service's description", () => {
	expect(JSON.parse(readDocument('docs/openapi.json'))).toEqual(openApi);
});

test('docs/adapter.conf has a place for each path of the service', () => {
	const places = [...readDocument('docs/adapter.conf').matchAll(/location = (\S+)/g)];
	expect(places.map(([, path]) => path)).toEqual(Object.keys(openApi.paths));
});

test('JSON within the text can be parsed', () => {
	const texts = [...DOCUMENTS, ...DESIGN].flatMap((file) => [
		...readDocument(file).matchAll(/`([{[] ?"[^`]*)`/g),
	]);
	expect(texts.length).toBeGreaterThan(3);
	// In the text, an ellipsis also stands for a whole value.
	for (const [, json] of texts) {
		expect(JSON.parse(json.replaceAll(': …', ': null'))).toBeInstanceOf(Object);
	}
});

interface Compose {
	services: Record<string, { environment?: object; volumes?: string[] }>;
	volumes?: object;
}

const COMPOSE_KEYS = ['environment', 'extra_hosts', 'image', 'ports', 'volumes'];

test.each(blocksOf('yaml'))('the compose file in $file has known keys and volumes', ({ code }) => {
	const { services, volumes = {}, ...others } = parse(code) as Compose;
	expect(others).toEqual({});
	for (const service of Object.values(services)) {
		expect(COMPOSE_KEYS).toEqual(expect.arrayContaining(Object.keys(service)));
		const values: unknown[] = Object.values(service.environment ?? {});
		expect(values.filter((value) => typeof value !== 'string')).toEqual([]);
		const mounted = (service.volumes ?? []).map((volume) => volume.split(':')[0]);
		expect(Object.keys(volumes)).toEqual(expect.arrayContaining(mounted));
	}
});

test('the services of the compose files have the names that the documents use', () => {
	const files = blocksOf('yaml').map(({ code }) => parse(code) as Compose);
	const names = new Set(files.flatMap(({ services }) => Object.keys(services)));
	expect(names).toEqual(new Set(['n8n', 'messaging']));
	const text = DOCUMENTS.map(readDocument).join('\n');
	for (const name of names) expect(text).toContain(`http://${name}:`);
});

test('commands of npm install this package without peers, pin this version, and remove it', () => {
	const { name, version } = manifest;
	const shell = blocksOf('sh').map(({ code }) => code);
	const commands = shell.join('').match(/npm (?:un)?install [^'\n]+/g);
	const install = 'npm install --omit=peer';
	expect(new Set(commands)).toEqual(
		new Set([
			`${install} ${name}`,
			`${install} ${name}@latest`,
			`${install} --save-exact ${name}@${version}`,
			// From a clone, while it is not on npm.
			`${install} ./${name}-${version}.tgz`,
			`npm uninstall ${name}`,
		]),
	);
});

test('the packages that the documents declare are this one', () => {
	const { name, version } = manifest;
	const text = DOCUMENTS.map(readDocument).join('\n');
	const declared = text.match(/\[\{"name":.*?\}\]/g)!;
	for (const json of declared) expect(JSON.parse(json)).toEqual([{ name, version }]);
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

const OTHER_DOCUMENTS = globSync(['*.md', 'bench/*.md', 'test/*/*.md', 'tools/*/*.md'], {
	cwd: PROJECT,
});

const ALL_DOCUMENTS = [...new Set([...DOCUMENTS, ...DESIGN, ...OTHER_DOCUMENTS])];
test.each(ALL_DOCUMENTS)('the links in %s lead somewhere', (file) =>
	expect(findBrokenLinks(file)).toEqual([]),
);

test('the addresses in n8n lead to headings of the README', () => {
	const codex = globSync('nodes/MessagingAccount/*.node.json', { cwd: PROJECT }).map(readDocument);
	const urls = [new MessagingAccountApi().documentationUrl, ...codex].join('\n');
	const found = urls.matchAll(/n8n-nodes-messaging-account#([\w-]+)/g);
	const anchors = [...found].map(([, name]) => name);
	expect(new Set(anchors)).toEqual(new Set(['credentials', 'operations', 'trigger']));
	for (const anchor of anchors) {
		expect(readDocument('README.md').toLowerCase()).toContain(`\n## ${anchor}\n`);
	}
});

describe('pictures', () => {
	const shown = [...DOCUMENTS, 'bench/README.md'].flatMap((file) =>
		[...readDocument(file).matchAll(/!\[([^\]]*)\]\(([^:)]+)\)/g)].map(([, description, path]) => ({
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
			expect(statSync(join(PROJECT, path)).size).toBeLessThanOrEqual(100_000);
		}
	});
});

/** Lists the texts in the code of a file, not those in its comments. */
const listTexts = (file: string) =>
	parseCode(file).flatMap((node) => (ts.isStringTextContainingNode(node) ? node.text : []));

/** Calls whose first text is a message: any further one is advice. */
const SAYS = /(^|\.)((InvalidInput|Api|NodeOperation)Error|super|refus\w+|create|hintOnce|warn)$/;

/** Functions that return messages: those left out return parts of an advice. */
const DESCRIBES = /^(describe(?!(Body|Page|Progress|Redirect|Start|Unknown)$)|findMissing|warnOf)/;

/** Lists the messages in the code of a file, with … for what is put in, and what that may be. */
function listMessages(file: string): string[] {
	const nodes = parseCode(file);
	const variables = nodes.filter((node) => ts.isVariableDeclaration(node) || ts.isParameter(node));
	/** Lists the texts that an expression may consist of, without those that functions return. */
	const textsOf = (node: ts.Node | undefined, depth = 0): string[] => {
		const follow = (one: ts.Node | undefined) => textsOf(one, depth);
		if (!node || depth > 3 || /^(advice|CHECK)/.test(node.getText())) return [];
		if (ts.isStringLiteralLike(node)) return [node.text];
		if (ts.isIdentifier(node)) {
			const named = variables.filter(({ name }) => name.getText() === node.text);
			return named.flatMap(({ initializer }) => textsOf(initializer, depth + 1));
		}
		if (ts.isPropertyAssignment(node)) return follow(node.initializer);
		if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node))
			return follow(node.expression);
		// A message and its advice.
		if (ts.isSpreadElement(node)) return follow(node.expression).slice(0, 1);
		// A message, when it is shown, and its advice.
		const isPattern = (one: ts.Node) =>
			ts.isRegularExpressionLiteral(one) || ts.isNewExpression(one);
		if (ts.isArrayLiteralExpression(node) && node.elements.some(isPattern))
			return follow(node.elements[0]);
		const texts = node.getChildren().flatMap(follow);
		if (!ts.isTemplateExpression(node)) return texts;
		const own = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
		return [own.map(({ text }) => text).join('…'), ...texts];
	};
	return nodes.flatMap((node) => {
		if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
			const says = SAYS.test(node.expression.getText());
			const texts = (says ? [...node.arguments!] : []).map((one) => textsOf(one));
			return texts.find(({ length }) => length > 0) ?? [];
		}
		if (ts.isFunctionDeclaration(node) && DESCRIBES.test(node.name!.text))
			return listNodes(node).flatMap((one) => (ts.isReturnStatement(one) ? textsOf(one) : []));
		const isMessage =
			(ts.isPropertyAssignment(node) && node.name.getText() === 'message') ||
			(ts.isVariableDeclaration(node) && /^(message|hints)$/i.test(node.name.getText()));
		return isMessage ? textsOf(node.initializer) : [];
	});
}

describe('names', () => {
	const descriptions = [new MessagingAccount(), new MessagingAccountTrigger()].map(
		({ description }) => JSON.stringify(description),
	);
	const displayNames = new Set(
		[...descriptions.join('').matchAll(/"displayName":"([^"]+)"/g)].map(([, name]) => name),
	);

	const guides = ['docs/sending.md', 'docs/reading.md', 'docs/trigger.md'];
	test.each(guides)('the parameters and options in %s are those of the nodes', (file) => {
		const rows = [...listRows(file, 'parameter'), ...listRows(file, 'option')];
		const names = rows.flatMap(([cell]) => cell.split(', '));
		expect(names.length).toBeGreaterThan(3);
		expect(names.filter((name) => !displayNames.has(name))).toEqual([]);
	});

	const GUIDE = 'docs/troubleshooting.md';
	/** The messages that need no explanation. */
	const OTHER_MESSAGES = 'docs/design/messages.md';

	/** Splits a message at what is put in, and at names in quotes. */
	const splitMessage = (message: string) =>
		message
			.split(/…|(?<!\w)'[^']*'|; |\(HTTP [^)]*\)|\d+ s$|\(in the service's words\)/)
			.map((part) => part.replace(/^[' (),]+|[' (),]+$/g, ''));

	test('the README describes every operation and event', () => {
		const choices = [new MessagingAccount(), new MessagingAccountTrigger()].flatMap(
			({ description }) => description.properties[0].options as Array<{ name: string }>,
		);
		const readme = readDocument('README.md');
		const isThere = ({ name }: { name: string }) =>
			readme.includes(`### ${name}\n`) || readme.includes(`| ${name} |`);
		expect(choices.filter((choice) => !isThere(choice))).toEqual([]);
	});

	test('the messages in the documents are those of the nodes', () => {
		const texts = CODE.flatMap(listTexts);
		const others = readDocument(OTHER_MESSAGES);
		const missing = [...listRows('README.md', 'message'), ...listRows(GUIDE, 'message')]
			.map(([message]) => message)
			.concat(others.replace(/\s+/g, ' ').match(/\*[^*]+\*/g)!)
			.flatMap((messages) => splitMessage(messages.replace(/[*`]/g, '')))
			.filter((part) => part.length > 3 && !texts.some((text) => text.includes(part)));
		// These are n8n's own.
		expect(missing).toEqual(['Unrecognized node type', 'nodes are missing']);
	});

	test('the first words of the messages of the nodes are in the troubleshooting guide, or in the list of the others', () => {
		const both = [GUIDE, OTHER_MESSAGES].map(readDocument).join('\n');
		const guide = both.replace(/`/g, '').replace(/\s+/g, ' ');
		const beginnings = CODE.flatMap(listMessages)
			.map((message) => message.replace(/^[….: ]+/, '').split(/\n|[.:](?: |$)/)[0])
			.flatMap(splitMessage)
			.map((part) => part.split(' ').slice(0, 5).join(' ').replace(/,$/, ''))
			.filter((part) => /^\D\S* \S/.test(part));
		expect(beginnings.length).toBeGreaterThan(100);
		expect(beginnings.filter((part) => !guide.includes(part))).toEqual([]);
	});
});
