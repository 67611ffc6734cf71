import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import type { EvaluatedText, ReadOption } from './parameterReader';

/**
 * Reads a plain value as text; empty if there is none. A list is refused: as text, it would become its only entry.
 * @param label as n8n shows it @param content what to select instead, e.g. "the text"
 * @throws InvalidInputError if it is a list or an object
 */
export function readPlainText(value: unknown, label: string, content: string): string {
	// Cutting a text can leave half an emoji, which strict services refuse.
	if (typeof value !== 'object' || value === null)
		return String(value ?? '').replace(/\p{Cs}/gu, '');
	const date = toDateText(value);
	if (date !== undefined) return date;
	const advice = `Select the field that holds ${content}.`;
	throw new InvalidInputError(`'${label}' is a list or an object`, advice);
}

/** Returns a JavaScript date, or one like n8n's `$now`, in ISO 8601; undefined for any other object. */
function toDateText(value: object): string | undefined {
	const { toISO } = value as { toISO?: unknown };
	if (typeof toISO === 'function') return String(toISO.call(value));
	const isDate = Object.prototype.toString.call(value) === '[object Date]';
	return isDate && !Number.isNaN(Number(value)) ? (value as Date).toISOString() : undefined;
}

/** Invisible characters that come with copying. Joiners belong between letters that are not Latin. */
const INVISIBLE =
	/(?!(?<=[^\0-\x7f])[\u200c\u200d](?=[^\0-\x7f]))\p{Cf}|\p{Cs}|\u034f|[\u0085\u2800\u3164]|\ufe0f$/gu;

/** Returns a short text without invisible characters, and without spaces around it. */
export const cleanText = (text: string) => text.replace(INVISIBLE, '').trim();

export const isEmpty = (value: unknown) => cleanText(String(value ?? '')) === '';

/** An address that begins with two schemes, e.g. `https://https://`, also without a colon. `http` may be the name of a host with a port. */
export const TWO_SCHEMES = /^https?:?\/*https?(:\/|\/\/)/i;

export const SWITCH_TO_EXPRESSION =
	'To have n8n evaluate it, switch the field from Fixed to Expression.';

/** Reads an option that names something; empty if there is none. @param named what to enter the name of @throws InvalidInputError */
export function readName(value: unknown, label: string, named: string): string {
	const text = value ?? '';
	const enter = `Enter the name of ${named}`;
	if (typeof text !== 'string')
		throw new InvalidInputError(`'${label}' is not text`, `${enter}, or remove the option.`);
	if (!text.includes('{{')) return cleanText(text);
	throw new InvalidInputError(`'${label}' contains {{`, `${enter}, not an expression.`);
}

/** Reads an option that names several things, separated by commas. @throws InvalidInputError if it is not text */
export function readNames(value: unknown, label: string, named: string): string[] {
	const names = readName(value, label, named).split(',');
	return names.map((name) => name.trim()).filter((name) => name !== '');
}

/**
 * Reads a number, whose range and default are in its property. It may be text, as expressions can return, but no list, even if it is empty.
 * @param advice what to do about any other value @throws InvalidInputError naming the parameter
 */
export function readNumber(
	properties: INodeProperties[],
	name: string,
	read: ReadOption,
	advice: string,
	isWhole = false,
): number {
	const property = properties.find((one) => one.name === name)!;
	const { minValue: min, maxValue: max } = property.typeOptions as Record<string, number>;
	const value = read(name, property.default);
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = typeof value === 'number' || isText ? Number(value) : NaN;
	if (number >= min && number <= max && (!isWhole || Number.isInteger(number))) return number;
	const range = `${isWhole ? 'whole number' : 'number'} from ${min} to ${max}`;
	throw new InvalidInputError(`'${property.displayName}' is not a ${range}`, advice);
}

/** Creates the error for a parameter whose value is none of its choices. @param choices e.g. "Link or Data URI" */
export function noSuchChoice(label: string, value: unknown, choices: string): InvalidInputError {
	const advice = `Choose ${choices}.`;
	return new InvalidInputError(`${quote(String(value))} is not a choice of '${label}'`, advice);
}

/** The most characters of a value that are shown. */
const MAX_QUOTED_LENGTH = 60;

/** Returns an entered value in quotes, for a message that says what is wrong with it: on one line, and shortened. */
export function quote(value: string): string {
	const text = value.slice(0, 2 * MAX_QUOTED_LENGTH).replace(/\p{Cc}+/gu, ' ');
	return `'${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}'`;
}

/** Traces in a text that JavaScript puts together from a missing value, or from one that has no form as text. */
const MISTAKE =
	/undefined|UNDEFINED|\bNaN\b|\bInfinity\b|(\[|%5B)object( |%20)\w+(\]|%5D)|\[native code\]|Invalid Date(Time)?/g;
