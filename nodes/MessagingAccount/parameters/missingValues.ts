import { groupBy } from '../shared/groupBy';
import { isEmpty } from './text';

/** Evaluates an expression for an item, e.g. `{{ $json.name }}`; undefined if n8n refuses it. */
type Evaluate = (expression: string) => unknown;

/** What JavaScript writes into a text for a missing value, or for one that has no form as text. */
const TRACES =
	/undefined|UNDEFINED|\bNaN\b|\bInfinity\b|(\[|%5B)object( |%20)\w+(\]|%5D)|\[native code\]|Invalid Date(Time)?/g;
/** The same for a text that is put together. Elsewhere, “null” is a word in several languages. */
const TRACES_BETWEEN_PARTS = new RegExp(`${TRACES.source}|\\bnull\\b`, 'g');
/** The same if the expression changes the case. */
const TRACES_OF_ANY_CASE = new RegExp(TRACES_BETWEEN_PARTS, 'gi');

/** The same in what an expression takes, which may be taken apart: `Studio_NaN`. */
const MEANT = new RegExp(TRACES_OF_ANY_CASE.source.replaceAll('\\b', ''), 'gi');

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
	const meant = [expression.match(REFERENCES)?.map(toText), quoted].join();
	const group = (all: string[]) => groupBy(all, (word) => word.toLowerCase());
	const [found, expected] = [group(words), group(meant.match(MEANT) ?? [])];
	const isTrace = ([word, all]: [string, string[]]) =>
		all.length > (expected.get(word)?.length ?? 0);
	return [...found].find(isTrace)?.[1][0];
}

/**
 * Finds what an expression takes, but does not give: a number, which would be there as text, or nothing, where a mark would be.
 * @example findLost('{{ $json.code + $json.phone }}', '987654376', evaluate) // { number: '$json.code' }
 * @example findLost('{{ "+49" + $json.area + $json.local }}', '+491234567', evaluate) // { missing: '$json.area' }
 */
export function findLost(
	expression: string,
	given: string,
	evaluate: Evaluate,
): { number?: string; missing?: string } {
	if (isReference(expression)) return {};
	const names = [...new Set(expression.match(REFERENCES))];
	const values = new Map(names.map((name) => [name, evaluate(`{{ ${name} }}`)]));
	const evaluateWith = (change: (name: string) => string) =>
		String(evaluate(expression.replace(REFERENCES, change)) ?? '');
	const isNumber = (name: string) => typeof values.get(name) === 'number';
	// 49 + 151 gives 200: as text, a number that is added up would change the result, which proves it.
	const number = names.find((name) => isNumber(name) && !given.includes(String(values.get(name))));
	const joined = number && evaluateWith((name) => (isNumber(name) ? `String(${name})` : name));
	const isAdded = joined !== given && joined?.includes(String(values.get(number!)));
	if (isAdded && !/[=!]==/.test(expression)) return { number };
	if (isEmpty(given)) return {};
	// "+49" + "" + "1234567": a mark in place of what has no digit would show in the result, and change nothing else. `Number("")` is 0.
	const isMissing = (name: string) => {
		const value = String(values.get(name) ?? '');
		const marked = evaluateWith((one) => (one === name ? '"11111"' : one));
		const isInstead = (was: string) => marked.replace('11111', was) === given;
		// Letters stay in a number, e.g. `c.us`, unless the expression drops them.
		const isText = /[\p{L}(]/u.test(value);
		const instead = isText ? ['', '0'] : ['', '0', value];
		return !/[\p{N}+]/u.test(value) && marked !== given && instead.some(isInstead);
	};
	return { missing: names.find(isMissing) };
}
