import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { getField } from '../shared/fields';
import { isToolNode } from '../shared/isToolNode';

export interface ReadParameter {
	/**
	 * Reads a parameter of the node for one item, as `getNodeParameter` does. But a dragged field may also have a name that n8n refuses in
	 * expressions, e.g. "arguments".
	 *
	 * @param name with dots into a collection, e.g. "options.timeout"
	 * @throws n8n's own error if an expression cannot be evaluated
	 */
	(name: string, itemIndex: number, fallback?: unknown): unknown;

	/**
	 * Reads a parameter, and each `{{ … }}` of its expression by itself, e.g. two in `={{ $json.year }}-{{ $json.id }}`.
	 *
	 * @returns `entered` is its text as entered: with = in front if it is an expression, empty if it is no text
	 */
	withParts(
		name: string,
		itemIndex: number,
	): { value: unknown; entered: string; parts: Array<{ expression: string; value: unknown }> };
}

/**
 * Creates the parameter reader for one run of the node. n8n takes about 0.4 ms to evaluate an expression, most of the time of a send. So a
 * fixed value is read once, and a field dragged from the input is taken directly from the item. n8n evaluates all other expressions.
 */
export function createParameterReader(context: IExecuteFunctions): ReadParameter {
	const items = context.getInputData();
	const node = context.getNode();
	// In a tool, `$json` does not refer to the input.
	const canTakeFields = !isToolNode(node);
	/** The readers, by name of the parameter or expression of a part. */
	const readers = Object.create(null) as Record<string, Reader>;

	const createReader = (raw: unknown, evaluate: Reader, fallback?: unknown): Reader => {
		if (raw === undefined) return fallback === undefined ? evaluate : () => fallback;
		if (typeof raw === 'object' && raw !== null) return evaluate;
		if (typeof raw !== 'string' || !raw.startsWith('=')) return () => raw;
		const path = canTakeFields ? parseDraggedField(raw) : undefined;
		return path ? (index) => getPlainValue(items[index].json, path) ?? evaluate(index) : evaluate;
	};
	const read = (name: string, itemIndex: number, fallback?: unknown): unknown => {
		const evaluate = (index: number) => context.getNodeParameter(name, index, fallback);
		readers[name] ??= createReader(getField(node.parameters, name), evaluate, fallback);
		return readers[name](itemIndex);
	};
	const readPart = (part: string, itemIndex: number): unknown => {
		const evaluate = (index: number) => context.evaluateExpression(part, index);
		readers[part] ??= createReader(`=${part}`, evaluate);
		return readers[part](itemIndex);
	};
	const withParts = (name: string, itemIndex: number) => {
		const value = read(name, itemIndex, '');
		const raw = getField(node.parameters, name);
		const entered = typeof raw === 'string' ? raw : '';
		const text = entered.startsWith('=') ? entered.slice(1) : '';
		const expressions = text.match(PARTS) ?? [];
		// n8n has evaluated a single expression already: only the text around it is cut off.
		const [before, after] = expressions.length === 1 ? text.split(expressions[0]) : [];
		const readAlone = (expression: string) => {
			if (before === undefined) return readPart(expression, itemIndex);
			const end = String(value).length - after.length;
			return typeof value === 'string' ? value.slice(before.length, end) : value;
		};
		const parts = expressions.map((expression) => ({ expression, value: readAlone(expression) }));
		return { value, entered, parts };
	};
	return Object.assign(read, { withParts });
}

type Reader = (itemIndex: number) => unknown;

/** Expressions as n8n reads them: brackets after a backslash are text, and those at the end may be missing. */
const PARTS = /(?<!\\)\{\{[^]*?(?:(?<!\\)\}\}|$)/g;

// n8n rejects a bare `$`.
const STEP =
	/\.(\$?[A-Za-z_][\w$]*)|\['([^'\\{}\n\r]+)'\]|\["([^"\\{}\n\r]+)"\]|\[(0|[1-9]\d{0,8})\]/g;
const DRAGGED_FIELD = new RegExp(`^=\\{\\{\\s*\\$json((?:${STEP.source})+)\\s*\\}\\}$`);

/**
 * Parses the expression that the editor writes when a field is dragged into a parameter.
 *
 * @param expression e.g. `={{ $json.customer['Phone Number'] }}`
 * @returns the path of the field, e.g. `['customer', 'Phone Number']`; undefined for any other expression
 */
export function parseDraggedField(expression: string): string[] | undefined {
	const [, steps] = DRAGGED_FIELD.exec(expression) ?? [];
	if (steps === undefined) return undefined;
	return [...steps.matchAll(STEP)].map(([, ...names]) => names.find((name) => name !== undefined)!);
}

/**
 * Returns a text, number or boolean of an item; undefined for everything else, e.g. missing fields, dates and inherited properties, for
 * which n8n has its own rules.
 */
function getPlainValue(json: IDataObject, path: string[]): unknown {
	const value = path.some((name) => name in Object.prototype) ? undefined : getField(json, path);
	return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}
