import { InvalidInputError } from '../errors/errorClasses';
import type { ReadParameter } from './parameterReader';
import { cleanText, quote, readPlainText } from './plainValue';

/** Traces in a text that JavaScript puts together from a missing value, or from one that has no form as text. */
const MISTAKE =
	/undefined|UNDEFINED|\bNaN\b|\bInfinity\b|(\[|%5B)object( |%20)\w+(\]|%5D)|\[native code\]|Invalid Date(Time)?/;
/** The same for a text that is put together with + or in a template. Elsewhere, “null” is a word in several languages. */
const MISTAKE_BETWEEN_PARTS = new RegExp(`${MISTAKE.source}|\\bnull\\b`);

/** An expression that takes a value from somewhere as it is: such a text may say anything. */
const TAKEN =
	/^\{\{\s*(\/\*((?!\*\/).)*\*\/\s*)?(\$fromAI\(("[^"]*"|'[^']*'|`[^`]*`|[^"'`)])*\)|\$\w*(\(("[^"]*"|'[^']*')\))?(\??\.[\w$]+(\(\))?|\[(\d+|"[^"]*"|'[^']*')\])*)\s*(\}\}|$)/s;

export const SWITCH_TO_EXPRESSION =
	'To have n8n evaluate it, switch the field from Fixed to Expression.';

const CORRECT =
	'Correct the names of fields in the expression, or say what to use if a value is missing, e.g. {{ $json.name ?? "" }}.';

/**
 * Reads a text that people receive. It refuses a text that nobody can mean: an expression that n8n does not evaluate, or a text that an
 * expression puts together from a missing value. A text that comes from one field is sent as it is.
 *
 * @param label as n8n shows it
 * @param content what to select instead of a list or an object, e.g. "the text"
 * @param mustGive whether each `{{ … }}` must give something
 * @throws InvalidInputError
 */
export function readSentText(
	{ value, entered, parts }: ReturnType<ReadParameter['withParts']>,
	{ label, content, mustGive = false }: { label: string; content: string; mustGive?: boolean },
): string {
	const text = readPlainText(value, label, content);
	if (!entered.startsWith('=') && text.includes('{{')) {
		throw new InvalidInputError(`${quote(text)} in '${label}' contains {{`, SWITCH_TO_EXPRESSION);
	}
	for (const { expression, value: given } of parts) {
		const isWhole = `=${expression}` === entered.trim();
		const pattern = /[+`]/.test(expression) ? MISTAKE_BETWEEN_PARTS : MISTAKE;
		const [mistake] = pattern.exec(String(given)) ?? [];
		const isTaken = TAKEN.test(expression) && (isWhole || given !== mistake);
		const isNothing = mustGive && (isEmpty(given) || Number.isNaN(given));
		if (!isNothing && (mistake === undefined || (isTaken && typeof given !== 'object'))) continue;
		throw new InvalidInputError(
			`${quote(expression)} in '${label}' gives ${isNothing ? 'nothing' : `'${mistake}'`} for this item`,
			CORRECT,
		);
	}
	return text;
}

/** Whether a value, as text, has nothing but spaces and invisible characters. */
export function isEmpty(value: unknown): boolean {
	return cleanText(String(value ?? '')) === '';
}
