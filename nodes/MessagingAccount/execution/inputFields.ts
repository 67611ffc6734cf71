import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** The fields of a send's result. */
const RESULT_FIELDS = ['id', 'error'];

/**
 * Adds the fields of the input to the output items of a send. All get the same fields of the node's own, whatever their result
 * and whichever run they come from, null where one has none: n8n's table would show "undefined" there.
 *
 * @param items each paired with its input item
 */
export function withInputFields(
	items: INodeExecutionData[],
	context: Pick<IExecuteFunctions, 'getInputData' | 'getNode' | 'continueOnFail'>,
): INodeExecutionData[] {
	const input = context.getInputData();
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	const mayHaveErrors = context.continueOnFail() && !hasErrorOutput;
	// n8n itself merges the input into items with nothing but an error, and needs them like that to route them.
	const isRouted = ({ json }: INodeExecutionData) => hasErrorOutput && json.error !== undefined;
	const names = items.flatMap((item) => (isRouted(item) ? [] : Object.keys(item.json)));
	const empty: IDataObject = Object.fromEntries(
		[...RESULT_FIELDS, ...names]
			.filter((name) => name !== 'error' || mayHaveErrors)
			.map((name) => [name, null]),
	);
	const isDryRun = items.some(({ json }) => json.dryRun === true);
	return items.map((item) => {
		if (isRouted(item)) return item;
		const { json } = input[(item.pairedItem as { item: number }).item];
		// A dry run has fields with the names of those that it shows: none of them may hide what was entered.
		const before = isDryRun ? { ...empty, ...json } : { ...json, ...empty };
		return { ...item, json: { ...before, ...item.json } };
	});
}
