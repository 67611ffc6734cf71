import { groupBy } from '../shared/groupBy';
import { isEmpty } from './text';

/** Evaluates an expression for an item, e.g. `{{ $json.name }}`; undefined if n8n refuses it. */
export type Evaluate = (expression: string) => unknown;

/** What JavaScript writes into a text for a missing value, or for one that has no form as text. Nobody else writes these words. */
const WORDS = String.raw`undefined|UNDEFINED|\bInfinity\b|(\[|%5B)object( |%20)\w+(\]|%5D)|\[native code\]|Invalid Date(Time)?`;
/** Maybe beside a unit, e.g. `NaNkg`. */
const NAN = String.raw`(?<=\b\w?)NaN(?=\w{0,2}\b)`;
/** Neither nulla nor nulle, which are words. */
const NULL = String.raw`(?<=\b\w?)null(?![aeiou])(?=\w{0,2}\b)`;
const TRACES = new RegExp(`${WORDS}|${NAN}`, 'g');
/** Also “null”, in a text that is put together: it is a word in several languages. */
const TRACES_BETWEEN_PARTS = new RegExp(`${TRACES.source}|${NULL}`, 'g');
/** In any case, if the expression changes it: then not beside letters, as in Nancy. */
const TRACES_OF_ANY_CASE = new RegExp(String.raw`${WORDS}|\bNaN\b|${NULL}`, 'gi');
/** The same in what an expression takes, which may be taken apart: `Studio_NaN`. */
const TRACES_IN_DATA = new RegExp(TRACES_OF_ANY_CASE.source.replaceAll('\\b', ''), 'gi');

