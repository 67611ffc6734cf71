import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

import ts from 'typescript';

import { PROJECT } from '../../tools/n8n/install';

const FILES = globSync('{nodes,credentials}/**/*.ts', { cwd: PROJECT }).map((file) =>
	join(PROJECT, file),
);
const SAMPLE = join(PROJECT, 'nodes', 'sample.ts');

const SAMPLE_TEXT = `
	import type { IAllExecuteFunctions, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
	type WithHooks<T> = T & { additionalData?: unknown };
	export function use(context: IExecuteFunctions, poll: IPollFunctions) {
		return [
			context as IAllExecuteFunctions,
			poll as Partial<IPollFunctions>,
			context as { additionalData?: unknown },
			context as WithHooks<IExecuteFunctions>,
			context as unknown as Promise<void>,
		];
	}`;

/**
 * Finds where a context of n8n, e.g. `IExecuteFunctions`, is cast into a type that n8n does not export: whatever it then uses is
 * an internal of n8n.
 *
 * @returns e.g. "sample.ts: context as Internals"
 */
function findContextCasts(): string[] {
	const { options } = ts.parseJsonConfigFileContent(
		ts.readConfigFile(join(PROJECT, 'tsconfig.json'), ts.sys.readFile).config,
		ts.sys,
		PROJECT,
	);
	const host = ts.createCompilerHost(options);
	const { getSourceFile } = host;
	host.getSourceFile = (name, version) =>
		name === SAMPLE
			? ts.createSourceFile(name, SAMPLE_TEXT, version)
			: getSourceFile.call(host, name, version);
	const program = ts.createProgram([...FILES, SAMPLE], options, host);
	const checker = program.getTypeChecker();
	const isDeclaredIn = (folder: string, symbol?: ts.Symbol) =>
		symbol?.declarations?.some((one) => one.getSourceFile().fileName.includes(folder)) ?? false;
	const isOfN8n = ({ aliasSymbol, aliasTypeArguments, symbol }: ts.Type): boolean =>
		isDeclaredIn('/n8n-workflow/', aliasSymbol ?? symbol) ||
		// A part of it.
		(isDeclaredIn('/typescript/lib/', aliasSymbol) && (aliasTypeArguments ?? []).every(isOfN8n));
	const isContext = (type: ts.Type) => type.getProperty('getNode') !== undefined;
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) {
			const from = checker.getTypeAtLocation(node.expression);
			const into = checker.getTypeAtLocation(node.type);
			if (isContext(from) && !isOfN8n(into)) {
				found.push(`${basename(node.getSourceFile().fileName)}: ${node.getText()}`);
			}
		}
		ts.forEachChild(node, visit);
	};
	for (const file of program.getSourceFiles()) if (!file.isDeclarationFile) visit(file);
	return found;
}

test('no context of n8n is cast into a type that n8n does not export', () => {
	expect(FILES.length).toBeGreaterThan(50);
	expect(findContextCasts()).toEqual([
		'sample.ts: context as { additionalData?: unknown }',
		'sample.ts: context as WithHooks<IExecuteFunctions>',
		'sample.ts: context as unknown',
	]);
});
