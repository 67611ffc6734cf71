import { InvalidInputError } from '../errors/errorClasses';
import { findChangedNumber } from './changedNumber';
import type { Part } from './expressions';
import {
	failsOnMissing,
	findAddend,
	isReference,
	listTaken,
	MAY_BE_EMPTY,
	PARTS,
	REFERENCES,
} from './expressions';
import { findMissingPart } from './missingParts';
import type { EvaluatedText } from './parameterReader';
import { findCut } from './phoneNumber';
import { FILL_IN, isEmpty, quote, readPlainText, SWITCH_TO_EXPRESSION } from './text';
import { findTrace } from './traces';

const CORRECT =
	'Correct the names of fields in the expression, or say what to use if a value is missing, e.g. {{ $json.name ?? "" }}.';

/** What is wrong with a part, or with a value in it, e.g. `$json.name` “is empty”. */
type Fault = { of: string; what: string; advice: string };

/**
 * The fields whose text people receive, and that of an ID: what to select instead of a list or an object, and what is wrong with a part of
 * it, beside a trace of a missing value, e.g. `undefined`.
 *
 * | field | a `{{ … }}` gives nothing | a value in it is missing | a number in it is added up | or made another one |
 * | --- | --- | --- | --- | --- |
 * | Caption | refused if it fails | | | |
 * | Image URL | refused, unless it has `: ""` or the like | refused if `//`, `/.`, a `/` at the end, or a `=` before nothing is left | refused if it gives nothing | |
 * | Number | refused, but for a choice | refused | refused | refused |
 * | Send Once per ID | refused | refused if that is all that it takes | | |
 */
const FIELDS = {
	Caption: { content: 'the text', advice: CORRECT, findFault: findCaptionFault },
	'Image URL': { content: 'the address of one image', advice: FILL_IN, findFault: findUrlFault },
	Number: { content: 'one number', advice: FILL_IN, findFault: findNumberFault },
	'Send Once per ID': { content: 'the ID', advice: FILL_IN, findFault: findIdFault },
};

/** @throws InvalidInputError for what nobody can mean: an expression that n8n does not evaluate, or a text made of a missing value */
export function readSentText(evaluated: EvaluatedText, label: keyof typeof FIELDS): string {
	const { content, advice, findFault } = FIELDS[label];
	const { entered, evaluate, parts } = evaluated;
	const text = readPlainText(evaluated.value, label, content);
	if (!entered.startsWith('=') && text.includes('{{'))
		throw new InvalidInputError(`${quote(text)} in '${label}' contains {{`, SWITCH_TO_EXPRESSION);
	// Brackets after a backslash are meant as text.
	const others = entered.includes('\\{{') ? '' : entered.replace(PARTS, '');
	const [outside] = /\$(json|input|node)(?=[.[])|\$\(["']/.exec(others) ?? [];
	if (outside)
		throw new InvalidInputError(
			`'${label}' contains ${outside} outside of {{ }}`,
			`Write it as {{ ${outside}… }}. ${SWITCH_TO_EXPRESSION}`,
		);
	for (const { expression, value } of parts) {
		const part = { expression, given: String(value ?? ''), evaluate };
		const trace = findTrace(part);
		const traced = trace && { of: expression, what: `gives '${trace}'`, advice };
		const fault = traced || findFault(part, evaluated);
		if (!fault) continue;
		const message = `${quote(fault.of)} in '${label}' ${fault.what} for this item`;
		throw new InvalidInputError(message, fault.advice);
	}
	return text;
}

function findCaptionFault(part: Part): Fault | undefined {
	const fails = part.given === '' && failsOnMissing(part);
	return fails ? { of: part.expression, what: 'gives nothing', advice: CORRECT } : undefined;
}

function findUrlFault(part: Part, { value }: EvaluatedText): Fault | undefined {
	const { expression, given } = part;
	const mayBeEmpty = MAY_BE_EMPTY.test(expression);
	if (isEmpty(given) && (!mayBeEmpty || lacksUrlPart(String(value))))
		return findSum(part) ?? isEmptyIn(expression);
	if (mayBeEmpty || !lacksUrlPart(given)) return undefined;
	return isEmptyIn(findMissingPart(part, isEmpty));
}

function findNumberFault(part: Part, { entered, value }: EvaluatedText): Fault | undefined {
	const { expression, given } = part;
	// A value without a digit, e.g. "-" in an empty cell, is as good as none.
	const hasNoDigit = (value: string) => !/[\p{N}+]/u.test(value);
	const fault = findSum(part) ?? isEmptyIn(findMissingPart(part, hasNoDigit));
	// `readPhoneNumber` says that a field alone is empty.
	if (fault || isReference(entered)) return fault;
	const others = entered.replace(expression, '');
	const cut = findCut(part, /^=[\s+]*$/.test(others));
	const advice = `Enter {{ ${cut} }} alone: then the node checks it.`;
	if (cut) return { of: expression, what: 'gives another number than it takes', advice };
	const changed = findChangedNumber(part, String(value));
	if (changed) {
		const { name, number } = changed;
		const all = `Write all numbers of the column with + and their country code, and enter {{ ${name} }} alone: then the node checks them.`;
		return { of: name, what: `becomes another number, ${number},`, advice: all };
	}
	const isNothing = isEmpty(given) || !/[\p{L}\p{N}+(]/u.test(given);
	return isNothing && !isChoice(expression, others) ? isEmptyIn(expression) : undefined;
}

/** Whether a part chooses between two texts, maybe an empty one, by what the others have: `$json.phone.startsWith("+") ? "" : "+"` */
const isChoice = (expression: string, others: string) =>
	/\?\s{0,9}("[^"]*"|'[^']*')\s{0,9}:\s{0,9}("[^"]*"|'[^']*')\s*\}\}$/.test(expression) &&
	expression.match(REFERENCES)?.every((one) => others.match(REFERENCES)?.includes(one));

function findIdFault(part: Part, { parts }: EvaluatedText): Fault | undefined {
	const { expression, given, evaluate } = part;
	if (isEmpty(given)) return isEmptyIn(expression);
	// Even if the data have it: it would be in the ID of every item.
	const [trace] = /undefined|\[object \w+\]|\{\{/.exec(given) ?? [];
	if (trace) return { of: expression, what: `gives '${trace}'`, advice: FILL_IN };
	const taken = parts.length === 1 ? listTaken(expression, evaluate) : [];
	const takesNothing = taken.length > 0 && taken.every(({ value }) => isEmpty(value));
	return takesNothing ? isEmptyIn(findMissingPart(part, isEmpty)) : undefined;
}

/** @param missing what is nothing, if anything is */
const isEmptyIn = (missing?: string): Fault | undefined =>
	missing ? { of: missing, what: 'is empty', advice: FILL_IN } : undefined;

function findSum(part: Part): Fault | undefined {
	const added = findAddend(part);
	const advice = `${added} is a number: write String(${added}) in its place.`;
	const what = isEmpty(part.given) ? 'is empty' : 'gives a sum';
	return added ? { of: part.expression, what, advice } : undefined;
}

/** Whether there is nothing between two slashes of an address, in front of its ending, or behind a =. Elsewhere, a part may be nothing. */
const lacksUrlPart = (url: string) =>
	/[^:]\/([/.]|$)/.test(url.split(/[?#]/)[0]) || /(^|[?&])[^=&#?]*=(&|#|$)/.test(url);
