import { spawnSync } from 'node:child_process';

import { DISCONNECTED, OTHER_CONNECTION } from '../../nodes/MessagingAccount/errors/disconnected';
import { REFERENCES } from '../../nodes/MessagingAccount/parameters/expressions';
import * as failureWords from '../../nodes/MessagingAccount/transport/failureWords';
import { isLinear } from '../../tools/eslint/linearRegularExpressions';
import { PROJECT } from '../../tools/n8n/install';

/** By line, the rule that must find something there; none in the other lines. */
const CODE: Array<[line: string, rule?: string]> = [
	["import type { IAllExecuteFunctions, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';"],
	['type WithHooks<T> = T & { additionalData?: unknown };'],
	['export function use(context: IExecuteFunctions, poll: IPollFunctions, names: object[]) {'],
	['const [a, b, c]: Array<Record<string, unknown>> = [{}, {}, {}], name = String(names);'],
	['return [context as IAllExecuteFunctions, poll as Partial<IPollFunctions>, names as unknown,'],
	['context as { additionalData?: unknown },', 'project/no-context-cast'],
	['context as WithHooks<IExecuteFunctions>,', 'project/no-context-cast'],
	['context as unknown as Promise<void>,', 'project/no-context-cast'],
	['/^\\d{1,5}$/, /<title[^<>]{0,99}>/i,'],
	['/\\s+\\S*$/,', 'project/linear-regular-expressions'],
	['/\\/*(\\/v1)?\\/*$/,', 'project/linear-regular-expressions'],
	['/^(a+)+$/,', 'project/linear-regular-expressions'],
	['/<title[^>]*>([^<]*)</i,', 'project/linear-regular-expressions'],
	['(a[name] ??= 1),', 'no-restricted-syntax'],
	['(b[name] ||= 1),', 'no-restricted-syntax'],
	['(c.name ??= 1)]; }'],
];

test('lint finds what each rule of the project forbids, and nothing else', () => {
	// Any file of the nodes: its content comes from stdin.
	const file = 'nodes/MessagingAccount/shared/hash.ts';
	const args = `--config tools/eslint.config.mjs --format json --stdin --stdin-filename ${file}`;
	const { stdout, stderr } = spawnSync('eslint', args.split(' '), {
		cwd: PROJECT,
		input: CODE.map(([line]) => line).join('\n'),
		encoding: 'utf8',
		shell: process.platform === 'win32',
	});
	expect(stderr).toBe('');
	const [{ messages }] = JSON.parse(stdout) as Array<{
		messages: Array<{ line: number; ruleId: string }>;
	}>;
	expect(messages.map(({ line, ruleId }) => [line, ruleId])).toEqual(
		CODE.flatMap(([, rule], i) => (rule ? [[i + 1, rule]] : [])),
	);
});

test('expressions made of parts are linear', () => {
	const disconnected = [...DISCONNECTED.flat(), OTHER_CONNECTION];
	const all = [...disconnected, ...Object.values(failureWords), REFERENCES];
	expect(all.length).toBeGreaterThan(10);
	expect(all.filter(({ source, flags }) => !isLinear(source, flags))).toEqual([]);
});
