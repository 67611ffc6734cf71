import { InvalidInputError } from '../errors/errorClasses';
import { findLost, findTrace, isReference } from './missingValues';
import type { EvaluatedText } from './parameterReader';
import { isEmpty, quote, readPlainText, SWITCH_TO_EXPRESSION } from './text';

const CORRECT =
	'Correct the names of fields in the expression, or say what to use if a value is missing, e.g. {{ $json.name ?? "" }}.';
const FILL_IN = 'The cell may be empty: fill it in. If it is not, correct the expression.';

/** Whether each `{{ … }}` must give something, as in the URL, or even each value in it, as in the number. The caption needs neither. */
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
		const fault = findFault(part, evaluated, needs);
		if (!fault) continue;
		const message = `${quote(fault.of)} in '${label}' ${fault.what} for this item`;
		throw new InvalidInputError(message, fault.advice);
	}
	return text;
}

/** Finds what is wrong with one `{{ … }}`. `readPhoneNumber` tells that a field alone is empty. */
function findFault(
	{ expression, value }: EvaluatedText['parts'][number],
	{ entered, evaluate }: EvaluatedText,
	needs: Needs,
): { of: string; what: string; advice: string } | undefined {
	const given = String(value ?? '');
	const trace = findTrace(expression, given, evaluate);
	if (trace) return { of: expression, what: `gives '${trace}'`, advice: needs ? FILL_IN : CORRECT };
	if (!needs || (needs === 'parts' && !isEmpty(given))) return undefined;
	const { number, missing } = findLost(expression, given, evaluate);
	if (number) {
		const advice = `${number} is a number: write String(${number}) in its place.`;
		return { of: expression, what: isEmpty(given) ? 'is empty' : 'gives a sum', advice };
	}
	if (missing) return { of: missing, what: 'is empty', advice: FILL_IN };
	const isTold = needs === 'values' && isReference(entered);
	// A part of a number that has no digit, e.g. "-" in an empty cell, is as good as none.
	const isNothing = isEmpty(given) || (needs === 'values' && !/[\p{L}\p{N}+(]/u.test(given));
	if (isTold || !isNothing) return undefined;
	return { of: expression, what: 'is empty', advice: FILL_IN };
}
