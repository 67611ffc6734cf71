/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests read files of the project */
import { globSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import { PROJECT } from '../../tools/n8n/install';

const FILES = globSync('{nodes,credentials}/**/*.ts', { cwd: PROJECT }).map((file) =>
	join(PROJECT, file),
);
const SAMPLE = join(PROJECT, 'nodes', 'sample.ts');

/**
 * Finds where a context of n8n, e.g. `IExecuteFunctions`, is cast into a type that n8n does not export: whatever it then uses is
 * an internal of n8n.
 *
 * @param sample text of one more file
 * @returns e.g. "sample.ts: context as Internals"
 */
function findContextCasts(sample = ''): string[] {
	const { options } = ts.parseJsonConfigFileContent(
		ts.readConfigFile(join(PROJECT, 'tsconfig.json'), ts.sys.readFile).config,
		ts.sys,
		PROJECT,
	);
	const host = ts.createCompilerHost(options);
	const { getSourceFile } = host;
	host.getSourceFile = (name, version) =>
		name === SAMPLE
			? ts.createSourceFile(name, sample, version)
			: getSourceFile.call(host, name, version);
	const program = ts.createProgram([...FILES, SAMPLE], options, host);
	const checker = program.getTypeChecker();
	const isDeclaredByN8n = ({ aliasSymbol, symbol }: ts.Type) =>
		(aliasSymbol ?? symbol)?.declarations?.some((declaration) =>
			declaration.getSourceFile().fileName.includes('/n8n-workflow/'),
		) ?? false;
	/** Also, for example, a part of it. */
	const isOfN8n = (type: ts.Type) =>
		isDeclaredByN8n(type) || (type.aliasTypeArguments?.some(isDeclaredByN8n) ?? false);
	const isContext = (type: ts.Type) => type.getProperty('getNode') !== undefined;
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) {
			const from = checker.getTypeAtLocation(node.expression);
			const into = checker.getTypeAtLocation(node.type);
			if (isContext(from) && !isOfN8n(into)) {
				found.push(`${node.getSourceFile().fileName.split('/').at(-1)}: ${node.getText()}`);
			}
		}
		ts.forEachChild(node, visit);
	};
	for (const file of program.getSourceFiles()) if (!file.isDeclarationFile) visit(file);
	return found;
}

test('no context of n8n is cast into a type that n8n does not export', () => {
	expect(FILES.length).toBeGreaterThan(50);
	expect(findContextCasts()).toEqual([]);
});

test('such casts are found', () => {
	const sample = `
		import type { IAllExecuteFunctions, IExecuteFunctions } from 'n8n-workflow';
		export function use(context: IExecuteFunctions) {
			const allowed = context as IAllExecuteFunctions;
			const hidden = context as { additionalData?: unknown };
			return [allowed, hidden, context as unknown as Promise<void>];
		}`;
	expect(findContextCasts(sample)).toEqual([
		'sample.ts: context as { additionalData?: unknown }',
		'sample.ts: context as unknown',
	]);
});
