import { InvalidInputError } from '../errors/errorClasses';
import { findAddedNumber, isReference, MAY_BE_EMPTY, throwsError } from './expressions';
import { findMissingPart } from './missingParts';
import type { EvaluatedText } from './parameterReader';
import { FILL_IN, isEmpty, quote, readPlainText, SWITCH_TO_EXPRESSION } from './text';
import { findTrace } from './traces';

const CORRECT =
	'Correct the names of fields in the expression, or say what to use if a value is missing, e.g. {{ $json.name ?? "" }}.';

/**
 * What an expression must give, and what is refused else. Any text is refused with a trace of a missing value, e.g. `undefined`, and
 * if an expression in it fails, for which n8n gives nothing.
 *
 * | of | it needs | a `{{ … }}` gives nothing | a value in it is missing | a number in it is added up |
 * | --- | --- | --- | --- | --- |
 * | the caption | nothing | | | |
 * | the URL | parts | refused, but not after `? … : ""` | if `//`, `/.`, or a `/` or `=` at the end is left | if it gives nothing |
 * | the number | values | refused | refused | refused |
 */
type Needs = 'nothing' | 'parts' | 'values';

/**
 * Reads a text that people receive. It refuses a text that nobody can mean: an expression that n8n does not evaluate, or a text that an
 * expression puts together from a missing value.
 * @param label as n8n shows it @param content what to select instead of a list or an object, e.g. "the text" @throws InvalidInputError
 */
export function readSentText(
	evaluated: EvaluatedText,
	label: string,
	content: string,
	needs: Needs = 'nothing',
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
	{ entered, evaluate, value: text }: EvaluatedText,
	needs: Needs,
): { of: string; what: string; advice: string } | undefined {
	const given = String(value ?? '');
	const isNumber = needs === 'values';
	const advice = needs === 'nothing' ? CORRECT : FILL_IN;
	const trace = findTrace(expression, given, evaluate);
	if (trace) return { of: expression, what: `gives '${trace}'`, advice };
	if (needs === 'nothing') {
		const fails = given === '' && throwsError(expression, evaluate);
		return fails ? { of: expression, what: 'gives nothing', advice } : undefined;
	}
	const isWhole = isEmpty(given)
		? /:\s{0,9}(""|''|``)\s{0,9}\}\}$/.test(expression) && !lacksUrlPart(String(text))
		: MAY_BE_EMPTY.test(expression) || !lacksUrlPart(given);
	if (needs === 'parts' && isWhole) return undefined;
	const added =
		isNumber || isEmpty(given) ? findAddedNumber(expression, given, evaluate) : undefined;
	if (added) {
		const what = isEmpty(given) ? 'is empty' : 'gives a sum';
		const toText = `${added} is a number: write String(${added}) in its place.`;
		return { of: expression, what, advice: toText };
	}
	const missing = findMissingPart(expression, given, evaluate, isNumber ? hasNoDigit : isEmpty);
	if (missing) return { of: missing, what: 'is empty', advice };
	const isNothing = isEmpty(given) || (isNumber && !/[\p{L}\p{N}+(]/u.test(given));
	const isTold = isNumber && isReference(entered);
	return isNothing && !isTold ? { of: expression, what: 'is empty', advice } : undefined;
}

/** A value without a digit, e.g. "-" in an empty cell, is as good as none in a number. */
const hasNoDigit = (value: string) => !/[\p{N}+]/u.test(value);

/** Whether there is nothing between two slashes of an address, in front of its ending, or behind a =. Elsewhere, a part may be nothing. */
const lacksUrlPart = (url: string) =>
	/[^:]\/([/.]|$)/.test(url.split(/[?#]/)[0]) || /(^|[?&])[^=&#?]*=(&|#|$)/.test(url);
