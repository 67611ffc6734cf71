import { InvalidInputError } from '../errors/errorClasses';
import { failsOnMissing, findAddend, isReference, MAY_BE_EMPTY, type Part } from './expressions';
import { findMissingPart } from './missingParts';
import type { EvaluatedText } from './parameterReader';
import { findCut } from './phoneNumber';
import { FILL_IN, isEmpty, quote, readPlainText, SWITCH_TO_EXPRESSION } from './text';
import { findTrace } from './traces';

const CORRECT =
	'Correct the names of fields in the expression, or say what to use if a value is missing, e.g. {{ $json.name ?? "" }}.';

/** What is wrong with a part, or with a value in it, e.g. `$json.name` “is empty”. */
type Fault = { of: string; what: string; advice: string };

/** The fields whose text people receive: what to select instead of a list or an object, and what is wrong with a part, beside a trace in it. */
const FIELDS = {
	Caption: { content: 'the text', advice: CORRECT, findFault: findCaptionFault },
	'Image URL': { content: 'the address of one image', advice: FILL_IN, findFault: findUrlFault },
	Number: { content: 'one number', advice: FILL_IN, findFault: findNumberFault },
};

/** @throws InvalidInputError for what nobody can mean: an expression that n8n does not evaluate, or a text made of a missing value */
export function readSentText(evaluated: EvaluatedText, label: keyof typeof FIELDS): string {
	const { content, advice, findFault } = FIELDS[label];
	const { entered, evaluate, parts } = evaluated;
	const text = readPlainText(evaluated.value, label, content);
	if (!entered.startsWith('=') && text.includes('{{'))
		throw new InvalidInputError(`${quote(text)} in '${label}' contains {{`, SWITCH_TO_EXPRESSION);
	for (const { expression, value } of parts) {
		const part = { expression, given: String(value ?? ''), evaluate };
		const trace = findTrace(part);
		const traced = trace && { of: expression, what: `gives '${trace}'`, advice };
		const fault = traced || findFault(part, entered);
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

function findUrlFault(part: Part): Fault | undefined {
	const { expression, given } = part;
	if (isEmpty(given)) return findSum(part) ?? isEmptyIn(expression);
	if (MAY_BE_EMPTY.test(expression) || !lacksUrlPart(given)) return undefined;
	return isEmptyIn(findMissingPart(part, isEmpty));
}

function findNumberFault(part: Part, entered: string): Fault | undefined {
	const { expression, given } = part;
	const fault = findSum(part) ?? isEmptyIn(findMissingPart(part, hasNoDigit));
	// `readPhoneNumber` says that a field alone is empty.
	if (fault || isReference(entered)) return fault;
	const cut = findCut(part);
	const advice = `Enter {{ ${cut} }} alone: then the node checks it.`;
	if (cut) return { of: expression, what: 'gives another number than it takes', advice };
	return isEmpty(given) || !/[\p{L}\p{N}+(]/u.test(given) ? isEmptyIn(expression) : undefined;
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

/** A value without a digit, e.g. "-" in an empty cell, is as good as none in a number. */
const hasNoDigit = (value: string) => !/[\p{N}+]/u.test(value);

/** Whether there is nothing between two slashes of an address, in front of its ending, or behind a =. Elsewhere, a part may be nothing. */
const lacksUrlPart = (url: string) =>
	/[^:]\/([/.]|$)/.test(url.split(/[?#]/)[0]) || /(^|[?&])[^=&#?]*=(&|#|$)/.test(url);
