import { jsonParse } from 'n8n-workflow';

import { type Account, toSafeText } from '../secrets/account';
import { VALUE_WORK } from '../n8n/yieldToEventLoop';
import { getField, listOwnFields } from '../shared/fields';
import { type ApiText, classifyText, compareTexts, isOfOtherName, isSentence } from './apiText';
import { meansDisconnected } from './disconnected';
import { MAX_TEXT_LENGTH, toPlainWords } from './plainWords';
import { isWebPage } from './webPage';

/** Deeper than any known service nests its reasons. */
const MAX_DEPTH = 8;
/** The characters of a body that are looked at: the reports of a 2xx response may have 16 MB. */
const MAX_WORK = 64 * 1024;

/** Names of fields whose content is about something else, e.g. the request. */
const OTHER_NAME =
	/^(request|original|input|params|query|config|headers|links?|help|hint|docs?|documentation.*|trace|caption)$/i;
/** Names of the field that says what a text beside it is about. */
const SUBJECT_NAME = /^(field|param(eter)?|property|attribute|path|loc)$/i;
/** Names of flags that give the reason by being false, e.g. `exists`. */
const FLAG_NAME = /exist|valid|regist|connect|logged|whatsapp|found|active/i;

export type ApiMessage = NonNullable<ReturnType<typeof extractApiMessage>>;

/**
 * Finds the reason in the body of an error response: the innermost sentence that gives it, wherever it stands, or those of all entries of a
 * list. Without such a sentence, it is a code or the name of a status; undefined if the service says nothing.
 * @example extractApiMessage({ error: { code: 7, message: 'No such chat' } }, account) // { text: 'No such chat', isReason: true, … }
 */
export function extractApiMessage(body: unknown, account: Account) {
	const found = findTexts(body);
	const [best] = found.toSorted(compareTexts);
	if (!best) return undefined;
	const allBest = found.filter((one) => compareTexts(one, best) === 0).map((one) => one.text);
	const text = toSafeText([...new Set(allBest)].join('; ').replace(/([.!?]);/g, '$1'), account);
	const saysMoreThanStatus =
		best.kind === 'code' ? toPlainWords(text).includes(' ') : best.kind !== 'status';
	return {
		text,
		/** Not for names of statuses, and for codes without words. */
		isReason: saysMoreThanStatus && /\p{L}/u.test(text),
		isDisconnected: found.some((one) => meansDisconnected(one.text)),
	};
}

/** Where a value stands: the fields that lead to it, their number with that of lists, and the request's field that it is about, if it is said. */
type Place = { names: string[]; level: number; subject: string };

function findTexts(body: unknown): ApiText[] {
	const texts: ApiText[] = [];
	let workLeft = MAX_WORK;

	function readValue(value: unknown, place: Place): void {
		workLeft -= VALUE_WORK;
		if (workLeft < 0) return;
		if (typeof value === 'string') readText(value.trim(), place);
		if (typeof value === 'object' && value !== null && place.level <= MAX_DEPTH)
			readFields(value, place);
	}

	function readText(text: string, place: Place): void {
		const start = text.slice(0, /^[{[<]/.test(text) ? workLeft : MAX_TEXT_LENGTH);
		workLeft -= start.length;
		const parsed = parseText(start);
		if (typeof parsed !== 'string') return readValue(parsed, { ...place, level: place.level + 1 });
		const found = classifyText(parsed.slice(0, MAX_TEXT_LENGTH), place.names, place.subject);
		if (found) texts.push(found);
	}

	function readFields(value: object, { names, level, subject }: Place): void {
		const fields = listOwnFields(value);
		const ownSubject = findSubject(fields) ?? subject;
		const hasSentence = fields.some(isSentence);
		for (const [name, field] of fields) {
			if (field === false && FLAG_NAME.test(name))
				texts.push({ text: `${name}: false`, kind: 'flag', depth: names.length, nameRank: 0 });
			if (isAboutOtherThings(name, field) || (hasSentence && repeatsRequest(name, field))) continue;
			const ownNames = Array.isArray(value) ? names : [...names, name];
			readValue(field, { names: ownNames, level: level + 1, subject: ownSubject });
		}
	}

	// A bare text counts as if it stood in `message`.
	readValue(body, { names: ['message'], level: 1, subject: '' });
	return texts;
}

/** Parses JSON and XML that came as text. A web page gives no reason, except that of PHP, in its first line. Words in bold are a sentence. */
function parseText(text: string): unknown {
	if (/^[{[]/.test(text)) return jsonParse<unknown>(text, { fallbackValue: text });
	if (!text.startsWith('<')) return text;
	if (/^<(br?|strong|em|i|span|font|a)\b[^<>]*>/i.test(text)) {
		const words = text.replace(/<[^<>]*>/g, '').trim();
		return words.split('\n')[0];
	}
	const elements = /<(\w+)(?:\s[^<>]*)?>(?:<!\[CDATA\[)?([^<]+)<\//g;
	const tags = isWebPage(text) ? [] : text.matchAll(elements);
	return Object.fromEntries([...tags].map(([, tag, text]) => [tag, text.replace(/\]\]>\s*$/, '')]));
}

/** Returns the name, maybe at the end of a path, that stands in a field like `"path": ["body", "number"]`. */
function findSubject(fields: Array<[name: string, field: unknown]>): string | undefined {
	const [, field] = fields.find(([name]) => SUBJECT_NAME.test(name)) ?? [];
	const subject: unknown = [field].flat().at(-1);
	return typeof subject === 'string' && /^[\w.]{1,100}$/.test(subject) ? subject : undefined;
}

function isAboutOtherThings(name: string, field: unknown): boolean {
	// Validators have their sentence in `stack`, others lines of code.
	const isLine = typeof field === 'string' && !field.includes('\n');
	return OTHER_NAME.test(name) || (/^stack$/i.test(name) && !isLine);
}

/** Whether a field beside a sentence only repeats the request. @example { message: 'No chat', path: '/v1/x', data: { number: '49151' } } */
function repeatsRequest(name: string, field: unknown): boolean {
	if (SUBJECT_NAME.test(name)) return true;
	// A text that is JSON or XML may hold the reason.
	if (typeof field !== 'object') return isOfOtherName(name) && !/^\s*[{[<]/.test(String(field));
	const number = getField(field, 'number');
	return typeof number !== 'object' && /^\+?\d{5}/.test(String(number));
}
