import { isReference, type Part, REFERENCES } from './expressions';
import { isEmpty } from './text';

/**
 * Marks of 1 and of 7: a value is missing if both show, for one alone may be what the expression takes in place of nothing. For each digit,
 * one length is enough: an expression may cut a part, or ask whether it has two or three digits.
 */
const MARKS = ['1', '7'].map((digit) => [2, 3, 5].map((count) => digit.repeat(count)));

/** The most characters of what is looked at: it is evaluated and compared several times. */
const MAX_LENGTH = 10_000;
/** The most empty fields of an object that are looked at. */
const MAX_EMPTY_FIELDS = 20;

/** A number in front of whose + nothing is missing. */
const INTERNATIONAL = /^\s*\+[\d\s().-]+$/;

/** What may give nothing, and what is written in its place with a mark: `{ BR: "55" }[$json.country] ?? ""`, `$json.areas.join("")`. */
const RESULTS: Array<[pattern: RegExp, marked: (mark: string) => string]> = [
	// An empty text as the other choice, but not `? … : ""`: if a number has its country code, nothing is put in front.
	[/((?:\?\?|\|\|)\s{0,9})(?:""|''|``)/g, (mark) => `$1${mark}`],
	// What joins a list, but not `? … : []`, or takes a text out of what a call gives: `.split(";")[1]` or `JSON.parse(…).area`.
	[
		/((?<!: ?\[\]\))\.join\([^()]*\)|\)(?:\??\.\w+(?![\w(])|\[\d+\])+)(?![\w?[(]|\.(?!trim|replace|slice))/g,
		(mark) => `$1?.toString().replace(/^$/, ${mark})`,
	],
];

/**
 * Finds a value that is nothing, and leaves nothing in what the expression gives: with a mark in its place, all else is the same.
 *
 * | expression | gives | with the mark 11 in place of what is nothing | missing |
 * | --- | --- | --- | --- |
 * | `{{ "+49" + $json.area + $json.local }}` | +491234567 | +49111234567 | `$json.area` |
 * | `{{ $json.mobile \|\| $json.phone }}` | 4915112345 | 11: it replaces all of the other value | none |
 *
 * @param isNothing says it e.g. of a value without a digit
 */
export function findMissingPart(part: Part, isNothing: (value: string) => boolean) {
	const { expression, given, evaluate } = part;
	if (isReference(expression) || isEmpty(given) || given.length > MAX_LENGTH) return undefined;
	const { taken } = part;
	const isElsewhere = (one: string) =>
		expression.includes(one) || taken.some(({ value }) => String(value) === one);
	// What JavaScript may write for nothing: `"".padStart(2, "0")`, and `"client" + null`.
	const written = ['00', '000', 'null'].filter((one) => !isElsewhere(one));
	for (const { name, value, putInPlace } of listCandidates(part, isNothing)) {
		// Letters stay in a number, e.g. `c.us`, unless the expression drops them. `Number("")` is 0.
		const formsOfNothing = ['', '0', ...(/[\p{L}(]/u.test(value) ? [] : [value, ...written])];
		/** Whether all that the mark changes is that it stands in place of nothing. */
		const standsForNothing = (mark: string) => {
			const marked = String(evaluate(putInPlace(`"${mark}"`)) ?? '');
			if (INTERNATIONAL.test(given) && !/^\s*\+/.test(marked)) return false;
			const isBetween = isEmpty(value) && isBetweenDigits(mark[0], marked, given);
			return isBetween || formsOfNothing.some((one) => isInserted(mark[0], marked, given, one));
		};
		if (MARKS.every((marks) => marks.some(standsForNothing))) return name;
	}
	return undefined;
}

/** Lists what may be missing, each with the expression that has a mark in its place. */
function* listCandidates(part: Part, isNothing: (value: string) => boolean) {
	const { expression, taken } = part;
	for (const { name, value } of taken) {
		const replaceTaken = (instead: string) =>
			expression.replace(REFERENCES, (one) => (one === name ? instead : one));
		for (const field of listEmptyFields(part, name, value, replaceTaken)) {
			const fieldName = /\D/.test(field) ? field : `${name}[${field}]`;
			const putInPlace = (mark: string) => replaceTaken(fillIn(name, [field], mark));
			yield { name: fieldName, value: '', putInPlace };
		}
		if (isNothing(String(value))) yield { name, value: String(value), putInPlace: replaceTaken };
	}
	for (const [pattern, marked] of RESULTS) {
		const putInPlace = (mark: string) => expression.replace(pattern, marked(mark));
		if (expression.search(pattern) !== -1) yield { name: expression, value: '', putInPlace };
	}
}

/** Lists the names of an object's fields that are empty, at any depth, those first that the expression names: it may take any, or none. */
function listEmptyFields(
	{ expression, given, evaluate }: Part,
	name: string,
	value: unknown,
	replaceTaken: (instead: string) => string,
): string[] {
	// A long list is for looking something up, and has none.
	if (typeof value !== 'object' || (Array.isArray(value) && value.length > 100)) return [];
	const json = String(evaluate(`{{ JSON.stringify(${name}) }}`) ?? null);
	if (json.length > MAX_LENGTH) return [];
	const fields = new Set<string>();
	JSON.parse(json, (field, inner: unknown) => {
		// The value itself has no name.
		if (field !== '' && isEmpty(inner)) fields.add(field);
		return inner;
	});
	const isNamed = (field: string) => Number(expression.includes(field));
	const sorted = [...fields].sort((a, b) => isNamed(b) - isNamed(a));
	if (sorted.length === 0) return [];
	const takesNone = String(evaluate(replaceTaken(fillIn(name, sorted, '"11111"')))) === given;
	return takesNone ? [] : sorted.slice(0, MAX_EMPTY_FIELDS);
}

/** Writes an object with a mark in place of what is empty in these fields. */
const fillIn = (name: string, fields: string[], mark: string) =>
	`JSON.parse(JSON.stringify(${name}), (name, it) => ${JSON.stringify(fields)}.includes(name) && /^\\s*$/.test(it ?? "") ? ${mark} : it)`;

/** Whether a text has only a run of this digit in place of something. @example isInserted('1', '+49 11 23', '+49  23', '') // true */
function isInserted(digit: string, marked: string, given: string, inPlaceOf: string): boolean {
	const run = digit.repeat(Math.max(0, marked.length - given.length + inPlaceOf.length));
	if (run === '' || marked === given) return false;
	for (let at = marked.indexOf(run); at !== -1; at = marked.indexOf(run, at + 1))
		if (marked.slice(0, at) + inPlaceOf + marked.slice(at + run.length) === given) return true;
	return false;
}

/** The same for the digits alone: ` (11) ` may be in place of a space. At the end, an extension may be missing, and need not be there. */
function isBetweenDigits(digit: string, marked: string, given: string): boolean {
	const [all, others] = [marked, given].map((text) => text.replace(/\D/g, ''));
	const isAtEnd = all.startsWith(others) || all.endsWith(others);
	return !isAtEnd && isInserted(digit, all, others, '');
}
