import { jsonParse } from 'n8n-workflow';

import type { Account } from '../shared/account';
import { toSafeText } from '../shared/redaction';
import { isWebPage } from './webPage';

/** Deeper than the reasons of any known service. */
const MAX_DEPTH = 8;

/** Where services put the sentence that explains an error, the surest first. docs/api.md, "Errors": not specified. */
const SENTENCE_NAMES = [
	/^(message|msg|faultstring)$|(error|user)_?(message|msg)$/i,
	/^(details?|(error_?)?description|reason|explanation)$/i,
	/^(errors?|fault|exception|cause)$/i,
];
const CODE_NAME = /^((error_?)?code|status|type)$/i;
/** All that such a field contains is about the reasons. */
const CONTAINER_NAME = /^errors?$|violations?$/i;
/** What they contain is about something else, e.g. the request. */
const OTHER_NAME = /^(request|input|params|query|config|headers|links?|help|docs|stack|trace)$/i;

/** A code, e.g. `invalid_number`. */
const CODE = /^[\w.:/-]+$/;
/** What a server says of an address that it does not have, as a 404 does by itself. */
const NO_ADDRESS =
	/^cannot (get|post) |^no (static |http )?(resource|route|handler)|\b(route|page|path|endpoint|url|uri)\b.*\b(not found|exist)/i;
/** The names of statuses and the like, in words, say no more than their number. */
const STATUS_NAME =
	/^(bad request|unauthori[sz]ed|authorization required|payment required|forbidden|(resource )?not found|method not allowed|not acceptable|conflict|gone|(payload|content|request entity) too large|unsupported media type|unprocessable (entity|content)|locked|failed dependency|too many requests|internal( server)?|not implemented|bad gateway|(service )?(temporarily )?unavailable|(gateway|request) time ?out|(request |validation |operation )?(error|failed|failure)|request failed with status code|unknown error|something went wrong|no message available|false|ok|http)$/;
/** A flag that says why by being false, e.g. `exists`. */
const FLAG_NAME = /exist|valid|regist|connect|logged|whatsapp|found|active/i;

/** That the account has to be logged in, in words as `toWords` returns them. */
const DISCONNECTED = [
	/\b(session|instance|device)\b.*\b(not found|not? exist|closed|not (open|started|running))\b/,
	/\b(account|session|instance|device|phone|client|channel|whatsapp)\b.*\bnot? (yet )?(connected|ready|logged in|paired|linked)\b/,
	/\b(disconnected|logged out|unpaired|(connected|logged in) false)\b|\bscan\b.*\bqr\b|^not (connected|logged in)$/,
];

/** What a service says in an error response. */
export interface ApiMessage {
	/** Redacted and shortened. */
	text: string;
	/** Whether it tells people why, which the names of statuses and codes without words do not. */
	isReason: boolean;
	/** Whether it says that the account is not connected. */
	isDisconnected: boolean;
}

/** The better, the later. */
const KINDS = ['status', 'flag', 'code', 'title', 'other', 'sentence'] as const;

interface Candidate {
	text: string;
	kind: (typeof KINDS)[number];
	/** Of fields, not of lists. */
	depth: number;
	/** Index in `SENTENCE_NAMES`. */
	name: number;
}

/**
 * Finds the reason in the body of an error response: the innermost sentence that says why, wherever it stands; of a list, those of all
 * entries. Without one, it is a code, or the name of a status.
 *
 * @returns undefined if the service says nothing
 */
export function extractApiMessage(body: unknown, account: Account): ApiMessage | undefined {
	const candidates = [...findCandidates(body, ['message'])];
	const order = (a: Candidate, b: Candidate) =>
		KINDS.indexOf(b.kind) - KINDS.indexOf(a.kind) || b.depth - a.depth || a.name - b.name;
	const [best] = [...candidates].sort(order);
	if (!best) return undefined;
	const texts = candidates.flatMap((one) => (order(one, best) === 0 ? one.text : []));
	const text = toSafeText([...new Set(texts)].join('; ').replace(/([.!?]);/g, '$1'), account);
	const isNamed = best.kind !== 'code' || toWords(text).includes(' ');
	const words = candidates.map((one) => toWords(one.text));
	return {
		text,
		isReason: isNamed && best.kind !== 'status' && /\p{L}/u.test(text),
		isDisconnected: words.some((one) => DISCONNECTED.some((pattern) => pattern.test(one))),
	};
}

/** @param names of the fields that lead to the value, which may be in lists there */
function* findCandidates(value: unknown, names: string[], lists = 0): Generator<Candidate> {
	if (typeof value === 'string') {
		const text = value.trim();
		const parsed = /^[{[]/.test(text) ? jsonParse<unknown>(text, { fallbackValue: text }) : text;
		if (parsed !== text) yield* findCandidates(parsed, names, lists + 1);
		else if (!isWebPage(text)) yield* classifyText(text, names);
	}
	if (typeof value !== 'object' || value === null || names.length + lists > MAX_DEPTH) return;
	for (const [name, field] of Object.entries(value)) {
		const isFlag = field === false && FLAG_NAME.test(name);
		if (isFlag) yield { text: `${name}: false`, kind: 'flag', depth: names.length, name: 0 };
		if (Array.isArray(value)) yield* findCandidates(field, names, lists + 1);
		else if (!OTHER_NAME.test(name)) yield* findCandidates(field, [...names, name], lists);
	}
}

function* classifyText(text: string, names: string[]): Generator<Candidate> {
	const field = names.at(-1)!;
	const name = SENTENCE_NAMES.findIndex((pattern) => pattern.test(field));
	const isExpected = name !== -1 || names.slice(0, -1).some((one) => CONTAINER_NAME.test(one));
	const isStatus = STATUS_NAME.test(toWords(text)) || NO_ADDRESS.test(text);
	const isCode = CODE.test(text);
	const counts = isExpected || (!isStatus && (isCode ? CODE_NAME.test(field) : /\s/.test(text)));
	if (!counts || text === '') return;
	const needsField = name === -1 && /^(\p{Ll}|This )/u.test(text) && !isCode;
	const shown = needsField ? `${field}: ${text}` : text;
	const own = /title$/i.test(field) ? 'title' : isExpected ? 'sentence' : 'other';
	const kind = isStatus ? 'status' : isCode ? 'code' : own;
	yield { text: shown, kind, depth: names.length, name };
}

/** Returns a text or code in words of lower case, without what only numbers and decorates it. */
function toWords(text: string): string {
	return text
		.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
		.toLowerCase()
		.replace(/n't\b/g, ' not')
		.replace(/[^a-z]+/g, ' ')
		.replace(/^ ?(http |error )+| (exception|error)? ?$/g, '')
		.trim();
}
