import { jsonParse } from 'n8n-workflow';

import { type Account, toSafeText } from '../secrets/account';
import { getField, listOwnFields } from '../shared/fields';
import { isWebPage } from './webPage';

/** Deeper than any known service nests its reasons. */
const MAX_DEPTH = 8;
/** Only this much of a text is looked at. */
const MAX_LENGTH = 1000;
/** The characters of a body that are looked at. A value counts as 32 more: the reports of a 2xx response may have 32 MB. */
const MAX_WORK = 64 * 1024;

/** Names of fields with the sentence that explains an error, the surest first. docs/api.md, "Errors": not specified. */
const SENTENCE_NAMES = [
	/(message|msg|faultstring)$/i,
	/^(details?|(error_?)?description|reason|explanation)$/i,
	/^(errors?|fault|exception|cause|stack)$/i,
];
const CODE_NAME = /^((error_?)?code|status|type)$/i;
/** Names of fields whose whole content is about the reasons. */
const CONTAINER_NAME = /^(errors?|issues|reasons)$|violations?$/i;
/** Names of fields whose content is about something else, e.g. the request. */
const OTHER_NAME =
	/^(request|original|input|params|query|config|headers|links?|help|hint|docs?|documentation.*|trace|caption)$/i;
/** Names of the field that says what a text beside it is about. */
const SUBJECT_NAME = /^(field|param(eter)?|property|attribute|path|loc)$/i;

/** A code, e.g. `invalid_number`. */
const CODE = /^(?!about:|\w+:\/\/)[\w.:/-]+$/;
/** Texts of servers about an address that they do not have, which a 404 says by itself. */
const NO_ADDRESS =
	/^(cannot (get|post) \/|no (static |http )?(resource|route|handler)|un(known|recognized) (path|request url)|invalid (endpoint|route)|method .*not allowed)|^(\d+ )?(the )?(route|page|endpoint|requested (url|uri|path|page|resource))\b.*\bnot (be )?(found|exist)/i;
/** Names of statuses and the like, in words: they say no more than their number. */
const STATUS_NAME =
	/^(bad request|unauthori[sz]ed|authorization required|payment required|forbidden( resource)?|(resource )?not found|method not allowed|not acceptable|conflict|gone|precondition failed|(payload|content|request entity) too large|request header fields too large|unsupported media type|unprocessable (entity|content)|locked|failed dependency|too many requests|(internal )?server|internal|not implemented|bad gateway|(service )?(temporarily )?unavailable|(gateway|request) time ?out|(an )?(unexpected|unknown|request|validation|operation)( (server )?(error|failed|failure))?( (has )?occurred)?|error|failed|failure|(axios )?(error )?request failed with status code|something went wrong|no message available|false|ok|http|code)$/;
/** Names of flags that give the reason by being false, e.g. `exists`. */
const FLAG_NAME = /exist|valid|regist|connect|logged|whatsapp|found|active/i;

const NOT = '(not?|nao|pas|non|nicht|keine|tidak|belum) (\\w+ ){0,3}';
/** Finds one of these words, or of their beginnings, in a text of `toWords`; after !, only if a “not” stands a little before it. */
const oneOf = (words: string) =>
	new RegExp(`\\b(${words.trim().replace(/\s+/g, '|')})`.replace('(!', `${NOT}(`));
/**
 * Texts that mean that the account has to be logged in: of each part of a row, they have a word. English, then Portuguese, Spanish, French,
 * Italian, German and Indonesian. To add a language, add its words.
 */
export const DISCONNECTED = `
	session device & !found exist
	session instance device connection & closed
	session instance device connection & !open started running authenticated
	account session instance device phone client channel whats.?app you.are & !connected ready logged.in paired linked
	scan escan einscan pindai & qr
	disconnected unpaired logged.out connected.false logged.in.false ^not?.connected$ ^not.logged.in$
	desconectad deslogad deconnecte disconness scollegat abgemeldet ausgeloggt terputus (belum|tidak).(login|masuk)
	(pas|non).(encore.)?connecte (pas|non).(encore.)?appair
	!conectad logad vinculad paread emparejad conness collegat verbunden angemeldet eingeloggt gekoppelt terhubung tersambung tertaut
	sessao sesi dispositivo aparelho session appareil sitzung gerae?t perangkat & !encontr exist trouv trovat gefunden ditemukan
	sessao sesi conex instan istanza session conn sitzung verbindung gerae?t koneksi & !iniciad autentic ativ[ao] activ[ao] abert abiert demarr ouvert avviat attiv apert gestartet aktif dimulai
	sessao sesi conex instan istanza session conn sitzung verbindung gerae?t koneksi & cerrad encerrad fechad finalizad ferme introuvable chius geschlossen beendet getrennt existe.pas existiert.nicht ditutup
	whats.?app client instan conta cuenta compte session konto akun sesi perangkat & !pront list[ao] pret bereit siap`
	.match(/.+/g)!
	.map((row) => row.split('&').map(oneOf));
