import { jsonParse } from 'n8n-workflow';

import { type Account, toSafeText } from '../secrets/account';
import { getField } from '../shared/fields';
import { isWebPage } from './webPage';

/** Deeper than any known service nests its reasons. */
const MAX_DEPTH = 8;
/** Only this much of a text is looked at. */
const MAX_LENGTH = 1000;

/** Names of fields with the sentence that explains an error, the surest first. docs/api.md, "Errors": not specified. */
const SENTENCE_NAMES = [
	/(message|msg|faultstring)$/i,
	/^(details?|(error_?)?description|reason|explanation)$/i,
	/^(errors?|fault|exception|cause)$/i,
];
const CODE_NAME = /^((error_?)?code|status|type)$/i;
/** Names of fields whose whole content is about the reasons. */
const CONTAINER_NAME = /^(errors?|issues|reasons)$|violations?$/i;
/** Names of fields whose content is about something else, e.g. the request. */
const OTHER_NAME =
	/^(request|original|input|params|query|config|headers|links?|help|hint|docs?|documentation.*|stack|trace)$/i;
/** Names of the field that says what a text beside it is about. */
const SUBJECT_NAME = /^(field|param(eter)?|property|attribute|path|loc)$/i;

/** A code, e.g. `invalid_number`. */
const CODE = /^(?!about:|\w+:\/\/)[\w.:/-]+$/;
/** Texts of servers about an address that they do not have, which a 404 says by itself. */
const NO_ADDRESS =
	/^(cannot (get|post) \/|no (static |http )?(resource|route|handler)|un(known|recognized) (path|request url)|invalid (endpoint|route)|method .*not allowed)|^(\d+ )?(the )?(route|page|endpoint|requested (url|uri|path|page|resource))\b.*\bnot (be )?(found|exist)/i;
/** Names of statuses and the like, in words: they say no more than their number. */
const STATUS_NAME =
	/^(bad request|unauthori[sz]ed|authorization required|payment required|forbidden( resource)?|(resource )?not found|method not allowed|not acceptable|conflict|gone|precondition failed|(payload|content|request entity) too large|request header fields too large|unsupported media type|unprocessable (entity|content)|locked|failed dependency|too many requests|(internal )?server|internal|not implemented|bad gateway|(service )?(temporarily )?unavailable|(gateway|request) time ?out|(an )?(unexpected|unknown|request|validation|operation)( (server )?(error|failed|failure))?( (has )?occurred)?|error|failed|failure|(axios )?(error )?request failed with status code|something went wrong|no message available|false|ok|http)$/;
/** Names of flags that give the reason by being false, e.g. `exists`. */
const FLAG_NAME = /exist|valid|regist|connect|logged|whatsapp|found|active/i;

/** Texts that mean that the account has to be logged in, in words as `toWords` returns them. */
const DISCONNECTED = [
	/\b(session|device)\b.*\b(not found|not? exist)\b|\b(session|instance|device|connection)\b.*\b(closed|not (open|started|running|authenticated))\b/,
	/\b(account|session|instance|device|phone|client|channel|whatsapp)\b.*\bnot? (yet )?(connected|ready|logged in|paired|linked)\b/,
	/\b(disconnected|logged out|unpaired|(connected|logged in) false)\b|\bscan\b.*\bqr\b|\bqr\b.*\bscan\b|^(you are )?not (connected|logged in)$/,
];
/** Words of a text that is about a recipient instead, or about something behind the service. */
const OTHER_CONNECTION = /\b(number|recipient|contact|database|redis|client disconnected)\b/;

export type ApiMessage = NonNullable<ReturnType<typeof extractApiMessage>>;

/** The kinds of texts, the best last. */
const KINDS = ['status', 'flag', 'code', 'title', 'other', 'sentence'] as const;

interface Candidate {
	text: string;
	kind: (typeof KINDS)[number];
	/** The number of fields, not of lists, that lead to it. */
	depth: number;
	/** The index in `SENTENCE_NAMES`, or their number if it is none of these. */
	name: number;
}

/**
 * Finds the reason in the body of an error response: the innermost sentence that gives it, wherever it stands, or those of all entries of a
 * list. Without such a sentence, it is a code or the name of a status; undefined if the service says nothing.
 * @returns `isReason` is false for names of statuses and codes without words; the text is redacted and shortened
 */
