import { InvalidInputError } from '../errors/errorClasses';
import { findLost, findTrace, isReference } from './missingValues';
import type { EvaluatedText } from './parameterReader';
import { isEmpty, quote, readPlainText, SWITCH_TO_EXPRESSION } from './text';

const CORRECT =
	'Correct the names of fields in the expression, or say what to use if a value is missing, e.g. {{ $json.name ?? "" }}.';
const FILL_IN = 'The cell may be empty: fill it in. If it is not, correct the expression.';

/** Whether each `{{ … }}` must give something, or even each value in it. */
type Needs = 'parts' | 'values' | undefined;

/**
 * Reads a text that people receive. It refuses a text that nobody can mean: an expression that n8n does not evaluate, or a text that an
 * expression puts together from a missing value.
 * @param label as n8n shows it @param content what to select instead of a list or an object, e.g. "the text" @throws InvalidInputError
 */
export function readSentText(
	evaluated: EvaluatedText,
	label: string,
	content: string,
	needs?: Needs,
): string {
	const text = readPlainText(evaluated.value, label, content);
	if (!evaluated.entered.startsWith('=') && text.includes('{{'))
		throw new InvalidInputError(`${quote(text)} in '${label}' contains {{`, SWITCH_TO_EXPRESSION);
	for (const part of evaluated.parts) {
		const { gives, advice, what = part.expression } = findFault(part, evaluated, needs) ?? {};
		if (!gives) continue;
		throw new InvalidInputError(
			`${quote(what)} in '${label}' gives ${gives} for this item`,
			advice!,
		);
	}
	return text;
}

/** Finds what is wrong with one `{{ … }}`. What it gives comes first: what it takes may be anything if it is not needed. */
function findFault(
	{ expression, value }: EvaluatedText['parts'][number],
	{ entered, evaluate }: EvaluatedText,
	needs: Needs,
): { gives: string; advice: string; what?: string } | undefined {
	const given = String(value ?? '');
	const trace = findTrace(expression, given, evaluate);
	if (trace) return { gives: `'${trace}'`, advice: needs ? FILL_IN : CORRECT };
	if (!needs || (needs === 'parts' && !isEmpty(given))) return undefined;
	const { number, missing } = findLost(expression, given, evaluate);
	if (number) {
		const advice = `${number} is a number: write String(${number}) in its place.`;
		return { gives: isEmpty(given) ? 'nothing' : 'a sum', advice };
	}
	if (missing) return { gives: 'nothing', advice: FILL_IN, what: missing };
	// 'Number' alone is told to be empty by its reader.
	const isTold = needs === 'values' && isReference(entered);
	return isEmpty(given) && !isTold ? { gives: 'nothing', advice: FILL_IN } : undefined;
}
