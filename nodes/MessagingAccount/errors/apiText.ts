import { isStatusName } from './plainWords';

/** What a text can be, the best first. Of several of one kind, the one inside the most fields counts, then the one with the surest name. */
const KINDS = [
	'sentence', // any other text, in a field for errors: "message": "The number is blocked"
	'other', // several words, in a field of any name: "info": "Too many"
	'title', // text in a field for a title: "title": "Invalid attribute"
	'code', // one word, in a field for errors or codes: "error": "invalid_number"
	'flag', // the name of a field that is false: "exists": false
	'status', // no more than the status says, in a field for errors: "error": "Bad Request"
] as const;

export interface ApiText {
	text: string;
	kind: (typeof KINDS)[number];
	/** The number of fields, not of lists, that lead to it. */
	depth: number;
	nameRank: number;
}

export const compareTexts = (a: ApiText, b: ApiText) =>
	KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.depth - a.depth || a.nameRank - b.nameRank;

/** Names of fields with the sentence that explains an error, the surest first. docs/api.md, "Errors": not specified. */
const SENTENCE_NAMES = [
	/(message|msg|faultstring)$/i,
	/^(details?|(error_?)?description|reason|explanation)$/i,
	/^(errors?|fault|exception|cause|stack)$/i,
];
const CODE_NAME = /^((error_?)?code|status|state|type)$/i;
/** Names of fields whose whole content is about the reasons. */
const CONTAINER_NAME = /^(errors?|issues|reasons)$|violations?$/i;

function rankName(name: string): number {
	const rank = SENTENCE_NAMES.findIndex((pattern) => pattern.test(name));
	return rank === -1 ? SENTENCE_NAMES.length : rank;
}

const isSentenceName = (name: string) => rankName(name) < SENTENCE_NAMES.length;

/** Names that say nothing of the text in the field. */
const NAME_OF_ANY_TEXT = /^(text|info|note|data|result|response|body|content)$/i;

/** Whether the name of a field is neither one of a sentence nor one of a code. */
export const isOfOtherName = (name: string) => !isSentenceName(name) && !CODE_NAME.test(name);

/** Whether a field is sure to have a sentence, so that what stands beside it matters less. */
export const isSentence = ([name, field]: [name: string, field: unknown]) =>
	rankName(name) < 2 && typeof field === 'string' && field !== '' && !isStatusName(field);

/** A code, e.g. `invalid_number`. */
const CODE = /^(?!about:|\w+:\/\/)[\w.:/-]+$/;

/**
 * Says of which kind a text is, and puts what it is about in front of a code or a fragment. @returns undefined if it gives no reason
 * @param names the fields that lead to it @param subject the request's field that it is about, if the service says so
 * @example classifyText('must be text', ['errors', 'message'], 'url') // { text: 'url: must be text', kind: 'sentence', depth: 2, nameRank: 0 }
 */
export function classifyText(text: string, names: string[], subject: string): ApiText | undefined {
	const field = names.at(-1)!;
	const kind = findKind(text, field, names.slice(0, -1));
	if (!kind) return undefined;
	const isCode = CODE.test(text);
	const name = isCode || NAME_OF_ANY_TEXT.test(field) ? '' : field;
	const prefix = subject || (isSentenceName(field) ? findOwner(names) : name);
	// A code or a fragment says nothing without what it is about, nor does “Field required”.
	const isFragment = isCode || /^(\p{Ll}|This |Invalid value$)/u.test(text);
	const isNamed = isFragment
		? text.startsWith(prefix)
		: text.toLowerCase().includes(subject.toLowerCase());
	const shown = prefix && !isNamed ? `${prefix}: ${text}` : text;
	return { text: shown, kind, depth: names.length, nameRank: rankName(field) };
}

/** In `errors`, the field around a sentence is the request's. @example findOwner(['errors', 'url', 'message']) // 'url' */
function findOwner(names: string[]): string {
	const [list = '', owner = ''] = names.slice(-3, -1);
	return /^errors$/i.test(list) && /^[a-z]/i.test(owner) && isOfOtherName(owner) ? owner : '';
}

function findKind(text: string, field: string, containers: string[]): ApiText['kind'] | undefined {
	if (!/[^\p{C}\s]/u.test(text)) return undefined;
	const isOfErrors = isSentenceName(field) || containers.some((one) => CONTAINER_NAME.test(one));
	if (isStatusName(text)) return isOfErrors ? 'status' : undefined;
	if (CODE.test(text)) return isOfErrors || CODE_NAME.test(field) ? 'code' : undefined;
	if (!isOfErrors && !/\s/.test(text)) return undefined;
	if (/title$/i.test(field)) return 'title';
	return isOfErrors ? 'sentence' : 'other';
}
