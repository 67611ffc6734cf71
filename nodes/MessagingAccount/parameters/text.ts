import { InvalidInputError } from '../errors/errorClasses';

/**
 * @example readPlainText(49151, 'Number', 'one number') // '49151'; with null or undefined, it is empty
 * @throws InvalidInputError that asks for `content` if it is an object, or a list, which as text would become its only entry
 */
export function readPlainText(value: unknown, label: string, content: string): string {
	// Cutting a text can leave half an emoji, which strict services refuse.
	if (typeof value !== 'object' || !value) return String(value ?? '').replace(/\p{Cs}/gu, '');
	const date = toDateText(value);
	if (date !== undefined) return date;
	const advice = `Select the field that holds ${content}.`;
	throw new InvalidInputError(`'${label}' is a list or an object`, advice);
}

/** Returns a JavaScript date, or one like n8n's `$now`, in ISO 8601; undefined for any other object. */
function toDateText(value: object): string | undefined {
	const { toISO } = value as { toISO?: unknown };
	if (typeof toISO === 'function') return String(toISO.call(value));
	const isDate = Object.prototype.toString.call(value) === '[object Date]';
	return isDate && !Number.isNaN(Number(value)) ? (value as Date).toISOString() : undefined;
}

/** Invisible characters that come with copying. Joiners belong between letters that are not Latin. */
const INVISIBLE =
	/(?!(?<=[^\0-\x7f])[\u200c\u200d](?=[^\0-\x7f]))\p{Cf}|\p{Cs}|\u034f|[\u0085\u2800\u3164]|\ufe0f$/gu;

/** Returns a short text without invisible characters, and without spaces around it. @example cleanText(' \u200e49151\u00a0') // '49151' */
export const cleanText = (text: string) => text.replace(INVISIBLE, '').trim();

/** Whether a value has no visible character, e.g. null, '' and '\u200b'. */
export const isEmpty = (value: unknown) => cleanText(String(value ?? '')) === '';

const MAX_QUOTED_LENGTH = 60;

/** Quotes an entered value in a message: on one line, and shortened. @example quote('49151\n49152') // "'49151 49152'" */
export function quote(value: string): string {
	const text = value.slice(0, 2 * MAX_QUOTED_LENGTH).replace(/\p{Cc}+/gu, ' ');
	return `'${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}'`;
}

export const SWITCH_TO_EXPRESSION =
	'To have n8n evaluate it, switch the field from Fixed to Expression.';

export const FILL_IN = 'The cell may be empty: fill it in. If it is not, correct the expression.';
