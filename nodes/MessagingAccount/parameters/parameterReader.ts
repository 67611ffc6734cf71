import type { IExecuteFunctions } from 'n8n-workflow';

import { getField } from '../shared/fields';
import { createFieldReader } from './draggedField';
import { type Evaluate, orIfRefused, Part, PARTS } from './expressions';

export interface EvaluatedText {
	value: unknown;
	/** The text as entered: with = in front if it is an expression, empty if it is no text. */
	entered: string;
	parts: Part[];
}

export type ParameterReader = ReturnType<typeof createParameterReader>;

export function createParameterReader(context: IExecuteFunctions) {
	const { parameters } = context.getNode();
	const readField = createFieldReader(context);
	/** Reads as `getNodeParameter` does, but also a dragged field with a name that n8n refuses, e.g. "arguments". @throws n8n's own error */
	const read = (name: string, itemIndex: number, fallback?: unknown) =>
		readField(getField(parameters, name), itemIndex, () =>
			context.getNodeParameter(name, itemIndex, fallback),
		);
	/** Reads a parameter, and each `{{ … }}` of its expression by itself, e.g. two in `={{ $json.year }}-{{ $json.id }}`. @throws as above */
	const readWithParts = (name: string, itemIndex: number): EvaluatedText => {
		const value = read(name, itemIndex, '');
		const raw = getField(parameters, name);
		const entered = typeof raw === 'string' ? raw : '';
		// Several checks ask for the same values, and n8n takes long for each.
		const known = new Map<string, unknown>();
		const evaluate: Evaluate = (part) => {
			const askN8n = () => context.evaluateExpression(part, itemIndex);
			const ask = () => readField(`=${part}`, itemIndex, askN8n);
			if (!known.has(part)) known.set(part, orIfRefused(ask, undefined));
			return known.get(part);
		};
		return { value, entered, parts: readParts(entered, value, evaluate) };
	};
	return { read, readWithParts };
}

/** Lists the expressions in a text, with what each gives. @param value what all of the text gives */
function readParts(entered: string, value: unknown, evaluate: Evaluate): Part[] {
	const text = entered.startsWith('=') ? entered.slice(1) : '';
	const expressions = text.match(PARTS) ?? [];
	if (expressions.length !== 1)
		return expressions.map((part) => new Part(part, evaluate(part), evaluate));
	// n8n has evaluated it already: only the text around it is cut off.
	const [expression] = expressions;
	const [before, after] = text.split(expression);
	const cutOut = (all: string) => all.slice(before.length, all.length - after.length);
	return [new Part(expression, typeof value === 'string' ? cutOut(value) : value, evaluate)];
}
