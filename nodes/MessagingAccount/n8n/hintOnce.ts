import type { IExecuteFunctions } from 'n8n-workflow';

/** The hints that were shown, by run of the node. */
const shown = new WeakMap<IExecuteFunctions, Set<string>>();

/** Shows a hint in the output pane, only once for all items that it concerns. @param what a sentence without its period */
export function hintOnce(
	context: IExecuteFunctions,
	itemIndex: number,
	what: string,
	advice: string,
): void {
	const known = shown.get(context) ?? new Set();
	shown.set(context, known);
	if (known.has(what)) return;
	known.add(what);
	const item = context.getInputData().length > 1 ? ` [item ${itemIndex}]` : '';
	context.addExecutionHints({ message: `${what}${item}. ${advice}`, location: 'outputPane' });
}