/** The same for a text that is put together with + or in a template. Elsewhere, “null” is a word in several languages. */
const MISTAKE_BETWEEN_PARTS = new RegExp(`${MISTAKE.source}|\\bnull\\b`, 'g');

/** What an expression takes from elsewhere, e.g. `$json.name` in `{{ $json.name.trim() }}`, and its own texts. */
const TAKEN =
	/\$fromAI\(("[^"]*"|'[^']*'|`[^`]*`|[^"'`()])*\)|\$(?=[A-Za-z_(])\w*(\(("[^"]*"|'[^']*')?\))?(\??\.(first|last|all)\(\)|\??\.[\w$]+(?![\w$(])|(\?\.)?\[(\d+|"[^"]*"|'[^']*')\])*/g;
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

const CORRECT =
	'Correct the names of fields in the expression, or say what to use if a value is missing, e.g. {{ $json.name ?? "" }}.';
const FILL_IN = 'The cell may be empty: fill it in. If it is not, correct the expression.';

/**
 * Reads a text that people receive. It refuses a text that nobody can mean: an expression that n8n does not evaluate, or a text that an
 * expression puts together from a missing value.
 * @param label as n8n shows it @param content what to select instead of a list or an object, e.g. "the text"
 * @param needs whether each `{{ … }}` must give something, or even each value in it @throws InvalidInputError
 */
export function readSentText(
	evaluated: EvaluatedText,
	label: string,
	content: string,
	needs?: 'parts' | 'values',
): string {
	const { entered, parts } = evaluated;
	const text = readPlainText(evaluated.value, label, content);
	if (!entered.startsWith('=') && text.includes('{{'))
		throw new InvalidInputError(`${quote(text)} in '${label}' contains {{`, SWITCH_TO_EXPRESSION);
	for (const { expression, isField, value } of parts) {
		const given = String(value ?? '');
		const refuse = (gives: string, advice: string, what = expression) => {
			const message = `${quote(what)} in '${label}' gives ${gives} for this item`;
			return new InvalidInputError(message, advice);
		};
		const mistake = findMistake(expression, given, evaluated);
		if (mistake) throw refuse(`'${mistake}'`, needs ? FILL_IN : CORRECT);
		if (!needs || (needs === 'parts' && !isEmpty(given))) continue;
		const lost = isField ? undefined : findLost(expression, given, evaluated);
		const { number, missing } = lost ?? {};
		const advice = `${number} is a number: write String(${number}) in its place.`;
		if (number) throw refuse(isEmpty(given) ? 'nothing' : 'a sum', advice);
		if (missing) throw refuse('nothing', FILL_IN, missing);
		// A 'Number' from one field alone is told to be empty.
		const isAlone = () => /^=\{\{(\s|\/\*[^*]*\*\/)*\}\}$/.test(entered.replace(TAKEN, ''));
		if (isEmpty(given) && (needs === 'parts' || !isAlone())) throw refuse('nothing', FILL_IN);
	}
	return text;
}

/** Finds a trace of a missing value. A word that stands in what the expression takes, or in its own quotes, is meant. */
function findMistake(expression: string, given: string, { evaluate }: EvaluatedText) {
	const words = given.match(/[+`]/.test(expression) ? MISTAKE_BETWEEN_PARTS : MISTAKE);
	if (!words) return undefined;
	const noNull = /stringify|toJsonString/.test(expression) ? '' : ', (_, it) => it ?? ""';
	const toText = (name: string) => evaluate(`{{ JSON.stringify(${name}${noNull}) }}`);
	const meant = [expression.match(TAKEN)?.map(toText), expression.match(QUOTED)].join();
	const count = (all: string, word: string) => all.toLowerCase().split(word.toLowerCase()).length;
	return words.find((word) => count(words.join(), word) > count(meant, word));
}

/** Finds what an expression takes, but does not give: a number, which would be there as text, or nothing, where a mark would be. */
function findLost(expression: string, given: string, { evaluate }: EvaluatedText) {
	const names = [...new Set(expression.match(TAKEN))];
	const values = new Map(names.map((name) => [name, evaluate(`{{ ${name} }}`)]));
	const isNumber = (name: string) => typeof values.get(name) === 'number';
	const giveWith = (change: (name: string) => string) =>
		String(evaluate(expression.replace(TAKEN, change)) ?? '');
	const number = names.find((name) => isNumber(name) && !given.includes(String(values.get(name))));
	const text = number && giveWith((name) => (isNumber(name) ? `String(${name})` : name));
	const isLost = !isEmpty(text) && text !== given && !/[=!]==/.test(expression);
	const missing = names.find((name) => {
		if (isEmpty(given) || !isEmpty(values.get(name))) return false;
		const marked = giveWith((one) => (one === name ? '"11111"' : one));
		return marked !== given && marked.replace('11111', '') === given;
	});
	return { number: isLost ? number : undefined, missing };
}
