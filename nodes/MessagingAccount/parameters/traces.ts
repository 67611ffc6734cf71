import { groupBy } from '../shared/groupBy';
import { type Part, REFERENCES } from './expressions';

/** What JavaScript writes into a text for a missing value, or for one that has no form as text. Nobody else writes these words. */
const WORDS = String.raw`undefined|UNDEFINED|\bInfinity\b|(\[|%5B)object( |%20)\w+(\]|%5D)|\[native code\]|Invalid Date(Time)?`;
/** Maybe beside a unit, e.g. `NaNkg`. */
const NAN = String.raw`(?<=\b\w?)NaN(?=\w{0,2}\b)`;
/** Neither nulla nor nulle, which are words. */
const NULL = String.raw`(?<=\b\w?)null(?![aeiou])(?=\w{0,2}\b)`;
const IF_ALONE = new RegExp(`${WORDS}|${NAN}`, 'g');
/** Also “null”, in a text that is put together: it is a word in several languages. */
const IF_JOINED = new RegExp(`${IF_ALONE.source}|${NULL}`, 'g');
/** In capitals or not, if the expression changes that: then NaN only as a word, for “nan” is also in Nancy. */
const IF_CASE_CHANGES = new RegExp(String.raw`${WORDS}|\bNaN\b|${NULL}`, 'gi');
/** The same in what an expression takes, which may be taken apart: `Studio_NaN`. */
const IN_DATA = new RegExp(IF_CASE_CHANGES.source.replaceAll('\\b', ''), 'gi');

const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

/**
 * Finds a trace of a missing value. A word that stands in what the expression takes, or in its own quotes, is meant as often as it is there.
 * @example of '{{ "Hi " + $json.nme }}', which gives 'Hi undefined': 'undefined'
 */
export function findTrace(part: Part) {
	const { expression, given } = part;
	const changesCase = /upper|title|capital|case/i.test(expression);
	const joins = /[+`]|join|concat|replace|String|encodeURI/.test(expression);
	const ofCase = joins ? IF_JOINED : IF_ALONE;
	const words = given.match(changesCase ? IF_CASE_CHANGES : ofCase);
	if (!words) return undefined;
	const toWord = (one: string) => (changesCase ? one.toLowerCase() : one);
	const [found, meant] = [words, listMeant(part)].map((all) => groupBy(all, toWord));
	return [...found].find(([word, all]) => all.length > (meant.get(word)?.length ?? 0))?.[1].at(-1);
}

/** Lists the same words in what an expression takes, and in its own quotes. */
function listMeant({ expression, evaluate }: Part): string[] {
	// JSON has null for a missing value, which is meant only if the expression itself writes JSON.
	const noNull = /stringify|toJsonString/.test(expression) ? '' : ', (_, it) => it ?? ""';
	const toText = (name: string) => evaluate(`{{ JSON.stringify(${name}${noNull}) }}`);
	const quoted = expression.replace(/\\./g, ' ').match(QUOTED);
	return [expression.match(REFERENCES)?.map(toText), quoted].join().match(IN_DATA) ?? [];
}