/** Words of a text that is about a recipient instead, or about something behind the service. */
const OTHER_CONNECTION = oneOf(
	'number recipient contact numero destinat contat[ot] nummer empfanger kontakt nomor penerima database redis client.disconnected banco.de.dados base.de.d datenbank basis.data',
);

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
	const candidates = [...findCandidates(body, { left: MAX_WORK }, ['message'])];
	const order = (a: Candidate, b: Candidate) =>
		KINDS.indexOf(b.kind) - KINDS.indexOf(a.kind) || b.depth - a.depth || a.name - b.name;
	const [best] = [...candidates].sort(order);
	if (!best) return undefined;
	const texts = candidates.flatMap((one) => (order(one, best) === 0 ? one.text : []));
	const text = toSafeText([...new Set(texts)].join('; ').replace(/([.!?]);/g, '$1'), account);
	const isNamed = best.kind !== 'code' || toWords(text).includes(' ');
	const isDisconnected = candidates
		.map((one) => toWords(one.text))
		.filter((one) => !OTHER_CONNECTION.test(one))
		.some((one) => DISCONNECTED.some((row) => row.every((known) => known.test(one))));
	const isReason = isNamed && best.kind !== 'status' && /\p{L}/u.test(text);
	return { text, isReason, isDisconnected };
}

/** @param names the fields that lead to the value @param subject the request's field that it is about, if the service says so */
function* findCandidates(
	value: unknown,
	work: { left: number },
	names: string[],
	subject = '',
	level = 1,
): Generator<Candidate> {
	work.left -= 32;
	if (work.left < 0) return;
	if (typeof value === 'string') {
		const text = value.trim();
		const start = text.slice(0, /^[{[<]/.test(text) ? work.left : MAX_LENGTH);
		work.left -= start.length;
		const parsed = parseText(start);
		if (typeof parsed !== 'string') yield* findCandidates(parsed, work, names, subject, level + 1);
		else yield* classifyText(parsed.slice(0, MAX_LENGTH), names, subject);
	}
	if (typeof value !== 'object' || value === null || level > MAX_DEPTH) return;
	const fields = listOwnFields(value).filter(([name]) => name.length < 100);
	const [, named] = fields.find(([name]) => SUBJECT_NAME.test(name)) ?? [];
	const own: unknown = [named].flat().at(-1);
	const innerSubject = typeof own === 'string' && /^[\w.]{1,100}$/.test(own) ? own : subject;
	const hasSentence = fields.some(
		([name, field]) =>
			toRank(name) < 2 && typeof field === 'string' && field && !isStatusName(field),
	);
	for (const [name, field] of fields) {
		const isFlag = field === false && FLAG_NAME.test(name);
		if (isFlag) yield { text: `${name}: false`, kind: 'flag', depth: names.length, name: 0 };
		const isLine = typeof field === 'string' && !field.includes('\n');
		if (/^stack$/i.test(name) && !isLine) continue;
		if (OTHER_NAME.test(name) || (hasSentence && isContext(name, field))) continue;
		const innerNames = Array.isArray(value) ? names : [...names, name];
		yield* findCandidates(field, work, innerNames, innerSubject, level + 1);
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
	const number = getField(field, 'number') ?? '';
	if (typeof field === 'object')
		return typeof number !== 'object' && /^\+?\d{5}/.test(String(number));
	const isOther = toRank(name) === SENTENCE_NAMES.length && !CODE_NAME.test(name);
	return isOther && !/^\s*[{[<]/.test(String(field));
}

const isStatusName = (text: string) =>
	STATUS_NAME.test(toWords(text)) || NO_ADDRESS.test(text.slice(0, MAX_LENGTH));

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

/** Returns a text or code as words in lower case, without accents and numbers, and without “error” and the like at its ends. */
function toWords(text: string): string {
	return text
		.slice(0, MAX_LENGTH)
		.normalize('NFD')
		.replace(/\p{M}+/gu, '')
		.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
		.toLowerCase()
		.replace(/n['’]t\b/g, ' not')
		.replace(/\P{L}+/gu, ' ')
		.replace(/^ ?(http |error )+| (exception|error)? ?$/g, '')
		.trim();
}
