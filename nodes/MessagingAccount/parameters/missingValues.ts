import { groupBy } from '../shared/groupBy';
import { isEmpty } from './text';

/** Evaluates an expression for an item, e.g. `{{ $json.name }}`; undefined if n8n refuses it. */
type Evaluate = (expression: string) => unknown;

/**
 * What JavaScript writes into a text for a missing value, or for one that has no form as text. From strict to loose: words that nobody else
 * writes; “null”, too, in a text that is put together, for it is a word in several languages; in any case, if the expression changes it.
 */
const TRACES =
	/undefined|UNDEFINED|\bNaN\b|\bInfinity\b|(\[|%5B)object( |%20)\w+(\]|%5D)|\[native code\]|Invalid Date(Time)?/g;
const TRACES_BETWEEN_PARTS = new RegExp(`${TRACES.source}|\\bnull\\b`, 'g');
const TRACES_OF_ANY_CASE = new RegExp(TRACES_BETWEEN_PARTS, 'gi');
/** The same in what an expression takes, which may be taken apart: `Studio_NaN`. */
const TRACES_IN_DATA = new RegExp(TRACES_OF_ANY_CASE.source.replaceAll('\\b', ''), 'gi');

const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;
const FROM_AI = /\$fromAI\(("[^"]*"|'[^']*'|`[^`]*`|[^"'`()])*\)/;
/** `$json`, `$('Sheet')`, `$input` and the like. */
const SOURCE = /\$(?=[A-Za-z_(])\w*(\(("[^"]*"|'[^']*')?\))?/;
/** `.first()`, `.name`, `?.name`, `[0]` or `["name"]`, but no other call. */
const STEP =
	/\??\.(first|last|all)\(\)|\??\.[\p{L}\p{M}\p{N}_$]+(?![\p{L}\p{M}\p{N}_$(])|(\?\.)?\[(\d+|"[^"]*"|'[^']*')\]/u;
/** What an expression takes from elsewhere, e.g. `$json.name` in `{{ $json.name.trim() }}`. */
export const REFERENCES = new RegExp(`${FROM_AI.source}|${SOURCE.source}(${STEP.source})*`, 'gu');

/** Whether an expression is but one reference, e.g. `{{ $json.name }}`, so that it gives what it takes. Comments are left out. */
export const isReference = (expression: string) =>
	/^=?\{\{(\s|\/\*[^*]*\*\/)*\}\}$/.test(expression.replace(REFERENCES, ''));

function chooseTraces(expression: string): RegExp {
	if (/upper|title|capital|case/i.test(expression)) return TRACES_OF_ANY_CASE;
	return /[+`]|join|concat|replace|String/.test(expression) ? TRACES_BETWEEN_PARTS : TRACES;
}

/**
 * Finds a trace of a missing value. A word that stands in what the expression takes, or in its own quotes, is meant.
 * @example findTrace('{{ "Hi " + $json.nme }}', 'Hi undefined', evaluate) // 'undefined'
 */
export function findTrace(expression: string, given: string, evaluate: Evaluate) {
	const words = given.match(chooseTraces(expression));
	if (!words) return undefined;
	// JSON has null for a missing value, which is meant only if the expression itself writes JSON.
	const noNull = /stringify|toJsonString/.test(expression) ? '' : ', (_, it) => it ?? ""';
	const toText = (name: string) => evaluate(`{{ JSON.stringify(${name}${noNull}) }}`);
	const quoted = expression.replace(/\\./g, ' ').match(QUOTED);
	const data = [expression.match(REFERENCES)?.map(toText), quoted].join();
	const group = (all: string[]) => groupBy(all, (word) => word.toLowerCase());
	const [found, expected] = [group(words), group(data.match(TRACES_IN_DATA) ?? [])];
	const isTrace = ([word, all]: [string, string[]]) =>
		all.length > (expected.get(word)?.length ?? 0);
	return [...found].find(isTrace)?.[1][0];
}

/** Lists what an expression takes from elsewhere, if it does more than that. */
const listReferences = (expression: string) =>
	isReference(expression) ? [] : [...new Set(expression.match(REFERENCES))];

/** Evaluates an expression with something else in place of its references. */
const evaluateWith = (change: (name: string) => string, expression: string, evaluate: Evaluate) =>
	String(evaluate(expression.replace(REFERENCES, change)) ?? '');

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
	const joined = evaluateWith(asText, expression, evaluate);
	return joined.includes(String(added.value)) ? added.name : undefined;
}

/**
 * Finds a value that has no digit, e.g. an empty one, and leaves nothing: a mark in its place would show, and change nothing else.
 * @example findMissingPart('{{ "+49" + $json.area + $json.local }}', '+491234567', evaluate) // '$json.area', which is ''
 */
export function findMissingPart(expression: string, given: string, evaluate: Evaluate) {
	if (isEmpty(given)) return undefined;
	const isMissing = (name: string) => {
		const value = String(evaluate(`{{ ${name} }}`) ?? '');
		if (/[\p{N}+]/u.test(value)) return false;
		const marked = evaluateWith((one) => (one === name ? '"11111"' : one), expression, evaluate);
		// Letters stay in a number, e.g. `c.us`, unless the expression drops them. `Number("")` is 0.
		const rests = /[\p{L}(]/u.test(value) ? ['', '0'] : ['', '0', value];
		return marked !== given && rests.some((rest) => marked.replace('11111', rest) === given);
	};
	return listReferences(expression).find(isMissing);
}
