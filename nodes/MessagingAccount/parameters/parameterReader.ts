import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { getField } from '../shared/fields';
import { isToolNode } from '../n8n/isToolNode';

export interface ReadParameter {
	/** Reads as `getNodeParameter` does, but also a dragged field with a name that n8n refuses, e.g. "arguments". @throws n8n's own error */
	(name: string, itemIndex: number, fallback?: unknown): unknown;

	/** Reads a parameter, and each `{{ … }}` of its expression by itself, e.g. two in `={{ $json.year }}-{{ $json.id }}`. @throws as above */
	withParts(name: string, itemIndex: number): EvaluatedText;
}

export interface EvaluatedText {
	value: unknown;
	/** The text as entered: with = in front if it is an expression, empty if it is no text. */
	entered: string;
	/** What each `{{ … }}` gives. */
	parts: Array<{ expression: string; value: unknown }>;
	/** Evaluates another expression for the same item, e.g. `{{ $json.name }}`; undefined if n8n refuses it. */
	evaluate: (expression: string) => unknown;
}

/** The dragged fields, by workflow and node, that this process has compared with n8n's evaluation: n8n stays the same while it runs. */
export const comparedFields = new Set<string>();

/**
 * Creates the parameter reader for one run of the node. n8n takes about 0.4 ms to evaluate an expression, most of the time of a send. So a
 * fixed value is read once, and a field dragged from the input is taken directly from the item. n8n evaluates all other expressions. What is
 * taken first of each field is compared with n8n's own evaluation: n8n has changed how it reads properties before (2.46, 2.48), and a wrong
 * recipient is the worst that can happen. If they differ, n8n evaluates everything. It is compared once, not in each execution: in a workflow
 * without other expressions, n8n's engine takes a seventh of the time of an execution with one item to start.
 */
export function createParameterReader(context: IExecuteFunctions): ReadParameter {
	const items = context.getInputData();
	const node = context.getNode();
	// In a tool, `$json` does not refer to the input.
	let takesFields = !isToolNode(node);
	/** The readers, by name of the parameter or expression of a part. */
	const readers = Object.create(null) as Record<string, Reader>;
	const texts = Object.create(null) as Record<string, ReturnType<typeof splitText>>;

	const createReader = (raw: unknown, evaluate: Reader, fallback?: unknown): Reader => {
		if (raw === undefined) return fallback === undefined ? evaluate : () => fallback;
		if (typeof raw === 'object' && raw !== null) return evaluate;
		if (typeof raw !== 'string' || !raw.startsWith('=')) return () => raw;
		const path = parseDraggedField(raw);
		const key = [context.getWorkflow().id, node.id, raw].join(' ');
		return (index) => {
			const value = path && takesFields ? getPlainValue(items[index].json, path) : undefined;
			if (value === undefined) return evaluate(index);
			takesFields = comparedFields.has(key) || attempt(() => evaluate(index), value) === value;
			if (takesFields) comparedFields.add(key);
			return takesFields ? value : evaluate(index);
		};
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
	const splitText = (name: string) => {
		const raw = getField(node.parameters, name);
		const entered = typeof raw === 'string' ? raw : '';
		const text = entered.startsWith('=') ? entered.slice(1) : '';
		const all: string[] = text.match(PARTS) ?? [];
		// n8n has evaluated a single expression already: only the text around it is cut off.
		const [before, after] = all.length === 1 ? text.split(all[0]) : [];
		return { entered, expressions: all, before, after };
	};
	const withParts = (name: string, itemIndex: number) => {
		const value = read(name, itemIndex, '');
		const { entered, expressions, before, after = '' } = (texts[name] ??= splitText(name));
		const readAlone = (expression: string) => {
			if (before === undefined) return readPart(expression, itemIndex);
			const end = String(value).length - after.length;
			return typeof value === 'string' ? value.slice(before.length, end) : value;
		};
		const parts = expressions.map((expression) => ({ expression, value: readAlone(expression) }));
		const evaluate = (expression: string) => attempt(() => readPart(expression, itemIndex));
		return { value, entered, parts, evaluate };
	};
	return Object.assign(read, { withParts });
}

type Reader = (itemIndex: number) => unknown;

/** Returns what n8n gives, or something else if it refuses the expression, e.g. because of the name of a field. */
function attempt(evaluate: () => unknown, otherwise?: unknown): unknown {
	try {
		return evaluate();
	} catch {
		return otherwise;
	}
}

/** Expressions as n8n reads them: brackets after a backslash are text, and those at the end may be missing. */
const PARTS = /(?<!\\)\{\{[^]*?(?:(?<!\\)\}\}|$)/g;

// n8n rejects a bare `$`.
const STEP =
	/\.(\$?[A-Za-z_][\w$]*)|\['([^'\\{}\n\r]+)'\]|\["([^"\\{}\n\r]+)"\]|\[(0|[1-9]\d{0,8})\]/g;
const DRAGGED_FIELD = new RegExp(`^=\\{\\{\\s*\\$json((?:${STEP.source})+)\\s*\\}\\}$`);

/** Returns the path of a field that was dragged into a parameter, e.g. as `={{ $json['First Name'] }}`; undefined for any other expression. */
export function parseDraggedField(expression: string): string[] | undefined {
	const [, steps] = DRAGGED_FIELD.exec(expression) ?? [];
	if (steps === undefined) return undefined;
	return [...steps.matchAll(STEP)].map(([, ...names]) => names.find((name) => name !== undefined)!);
}

/** Returns a text, number or boolean of an item; undefined for anything else, e.g. dates and inherited fields: n8n has rules for them. */
function getPlainValue(json: IDataObject, path: string[]): unknown {
	const value = path.some((name) => name in Object.prototype) ? undefined : getField(json, path);
	return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}
