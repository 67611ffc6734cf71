import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import ts from 'typescript';

import { PROJECT } from '../../tools/n8n/install';

/** Finds all nodes of one kind in the syntax trees of the published code. */
export function findSyntax<T extends ts.Node>(isOfKind: (node: ts.Node) => node is T) {
	const found: Array<{ file: string; node: T; text: string }> = [];
	for (const path of globSync('{nodes,credentials}/**/*.ts', { cwd: PROJECT })) {
		const text = readFileSync(join(PROJECT, path), 'utf8');
		const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
		const visit = (node: ts.Node): void => {
			if (isOfKind(node)) found.push({ file: basename(path), node, text: node.getText(source) });
			ts.forEachChild(node, visit);
		};
		visit(source);
	}
	return found;
}
