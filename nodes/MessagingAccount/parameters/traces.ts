import { groupBy } from '../shared/groupBy';
import { type Evaluate, REFERENCES } from './expressions';

/** A character of a unit, as in `NaNkg`, but not of names and words, e.g. Nancy, Inan, nulla. */
const UNIT = '[^\\Waeiouy]';
/** What JavaScript writes into a text for a missing value, or for one that has no form as text. An expression may change its case. */
const TRACES = new RegExp(
	String.raw`undefined|\bInfinity\b|(\[|%5B)object( |%20)\w+(\]|%5D)|\[native code\]|Invalid Date(Time)?|(?<=\b${UNIT}?)(NaN|null)(?=${UNIT}{0,2}\b)`,
	'gi',
);
/** As JavaScript writes them. */
const EXACT_TRACES = new RegExp(TRACES.source, 'g');
/** The same in what an expression takes, which may be taken apart: `Studio_NaN`. */
const TRACES_IN_DATA = new RegExp(TRACES.source.replaceAll('\\b', ''), 'gi');

const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

/**
 * Finds a trace of a missing value. A word that stands in what the expression takes, or in its own quotes, is meant as often as it is there.
 * @param given what the expression gives
 * @example findTrace('{{ "Hi " + $json.nme }}', 'Hi undefined', evaluate) // 'undefined'
 */
export function findTrace(expression: string, given: string, evaluate: Evaluate) {
	const changesCase = /upper|title|capital|case/i.test(expression);
	const words = given.match(changesCase ? TRACES : EXACT_TRACES);
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
