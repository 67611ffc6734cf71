import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** What this node says of an item. From an earlier run, e.g. in a sheet, it must not stand beside what this one says. */
const RESULTS: Array<[field: RegExp, value: RegExp]> = [
	[/^(skipped|sent|dryRun)$/, /^(true|1)$/i],
	[/^delivery$/, /^(unknown|notSent)$/],
	[/^reason$/, /^(id|limit|changed)$/],
	[/^error$/, /\[object Object\]|The image (was not|may have been) sent/],
];
const isResult = (name: string, value: unknown) =>
	RESULTS.some(([field, said]) => field.test(name) && said.test(String(value)));

/**
 * Adds the fields of the input to the output items of a send, each paired with its input item. All get the same fields of the node's own, with
 * null in place of a missing one, for which n8n's table would show "undefined", e.g. { name: 'Ann', id: 'm', skipped: null, reason: null }.
 */
export function withInputFields(items: INodeExecutionData[], context: IExecuteFunctions) {
	const input = context.getInputData();
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	const mayHaveErrors = context.continueOnFail() && !hasErrorOutput;
	// n8n itself merges the input into items with nothing but an error, and needs them like that to route them.
	const isRouted = ({ json }: INodeExecutionData) => hasErrorOutput && json.error !== undefined;
	const names = items.flatMap((item) => (isRouted(item) ? [] : Object.keys(item.json)));
	const isDryRun = items.some(({ json }) => json.dryRun === true);
	const own = [...(isDryRun ? [] : ['id']), ...(mayHaveErrors ? ['error'] : []), ...names];
	const empty: IDataObject = Object.fromEntries(own.map((name) => [name, null]));
	return items.map((item) => {
		if (isRouted(item)) return item;
		const { json: entered } = input[(item.pairedItem as { item: number }).item];
		const json = Object.fromEntries(
			Object.entries(entered).map(([name, value]) => [name, isResult(name, value) ? null : value]),
		);
		// A dry run has fields that are named like those of the input: null must not hide an entered value.
		const before = isDryRun ? { ...empty, ...json } : { ...json, ...empty };
		return { ...item, json: { ...before, ...item.json } };
	});
}
