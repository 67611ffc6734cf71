/** Evaluates an expression for an item, e.g. `{{ $json.name }}`. */
export type Evaluate = (expression: string) => unknown;

/** Returns what n8n gives, or something else if it refuses, e.g. an expression with a field of the name “arguments”, or a link to a file. */
export function orIfRefused<T, U>(evaluate: () => T, otherwise: U): T | U {
	try {
		return evaluate();
	} catch {
		return otherwise;
	}
}

/** The expressions in a text as n8n reads them: brackets after a backslash are text, and those at the end may be missing. */
export const PARTS = /(?<!\\)\{\{[^]*?(?:(?<!\\)\}\}|$)/g;

const FROM_AI = /\$fromAI\(("[^"]*"|'[^']*'|`[^`]*`|[^"'`()])*\)/;
/** `$json`, `$('Sheet')`, `$input` and the like. */
const SOURCE = /\$(?=[A-Za-z_(])\w*(\(("[^"]*"|'[^']*')?\))?/;
/** `.first()`, `.itemMatching(0)`, `.name`, `?.name`, `[0]` or `["name"]`, but no other call, and no length. */
const STEP =
	/\??\.(first|last|all|itemMatching)\([\w$]*\)|\??\.(?!length\b)[\p{L}\p{M}\p{N}_$]+(?![\p{L}\p{M}\p{N}_$(])|(\?\.)?\[(\d+|"[^"]*"|'[^']*'|`[^`$]*`)\]/u;
/** What an expression takes from elsewhere, e.g. `$json.name` in `{{ $json.name.trim() }}`. */
export const REFERENCES = new RegExp(`${FROM_AI.source}|${SOURCE.source}(${STEP.source})*`, 'gu');

/** Whether an expression is but one reference, e.g. `{{ $json.name }}`, so that it gives what it takes. Comments are left out. */
export const isReference = (expression: string) =>
	/^=?\{\{(\s|\/\*[^*]*\*\/)*\}\}$/.test(expression.replace(REFERENCES, ''));

/** One `{{ … }}` of a text, with the value that it gives for an item. */
export class Part {
	/** @param evaluate gives undefined for what n8n refuses */
	constructor(
		readonly expression: string,
		readonly value: unknown,
		readonly evaluate: Evaluate,
	) {}

	get given(): string {
		return String(this.value ?? '');
	}

	/** What it takes from elsewhere, with its values. */
	get taken() {
		const evaluate = isReference(this.expression) ? () => this.value : this.evaluate;
		const names = [...new Set(this.expression.match(REFERENCES))];
		return names.map((name) => ({ name, value: evaluate(`{{ ${name} }}`) ?? '' }));
	}
}

/** Says that there may be nothing: `?? ""`, `|| ""` or `? … : ""`. */
export const MAY_BE_EMPTY = /(\?\?|\|\||:)\s{0,9}(""|''|``)/;

/** A name without $, for which n8n gives nothing, alone or as the last choice: `$json.name || friend`. */
const BARE_NAME =
	/(^\{\{|\?\?|\|\|)\s*(?!(?:undefined|null|false)\b)[\p{L}_][\p{L}\p{N}_]*\s*\}\}$/u;

/**
 * Returns an expression that gives nothing because it failed, e.g. `{{ "Hi " + $json.name.trim() }}` without a name. n8n gives undefined for
 * what throws. So it is evaluated once more, in a list with `.join()`: that gives '' for undefined, but undefined for what throws, and NaN
 * for a sum. With `?? ""` or the like, nothing is meant.
 */
export function findFailed({ expression, given, evaluate }: Part): string | undefined {
	if (given !== '' || isReference(expression) || MAY_BE_EMPTY.test(expression)) return undefined;
	if (BARE_NAME.test(expression)) return expression;
	const inList = expression.replace(/^\{\{([^]*)\}\}$/, '[$1\n]');
	const isValid = evaluate(`{{ false && ${inList} }}`) === false;
	const joined = isValid ? String(evaluate(`{{ ${inList}.join() }}`)) : '';
	return /^(undefined|NaN)$/.test(joined) ? expression : undefined;
}

/** Finds a number that is added up, e.g. 49 in `{{ $json.code + $json.phone }}`, which gives 200: as text, its digits would show in 49151. */
export function findAddend(part: Part) {
	const { expression, given, evaluate } = part;
	// It may ask whether something is a number.
	if (/[!=]==/.test(expression)) return undefined;
	const numbers = part.taken.filter(({ value }) => typeof value === 'number');
	const added = numbers.find(({ value }) => !given.includes(String(value)));
	if (!added) return undefined;
	const asText = (name: string) =>
		numbers.some((one) => one.name === name) ? `String(${name})` : name;
	const joined = String(evaluate(expression.replace(REFERENCES, asText)));
	return joined.includes(String(added.value)) ? added.name : undefined;
}
