import type { IExecuteFunctions } from 'n8n-workflow';

import { getField } from '../shared/fields';
import { createFieldReader, orIfRefused } from './draggedField';

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

export function createParameterReader(context: IExecuteFunctions): ReadParameter {
	const { parameters } = context.getNode();
	const readField = createFieldReader(context);
	const read = (name: string, itemIndex: number, fallback?: unknown) =>
		readField(getField(parameters, name), itemIndex, () =>
			context.getNodeParameter(name, itemIndex, fallback),
		);
	const withParts = (name: string, itemIndex: number) => {
		const value = read(name, itemIndex, '');
		const raw = getField(parameters, name);
		const entered = typeof raw === 'string' ? raw : '';
		const readPart = (part: string) =>
			readField(`=${part}`, itemIndex, () => context.evaluateExpression(part, itemIndex));
		const evaluate = (part: string) => orIfRefused(() => readPart(part), undefined);
		return { value, entered, parts: readParts(entered, value, readPart), evaluate };
	};
	return Object.assign(read, { withParts });
}

/** Expressions as n8n reads them: brackets after a backslash are text, and those at the end may be missing. */
export const PARTS = /(?<!\\)\{\{[^]*?(?:(?<!\\)\}\}|$)/g;

/** @param value what all of the text gives */
function readParts(entered: string, value: unknown, readPart: (part: string) => unknown) {
	const text = entered.startsWith('=') ? entered.slice(1) : '';
	const expressions = text.match(PARTS) ?? [];
	if (expressions.length !== 1)
		return expressions.map((expression) => ({ expression, value: readPart(expression) }));
	// n8n has evaluated it already: only the text around it is cut off.
	const [expression] = expressions;
	const [before, after] = text.split(expression);
	const cutOut = (all: string) => all.slice(before.length, all.length - after.length);
	return [{ expression, value: typeof value === 'string' ? cutOut(value) : value }];
}
