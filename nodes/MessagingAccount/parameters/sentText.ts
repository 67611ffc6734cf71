import { InvalidInputError } from '../errors/errorClasses';
import { findChangedNumber, findCut } from './changedNumber';
import {
	findAddend,
	findFailed,
	isReference,
	MAY_BE_EMPTY,
	type Part,
	PARTS,
	REFERENCES,
} from './expressions';
import { findMissingPart } from './missingParts';
import type { EvaluatedText } from './parameterReader';
import { FILL_IN, isEmpty, quote, readPlainText, SWITCH_TO_EXPRESSION } from './text';
import { findTrace } from './traces';

const CORRECT =
	'Correct the names of fields in the expression, or say what to use if a value is missing, e.g. {{ $json.name ?? "" }}.';

/** What is wrong with a part, or with a value in it, e.g. `$json.name` “is empty”. */
type Fault = { of: string; what: string; advice: string };

const toFault = (of: string | undefined, what: string, advice = FILL_IN): Fault | undefined =>
	of === undefined ? undefined : { of, what, advice };
const emptyAt = (of: string | undefined) => toFault(of, 'is empty');

/** The fields whose text people receive, and that of an ID: what to select instead of a list or an object, and what is wrong with a part. */
const FIELDS = {
	Caption: { content: 'the text', advice: CORRECT, findFault: findFailure },
	'Image URL': { content: 'the address of one image', advice: FILL_IN, findFault: findUrlFault },
	Number: { content: 'one number', advice: FILL_IN, findFault: findNumberFault },
	'Send Once per ID': { content: 'the ID', advice: FILL_IN, findFault: findIdFault },
};

/** @throws InvalidInputError for what nobody can mean: an expression that n8n does not evaluate, or a text made of a missing value */
export function readSentText(evaluated: EvaluatedText, label: keyof typeof FIELDS): string {
	const { content, advice, findFault } = FIELDS[label];
	const { entered, parts } = evaluated;
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
	for (const part of parts) {
		const trace = findTrace(part);
		const traced = trace && toFault(part.expression, `gives '${trace}'`, advice);
		const fault = traced || findFault(part, evaluated);
		if (!fault) continue;
		const message = `${quote(fault.of)} in '${label}' ${fault.what} for this item`;
		throw new InvalidInputError(message, fault.advice);
	}
	return text;
}

function findFailure(part: Part) {
	return toFault(findFailed(part), 'gives nothing', CORRECT);
}

function findUrlFault(part: Part, { value }: EvaluatedText) {
	const { expression, given } = part;
	const mayBeEmpty = MAY_BE_EMPTY.test(expression);
	if (isEmpty(given) && (!mayBeEmpty || lacksUrlPart(String(value))))
		return findSum(part) ?? emptyAt(expression);
	return emptyAt(!mayBeEmpty && lacksUrlPart(given) ? findMissingPart(part, isEmpty) : undefined);
}

/** Whether there is nothing between two slashes of an address, in front of its ending, or behind a =. Elsewhere, a part may be nothing. */
const lacksUrlPart = (url: string) =>
	/[^:]\/([/.]|$)/.test(url.split(/[?#]/)[0]) || /(^|[?&])[^=&#?]*=(&|#|$)/.test(url);

function findNumberFault(part: Part, { entered, value }: EvaluatedText) {
	// `readPhoneNumber` says that a field alone is empty.
	if (isReference(entered)) return undefined;
	const { expression, given } = part;
	const others = entered.replace(expression, '');
	const isNothing = isEmpty(given) || !/[\p{L}\p{N}+(]/u.test(given);
	return (
		findSum(part) ??
		emptyAt(findMissingPart(part, (one) => !/[\p{N}+]/u.test(one))) ??
		findOtherNumber(part, String(value), /^=[\s+]*$/.test(others)) ??
		emptyAt(isNothing && !isChoice(expression, others) ? expression : undefined)
	);
}

/** @param isAll whether the part is all of 'Number', but for a + */
function findOtherNumber(part: Part, whole: string, isAll: boolean) {
	const cut = findCut(part, isAll);
	const alone = `Enter {{ ${cut} }} alone: then the node checks it.`;
	if (cut) return toFault(part.expression, 'gives another number than it takes', alone);
	const { name, number } = findChangedNumber(part, whole) ?? {};
	const all = `Write all numbers of the column with + and their country code, and enter {{ ${name} }} alone: then the node checks them.`;
	return toFault(name, `becomes another number, ${number},`, all);
}

/** Whether a part chooses between two texts, maybe an empty one, by what the others have: `$json.phone.startsWith("+") ? "" : "+"` */
const isChoice = (expression: string, others: string) =>
	/\?\s{0,9}("[^"]*"|'[^']*')\s{0,9}:\s{0,9}("[^"]*"|'[^']*')\s*\}\}$/.test(expression) &&
	expression.match(REFERENCES)?.every((one) => others.match(REFERENCES)?.includes(one));

function findIdFault(part: Part, { parts }: EvaluatedText) {
	const { expression, given } = part;
	if (isEmpty(given)) return emptyAt(expression);
	// Even if the data have it: it would be in the ID of every item.
	const [trace] = /undefined|\[object \w+\]|\{\{/.exec(given) ?? [];
	if (trace) return toFault(expression, `gives '${trace}'`);
	const taken = parts.length === 1 ? part.taken : [];
	const takesNothing = taken.length > 0 && taken.every(({ value }) => isEmpty(value));
	return emptyAt(takesNothing ? findMissingPart(part, isEmpty) : undefined);
}

function findSum(part: Part) {
	const added = findAddend(part);
	const advice = `${added} is a number: write String(${added}) in its place.`;
	const what = isEmpty(part.given) ? 'is empty' : 'gives a sum';
	return toFault(added && part.expression, what, advice);
}
