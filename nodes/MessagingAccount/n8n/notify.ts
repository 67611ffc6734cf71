import { NodeOperationError, type IExecuteFunctions, type IPollFunctions } from 'n8n-workflow';

/**
 * Returns a text as n8n should get it: on one line, and shown as it is, whatever it holds from outside. n8n takes some texts for HTML, in
 * which a tag may go from any `<` to the next `>` or the end, and others for text, in which an entity would stay:
 * docs/design/verification.md lists them. So nothing invisible can save a `<`. It becomes the sign that looks most like it and is in every
 * font.
 */
export const toPlainText = (text: string): string =>
	text
		.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
		.replaceAll('<', '‹')
		.replace(/&(?=[a-z#])|\](?=\()/gi, '$&\u2060');

/** Longer than any text of ours: fields and reasons from outside may be longer. */
const MAX_LOG_LENGTH = 2000;

/** Logs what the user of the workflow should know. */
export function log(
	context: IExecuteFunctions | IPollFunctions,
	text: string,
	level: 'warn' | 'info' = 'warn',
): void {
	const message = toPlainText(`${context.getNode().name}: ${text}`.slice(0, MAX_LOG_LENGTH));
	context.logger[level](message, { workflowId: context.getWorkflow().id });
}

/** Logs what people must learn although a poll goes on: n8n also records a failed execution, and starts the error workflow. */
export function alert(context: IPollFunctions, text: string): void {
	log(context, text);
	const message = toPlainText(text);
	context.__emitError(new NodeOperationError(context.getNode(), message, { level: 'warning' }));
}

export function showHint(context: IExecuteFunctions, message: string): void {
	context.addExecutionHints({ message: toPlainText(message), location: 'outputPane' });
}

/** The hints that were shown once, by run of the node. */
const shown = new WeakMap<IExecuteFunctions, Set<string>>();

/** Shows a hint only once for all items that it concerns. @param what a sentence without its period */
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
	showHint(context, `${what}${item}. ${advice}`);
}
