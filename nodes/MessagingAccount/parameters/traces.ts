import { groupBy } from '../shared/groupBy';
import { type Evaluate, REFERENCES } from './expressions';

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

/**
 * Finds a trace of a missing value. A word that stands in what the expression takes, or in its own quotes, is meant as often as it is there.
 * @param given what the expression gives
 * @example findTrace('{{ "Hi " + $json.nme }}', 'Hi undefined', evaluate) // 'undefined'
 */
export function findTrace(expression: string, given: string, evaluate: Evaluate) {
	const changesCase = /upper|title|capital|case/i.test(expression);
	const joins = /[+`]|join|concat|replace|String|encodeURI/.test(expression);
	const exact = joins ? TRACES_BETWEEN_PARTS : TRACES;
	const words = given.match(changesCase ? TRACES_OF_ANY_CASE : exact);
	if (!words) return undefined;
	// JSON has null for a missing value, which is meant only if the expression itself writes JSON.
	const noNull = /stringify|toJsonString/.test(expression) ? '' : ', (_, it) => it ?? ""';
	const toText = (name: string) => evaluate(`{{ JSON.stringify(${name}${noNull}) }}`);
	const quoted = expression.replace(/\\./g, ' ').match(QUOTED);
	const data = [expression.match(REFERENCES)?.map(toText), quoted].join();
	const group = (all: string[]) =>
		groupBy(all, (word) => (changesCase ? word.toLowerCase() : word));
	const [found, meant] = [group(words), group(data.match(TRACES_IN_DATA) ?? [])];
	return [...found].find(([word, all]) => all.length > (meant.get(word)?.length ?? 0))?.[1].at(-1);
}
