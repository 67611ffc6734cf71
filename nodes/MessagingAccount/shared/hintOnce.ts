import type { IExecuteFunctions } from 'n8n-workflow';

/** For each run of the node: what its hints are about. */
const hinted = new WeakMap<IExecuteFunctions, Set<string>>();

/** Shows a hint in the output pane, once for all items that it is about. @param what a sentence, without the dot at its end */
export function hintOnce(
	context: IExecuteFunctions,
	itemIndex: number,
	what: string,
	advice: string,
): void {
	const known = hinted.get(context) ?? new Set();
	hinted.set(context, known);
	if (known.has(what)) return;
	known.add(what);
	const item = context.getInputData().length > 1 ? ` [item ${itemIndex}]` : '';
	context.addExecutionHints({ message: `${what}${item}. ${advice}`, location: 'outputPane' });
}
