import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { isTool } from './tool';

/**
 * Reads a parameter of the node for one item, as `getNodeParameter` does. A field with a name that n8n refuses in
 * expressions, e.g. "arguments", is a field like any other here.
 *
 * @param name a dotted one leads into a collection, e.g. "options.timeout"
 * @throws n8n's own error where an expression cannot be evaluated
 */
export type ReadParameter = (name: string, itemIndex: number, fallback?: unknown) => unknown;

/**
 * Gives what reads the node's parameters in this run. n8n takes about 0.4 ms to evaluate an expression, which is most of
 * the time of a send: so what is no expression is read once, and a field that was dragged from the input is taken from
 * the item. All else is for n8n to evaluate.
 */
export function parameterReader(context: IExecuteFunctions): ReadParameter {
	const items = context.getInputData();
	const node = context.getNode();
	// The input of a tool is not what `$json` stands for in it.
	const canTakeFields = !isTool(node);
	const sources = new Map<string, Source>();

	const sourceOf = (name: string, fallback: unknown): Source => {
		const entered = enteredAs(node.parameters, name);
		if (entered === undefined) return fallback === undefined ? {} : { constant: fallback };
		if (typeof entered === 'object' && entered !== null) return {};
		if (typeof entered !== 'string' || !entered.startsWith('=')) return { constant: entered };
		return { path: canTakeFields ? draggedField(entered) : undefined };
	};

	return (name, itemIndex, fallback) => {
		let source = sources.get(name);
		if (!source) sources.set(name, (source = sourceOf(name, fallback)));
		if ('constant' in source) return source.constant;
		const value = source.path && plainValueAt(items[itemIndex].json, source.path);
		return value ?? context.getNodeParameter(name, itemIndex, fallback);
	};
}

/** Where the values of a parameter come from: one for all items, a field of each, or else n8n. */
type Source = { constant: unknown } | { path?: string[] };

/** What was entered for a parameter, with its expression. */
function enteredAs(parameters: INodeParameters, name: string): unknown {
	return name
		.split('.')
		.reduce<unknown>((at, step) => (at as INodeParameters | undefined)?.[step], parameters);
}

// n8n refuses a `$` by itself.
const STEP =
	/\.(\$?[A-Za-z_][\w$]*)|\['([^'\\{}\n\r]+)'\]|\["([^"\\{}\n\r]+)"\]|\[(0|[1-9]\d{0,8})\]/g;
const DRAGGED_FIELD = new RegExp(`^=\\{\\{\\s*\\$json((?:${STEP.source})+)\\s*\\}\\}$`);

/**
 * The way to a field of the item, as the editor writes it when a field is dragged into a parameter.
 *
 * @param expression e.g. `={{ $json.customer['Phone Number'] }}`
 * @returns e.g. `['customer', 'Phone Number']`; undefined where it is any other expression
 */
export function draggedField(expression: string): string[] | undefined {
	const [, steps] = DRAGGED_FIELD.exec(expression) ?? [];
	if (steps === undefined) return undefined;
	return [...steps.matchAll(STEP)].map(([, ...names]) => names.find((name) => name !== undefined)!);
}

/**
 * A text, number or boolean in an item. n8n has rules of its own for everything else, e.g. for what is missing, for dates
 * and for what every object inherits: then undefined.
 */
function plainValueAt(json: IDataObject, path: string[]): string | number | boolean | undefined {
	let value: unknown = json;
	for (const name of path) {
		if (typeof value !== 'object' || value === null) return undefined;
		if (name in Object.prototype || !Object.hasOwn(value, name)) return undefined;
		value = (value as Record<string, unknown>)[name];
	}
	const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
	return isPlain ? (value as string | number | boolean) : undefined;
}
