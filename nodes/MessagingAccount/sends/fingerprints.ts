import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { parseDraggedField } from '../parameters/parameterReader';
import { hash } from '../shared/hash';

/** By name of the parameter: the expression as entered. */
export type Expressions = Record<string, string>;

/** The recipient identifies the send: another number is another send, even if the same expression returned it. */
const RECIPIENT = 'number';

/**
 * Returns the expressions whose value may change though neither they nor the input item do, e.g. because they contain the
 * current time.
 *
 * @param parameters of the node, as entered
 */
export function findExpressions(parameters: INodeParameters): Expressions {
	return Object.fromEntries(
		Object.entries(parameters).filter(
			(entry): entry is [string, string] => entry[0] !== RECIPIENT && mayChange(entry[1]),
		),
	);
}

/** A text with fields of the input only changes with these. */
function mayChange(value: unknown): boolean {
	if (typeof value !== 'string' || !value.startsWith('=')) return false;
	const [, ...parts] = value.split('{{');
	return parts.some(
		(part) => !part.includes('}}') || !parseDraggedField(`={{${part.split('}}')[0]}}}`),
	);
}

/**
 * Identifies what a send is about. Each parameter counts as unchanged if its value is the same, or if the same expression was
 * entered and the input is the same. So there is a fingerprint for each combination, and two sends are the same if they have
 * one in common.
 *
 * @param content of the send: its values by name, for a parameter the same name
 * @param expressions from `findExpressions`
 * @param getInput returns the JSON of the input item
 * @returns the fingerprint of all values first
 */
export function createFingerprints(
	content: IDataObject,
	expressions: Expressions,
	getInput: () => string,
): string[] {
	const input = Object.keys(expressions).length > 0 ? getInput() : '';
	const names = [...new Set([...Object.keys(content), ...Object.keys(expressions)])].sort();
	let combinations = [''];
	for (const name of names) {
		const value = content[name] === undefined ? '' : JSON.stringify([name, content[name]]);
		const alternatives = [value];
		if (name in expressions) alternatives.push(JSON.stringify([name, expressions[name], input]));
		combinations = alternatives.flatMap((part) => combinations.map((start) => `${start}${part}`));
	}
	return combinations.map(hash);
}