export function extractApiMessage(body: unknown, account: Account) {
	const candidates = [...findCandidates(body, ['message'])];
	const order = (a: Candidate, b: Candidate) =>
		KINDS.indexOf(b.kind) - KINDS.indexOf(a.kind) || b.depth - a.depth || a.name - b.name;
	const [best] = [...candidates].sort(order);
	if (!best) return undefined;
	const texts = candidates.flatMap((one) => (order(one, best) === 0 ? one.text : []));
	const text = toSafeText([...new Set(texts)].join('; ').replace(/([.!?]);/g, '$1'), account);
	const isNamed = best.kind !== 'code' || toWords(text).includes(' ');
	const isDisconnected = candidates
		.map((one) => toWords(one.text))
		.some((one) => !OTHER_CONNECTION.test(one) && DISCONNECTED.some((known) => known.test(one)));
	const isReason = isNamed && best.kind !== 'status' && /\p{L}/u.test(text);
	return { text, isReason, isDisconnected };
}

/** @param names the fields that lead to the value @param subject the field of the request that it is about, if the service says so */
function* findCandidates(
	value: unknown,
	names: string[],
	subject = '',
	level = 1,
): Generator<Candidate> {
	if (typeof value === 'string') {
		const parsed = parseText(value.trim());
		if (typeof parsed !== 'string') yield* findCandidates(parsed, names, subject, level + 1);
		else yield* classifyText(parsed.slice(0, MAX_LENGTH), names, subject);
	}
	if (typeof value !== 'object' || value === null || level > MAX_DEPTH) return;
	const fields = Object.entries(value);
	const [, named] = fields.find(([name]) => SUBJECT_NAME.test(name)) ?? [];
	const own: unknown = [named].flat().at(-1);
	const innerSubject = typeof own === 'string' && /^[\w.]+$/.test(own) ? own : subject;
	const hasSentence = fields.some(
		([name, field]) =>
			toRank(name) < 2 && typeof field === 'string' && field && !isStatusName(field),
	);
	for (const [name, field] of fields) {
		const isFlag = field === false && FLAG_NAME.test(name);
		if (isFlag) yield { text: `${name}: false`, kind: 'flag', depth: names.length, name: 0 };
		if (OTHER_NAME.test(name) || (hasSentence && isContext(name, field))) continue;
		const innerNames = Array.isArray(value) ? names : [...names, name];
		yield* findCandidates(field, innerNames, innerSubject, level + 1);
	}
}

/** Parses JSON and XML that came as text. A web page gives no reason. */
function parseText(text: string): unknown {
	if (/^[{[]/.test(text)) return jsonParse<unknown>(text, { fallbackValue: text });
	if (!text.startsWith('<')) return text;
	const tags = isWebPage(text) ? [] : text.matchAll(/<(\w+)>([^<]+)<\//g);
	return Object.fromEntries([...tags].map(([, tag, content]) => [tag, content]));
}

/** Whether a field beside a sentence only repeats the request. */
function isContext(name: string, field: unknown): boolean {
	if (SUBJECT_NAME.test(name)) return true;
	if (typeof field === 'object')
		return /^"?\+?\d{5}/.test(JSON.stringify(getField(field, 'number')));
	const isOther = toRank(name) === SENTENCE_NAMES.length && !CODE_NAME.test(name);
	return isOther && !/^\s*[{[<]/.test(String(field));
}

const isStatusName = (text: string) => STATUS_NAME.test(toWords(text)) || NO_ADDRESS.test(text);

function toRank(name: string): number {
	const rank = SENTENCE_NAMES.findIndex((pattern) => pattern.test(name));
	return rank === -1 ? SENTENCE_NAMES.length : rank;
}

function* classifyText(text: string, names: string[], subject: string): Generator<Candidate> {
	const field = names.at(-1)!;
	const name = toRank(field);
	const isNamed = name < SENTENCE_NAMES.length;
	const isExpected = isNamed || names.slice(0, -1).some((one) => CONTAINER_NAME.test(one));
	const isStatus = isStatusName(text);
	const isCode = CODE.test(text);
	const counts = isExpected || (!isStatus && (isCode ? CODE_NAME.test(field) : /\s/.test(text)));
	if (!counts || text === '') return;
	const about = subject || (isNamed || isCode ? '' : field);
	const needsField = isCode || /^(\p{Ll}|This )/u.test(text);
	const shown = about && needsField && !text.startsWith(about) ? `${about}: ${text}` : text;
	const own = /title$/i.test(field) ? 'title' : isExpected ? 'sentence' : 'other';
	const kind = isStatus ? 'status' : isCode ? 'code' : own;
	yield { text: shown, kind, depth: names.length, name };
}

/** Returns a text or code as words in lower case, without numbers, and without “error” and the like at its ends. */
function toWords(text: string): string {
	return text
		.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
		.toLowerCase()
		.replace(/n't\b/g, ' not')
		.replace(/[^a-z]+/g, ' ')
		.replace(/^ ?(http |error )+| (exception|error)? ?$/g, '')
		.trim();
}