const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;
const FROM_AI = /\$fromAI\(("[^"]*"|'[^']*'|`[^`]*`|[^"'`()])*\)/;
/** `$json`, `$('Sheet')`, `$input` and the like. */
const SOURCE = /\$(?=[A-Za-z_(])\w*(\(("[^"]*"|'[^']*')?\))?/;
/** `.first()`, `.name`, `?.name`, `[0]` or `["name"]`, but no other call, and no length. */
const STEP =
	/\??\.(first|last|all)\(\)|\??\.(?!length\b)[\p{L}\p{M}\p{N}_$]+(?![\p{L}\p{M}\p{N}_$(])|(\?\.)?\[(\d+|"[^"]*"|'[^']*'|`[^`$]*`)\]/u;
/** What an expression takes from elsewhere, e.g. `$json.name` in `{{ $json.name.trim() }}`. */
export const REFERENCES = new RegExp(`${FROM_AI.source}|${SOURCE.source}(${STEP.source})*`, 'gu');

/** Whether an expression is but one reference, e.g. `{{ $json.name }}`, so that it gives what it takes. Comments are left out. */
export const isReference = (expression: string) =>
	/^=?\{\{(\s|\/\*[^*]*\*\/)*\}\}$/.test(expression.replace(REFERENCES, ''));

function chooseTraces(expression: string): RegExp {
	if (/upper|title|capital|case/i.test(expression)) return TRACES_OF_ANY_CASE;
	return /[+`]|join|concat|replace|String|encodeURI/.test(expression)
		? TRACES_BETWEEN_PARTS
		: TRACES;
}

/**
 * Finds a trace of a missing value. A word that stands in what the expression takes, or in its own quotes, is meant.
 * @example findTrace('{{ "Hi " + $json.nme }}', 'Hi undefined', evaluate) // 'undefined'
 */
export function findTrace(expression: string, given: string, evaluate: Evaluate) {
	const traces = chooseTraces(expression);
	const words = given.match(traces);
	if (!words) return undefined;
	// JSON has null for a missing value, which is meant only if the expression itself writes JSON.
	const noNull = /stringify|toJsonString/.test(expression) ? '' : ', (_, it) => it ?? ""';
	const toText = (name: string) => evaluate(`{{ JSON.stringify(${name}${noNull}) }}`);
	const quoted = expression.replace(/\\./g, ' ').match(QUOTED);
	const data = [expression.match(REFERENCES)?.map(toText), quoted].join();
	// Null, a name, is another word than null, unless the expression changes the case.
	const toKey = (word: string) => (traces.ignoreCase ? word.toLowerCase() : word);
	const group = (all: string[]) => groupBy(all, toKey);
	const [found, expected] = [group(words), group(data.match(TRACES_IN_DATA) ?? [])];
	const isTrace = ([word, all]: [string, string[]]) =>
		all.length > (expected.get(word)?.length ?? 0);
	return [...found].find(isTrace)?.[1][0];
}

/** An empty text as the other choice. */
export const MAY_BE_EMPTY = /(\?\?|\|\||:)\s{0,9}(""|''|``)/;
/** The same, but for `? … : ""`: if a number has its country code, nothing is put in front. */
const OTHER_CHOICE = /((?:\?\?|\|\|)\s{0,9})(?:""|''|``)/g;

/** A name without $, for which n8n gives nothing. */
const BARE_NAME = /^\{\{\s*(?!(?:undefined|null)\b)[\p{L}_][\p{L}\p{N}_]*\s*\}\}$/u;

/**
 * Whether an expression that gives nothing fails, e.g. a function of a missing value, or a sum: in a list, its value would count. One that
 * says itself what to take instead of a missing value, i.e. nothing, is as it is meant.
 * @example throwsError('{{ "Hi " + $json.name.trim() }}', evaluate) // true without a name
 */
export function throwsError(expression: string, evaluate: Evaluate): boolean {
	if (isReference(expression) || MAY_BE_EMPTY.test(expression)) return false;
	if (BARE_NAME.test(expression)) return true;
	const list = expression.replace(/^\{\{([^]*)\}\}$/, '[$1\n]');
	const canRead = evaluate(`{{ false && ${list} }}`) === false;
	return canRead && /^(undefined|NaN)$/.test(String(evaluate(`{{ ${list}.join() }}`)));
}

/** Lists what an expression takes from elsewhere, if it does more than that. */
const listReferences = (expression: string) =>
	isReference(expression) ? [] : [...new Set(expression.match(REFERENCES))];

/**
 * Finds a number that is added up: the same expression, with numbers as text, would show its digits.
 * @example findAddedNumber('{{ $json.code + $json.phone }}', '200', evaluate) // '$json.code', which is 49, if the phone is 151
 */
export function findAddedNumber(expression: string, given: string, evaluate: Evaluate) {
	// It may ask whether something is a number.
	if (/[!=]==/.test(expression)) return undefined;
	const evaluated = (name: string) => ({ name, value: evaluate(`{{ ${name} }}`) });
	const numbers = listReferences(expression)
		.map(evaluated)
		.filter(({ value }) => typeof value === 'number');
	const added = numbers.find(({ value }) => !given.includes(String(value)));
	if (!added) return undefined;
	const asText = (name: string) =>
		numbers.some((one) => one.name === name) ? `String(${name})` : name;
	const joined = String(evaluate(expression.replace(REFERENCES, asText)));
	return joined.includes(String(added.value)) ? added.name : undefined;
}

/**
 * Two digits, because one may be that of another part: 11 in place of nothing, where 11 would be used otherwise. In several lengths, because
 * an expression may cut a part, or ask whether it has two or three digits.
 */
const MARKS = ['1', '7'].map((digit) => [2, 3, 5].map((count) => digit.repeat(count)));

/**
 * Finds a value that is nothing, and leaves nothing: a mark in its place would show, perhaps cut, and change nothing else.
 * @param isNothing whether a value counts as nothing, e.g. one without a digit
 * @example findMissingPart('{{ "+49" + $json.area + $json.local }}', '+491234567', evaluate, isEmpty) // '$json.area', which is ''
 */
export function findMissingPart(
	expression: string,
	given: string,
	evaluate: Evaluate,
	isNothing: (value: string) => boolean,
) {
	if (isEmpty(given)) return undefined;
	const taken = listReferences(expression).map((name) => {
		const value = evaluate(`{{ ${name} }}`) ?? '';
		return { name, value, text: String(value) };
	});
	const isElsewhere = (one: string) =>
		expression.includes(one) || taken.some(({ text }) => text === one);
	// `"".padStart(2, "0")`, and `"client" + null`.
	const written = ['00', '000', 'null'].filter((one) => !isElsewhere(one));
	// With 11 in place of $json.area, the example gives +49111234567: without that run of 1, it is what was given. So the area is nothing.
	const leavesNothing = (mark: (text: string) => string, value = '') => {
		// Letters stay in a number, e.g. `c.us`, unless the expression drops them. `Number("")` is 0.
		const replaced = ['', '0', ...(/[\p{L}(]/u.test(value) ? [] : [value, ...written])];
		const shows = (digits: string) => {
			const marked = String(evaluate(mark(`"${digits}"`)) ?? '');
			// In front of a +, nothing is missing.
			if (/^\s*\+[\d\s().-]+$/.test(given) && !/^\s*\+/.test(marked)) return false;
			const isAmongDigits = isEmpty(value) && isBetweenDigits(digits[0], marked, given);
			return isAmongDigits || replaced.some((rest) => isInserted(digits[0], marked, given, rest));
		};
		return MARKS.every((lengths) => lengths.some(shows));
	};
	const change = (name: string, instead: string) =>
		expression.replace(REFERENCES, (one) => (one === name ? instead : one));
	for (const { name, value, text } of taken) {
		// Of an object or a list, the expression may take any field or entry, most likely those that it names.
		const isNamed = (one: string) => Number(expression.includes(one));
		const fields = listEmptyFields(name, value, evaluate).sort((a, b) => isNamed(b) - isNamed(a));
		const fill = (some: string[], mark: string) => change(name, fillIn(name, some, mark));
		// Most often, it takes none of those that are empty.
		const filled = fields.length > 0 ? String(evaluate(fill(fields, '"11111"'))) : given;
		const field = fields
			.slice(0, filled === given ? 0 : MAX_FIELDS)
			.find((one) => leavesNothing((mark) => fill([one], mark)));
		if (field) return /\D/.test(field) ? field : `${name}[${field}]`;
		if (isNothing(text) && leavesNothing((mark) => change(name, mark), text)) return name;
	}
	// What is looked up may be nothing: `{ BR: "55" }[$json.country] ?? ""`.
	const fillChoice = (mark: string) => expression.replace(OTHER_CHOICE, `$1${mark}`);
	return MAY_BE_EMPTY.test(expression) && leavesNothing(fillChoice) ? expression : undefined;
}

/** The most characters of an object whose fields are looked at: each is evaluated several times. */
const MAX_JSON_LENGTH = 10_000;
/** The most of these fields. */
const MAX_FIELDS = 20;

/** Lists the names of an object's fields that are empty, at any depth. A long list is for looking something up, and has none. */
function listEmptyFields(name: string, value: unknown, evaluate: Evaluate): string[] {
	if (typeof value !== 'object' || (Array.isArray(value) && value.length > 100)) return [];
	const fields = new Set<string>();
	const json = String(evaluate(`{{ JSON.stringify(${name}) }}`) ?? null);
	if (json.length > MAX_JSON_LENGTH) return [];
	JSON.parse(json, (field, inner: unknown) => {
		if (isEmpty(inner)) fields.add(field);
		return inner;
	});
	return [...fields];
}

/** Writes an object with a quoted text in place of what is empty in these fields. */
const fillIn = (name: string, fields: string[], text: string) =>
	`JSON.parse(JSON.stringify(${name}), (name, it) => ${JSON.stringify(fields)}.includes(name) && /^\\s*$/.test(it ?? "") ? ${text} : it)`;

/** Whether a text has only a run of this digit where the other has the rest, e.g. nothing, and is the same otherwise. */
function isInserted(digit: string, marked: string, given: string, rest: string): boolean {
	const run = digit.repeat(Math.max(0, marked.length - given.length + rest.length));
	if (run === '' || marked === given) return false;
	for (let at = marked.indexOf(run); at !== -1; at = marked.indexOf(run, at + 1))
		if (marked.slice(0, at) + rest + marked.slice(at + run.length) === given) return true;
	return false;
}

/** The same for the digits alone: ` (11) ` may be in place of a space. At the end, an extension may be missing, and need not be there. */
function isBetweenDigits(digit: string, marked: string, given: string): boolean {
	const [all, others] = [marked, given].map((text) => text.replace(/\D/g, ''));
	const isAtEnd = all.startsWith(others) || all.endsWith(others);
	return !isAtEnd && isInserted(digit, all, others, '');
}
