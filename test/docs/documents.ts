import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import ts from 'typescript';

import { PROJECT } from '../../tools/n8n/install';

/** What users read: the README, and everything in docs. */
export const DOCUMENTS = ['README.md', ...globSync('docs/*.md', { cwd: PROJECT }).sort()];

/** What developers and reviewers read besides. */
export const DESIGN = globSync('docs/design/*.md', { cwd: PROJECT }).sort();

/** The published code. */
export const CODE = globSync(['nodes/**/*.ts', 'credentials/*.ts'], { cwd: PROJECT });

/** @param file path in the project */
export const readDocument = (file: string): string => readFileSync(join(PROJECT, file), 'utf8');

/** Lists a node of a syntax tree, and all in it. */
export const listNodes = (node: ts.Node): ts.Node[] => [
	node,
	...node.getChildren().flatMap(listNodes),
];

/** Lists the nodes of the syntax tree of a file. */
export const parseCode = (file: string) =>
	listNodes(ts.createSourceFile(file, readDocument(file), ts.ScriptTarget.Latest, true));

/** Lists the fenced code blocks of a Markdown file. */
export function listCodeBlocks(file: string) {
	const blocks = readDocument(file).matchAll(/^```(.*)\n([^]*?)^```$/gm);
	return [...blocks].map(([, language, code]) => ({ file, language, code }));
}

/** Lists the rows of all tables whose first column has this head: the cells of each row. */
export function listRows(file: string, head: string): string[][] {
	const tables = readDocument(file).matchAll(/(?:^\|.*\n)+/gm);
	const cellsOf = (row: string) => row.split('|').slice(1, -1);
	const toCells = (row: string) => cellsOf(row).map((cell) => cell.trim());
	const rows = [...tables].map(([table]) => table.trim().split('\n').map(toCells));
	return rows.filter(([heads]) => heads[0] === head).flatMap(([, , ...body]) => body);
}

/** The anchors of a Markdown file's headings, as GitHub names them. */
function listAnchors(file: string): string[] {
	return [...readDocument(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

/** Lists the links of a Markdown file to files and headings that the project does not have. */
export function findBrokenLinks(file: string): string[] {
	return [...readDocument(file).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)]
		.map(([, link]) => link)
		.filter((link) => {
			const [path, anchor] = link.split('#');
			const target = path === '' ? file : join(dirname(file), path);
			if (!existsSync(join(PROJECT, target))) return true;
			if (anchor === undefined) return false;
			return statSync(join(PROJECT, target)).isDirectory() || !listAnchors(target).includes(anchor);
		});
}
