import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../shared/fields';

/** Names of fields that wrap a whole response. */
export const RESPONSE_WRAPPERS =
	/^(data|results?|response|payload|body|output|return|_embedded|d|chat)$/i;

/** The fields that are looked at: more than a response has around its messages. Bytes, {"0":255,"1":216,…}, are none, and long to list. */
export const fieldsOf = (body: IDataObject) => {
	const names = '1000' in body ? [] : Object.keys(body).slice(0, 1000);
	return names
		.filter(({ length }) => length < 100)
		.map((name): [string, unknown] => [name, body[name]]);
};

/** What a status says of a message that failed, and what may stand before and behind it: `SEND_FAILED`, `failed: no such number`. */
const FAILED = String.raw`
	err(or(ed)?|o|eur|ore)? fail(ed|ure)? fall(o|ido) falh(a|ou) fallit[oa] [eé]chec [eé]chou[eé] fehler fehlgeschlagen gagal
	(not?|n[aã]o|non|nicht|tidak)[_\s-]?(sent|delivered|enviad[oa]|envoy[eé]e?|inviat[oa]|gesendet|terkirim|entreg(ue|ad[oa])|zugestellt|registered|allowed)
	unsent undeliver(ed|able) [a-z]+[_\s-]not[_\s-]?found unregistered unreachable unsupported unknown[_\s-]number discarded throttled rate[_\s-]?limited timed?[_\s-]?out
	reject(ed)? refused denied declined blocked invalid expired cancell?ed aborted unsuccessful ko n[ao]c?k bounced? dropped disconnected
	unauthori[sz]ed forbidden banned suspended (limit|quota)[_\s-]exceeded (no|insufficient)[_\s-](credits?|balance|funds)
	(rechaz|rejeit|recus|cancel|bloque|de[sc]+onect)ad[oa] re(jet|fus)[eé]e? rifiutat[oa] abgelehnt ditolak blockiert gescheitert`
	.trim()
	.replace(/\s+/g, '|');
const WORD_BEFORE = `(?!(no|not|non|never|zero|none|cannot|without|sem|sin|sans|senza|kein|ohne|tanpa)[_ -])[a-z]+[_ -]`;
const HARMLESS_END = '0|no|none|null|false|ok|success|over|free|yet';
const WORDS_BEHIND = `[_ :;,.-](?!(.*[^a-z])?(${HARMLESS_END})$).*`;

const FAILED_STATUS = new RegExp(`^(${WORD_BEFORE})?(${FAILED})!?(${WORDS_BEHIND})?$`, 'i');
const NO = /^(false|no|n[aã]o)$/i;

/** Whether a rule applies to these fields: those of the response, or of an object in its field `wrapper`. */
type AppliesTo = (fields: IDataObject, wrapper?: string) => boolean;
const isResponse: AppliesTo = (_fields, wrapper) => wrapper === undefined;
/** Whether they are a record of the message, from the moment after it was sent. */
const mayArriveLater: AppliesTo = ({ sent, enviado, read, lido }) =>
	[sent, enviado].includes(true) || (read ?? lido) !== undefined;

/** Fields that report an error, and their values, in spite of a 2xx status: docs/api.md, "Send image". */
const ERROR_REPORTS: Array<[field: RegExp, value: RegExp, appliesTo?: AppliesTo]> = [
	[
		/^(is_?)?(succe(ss(ful)?|eded)|ok|sucesso|[eé]xito|succ[eè]s|successo|erfolg|berhasil|sukses)$/i,
		/^(false|no?|n[aã]o|0)$/i,
	],
	[
		/^(((message|msg|sms|delivery|send)_?)?(status|state|result|ack)(_?(text|name))?|outcome)$/i,
		FAILED_STATUS,
	],
	[/^((is|has)_?)?(failed|rejected)$/i, /^(true|yes|1)$/i],
	[/^code$/i, new RegExp(`^(${FAILED})([_ ](?!(.*[^a-z])?(${HARMLESS_END})$)\\D+)?$`, 'i')],
	[/^((group)?name|value)$/i, FAILED_STATUS, (_fields, wrapper) => wrapper === 'status'],
	[/^result$/i, /^false$/i],
	[
		/^((http|response|result|return)_?)?(status(_?code)?|code)$|^ack$/i,
		/^(-[1-9]\d*|[45]\d\d( [A-Z].*)?)$/,
	],
	// `sent: 0` may be a count. Inside the response, it is the state of the message, to which it may not have happened yet.
	[
		/^((is|message)_?)?(sent|accepted|enviad[oa]|envoy[eé]e?|inviat[oa]|gesendet|terkirim)$/i,
		NO,
		isResponse,
	],
	[
		/^((is|message)_?)?(delivered|entregue)$/i,
		NO,
		(...part) => isResponse(...part) && !mayArriveLater(...part),
	],
	// Beside an ID, it may be the state of something else, e.g. of the receipt.
	[/^status$/i, /^false$/i, ({ id }) => id === undefined],
];
/** Fields that report an error unless they are empty, or say that there is none. */
const NAMED_ERROR =
	/^((is|has)_?)?(errors?|(err(or)?|fail(ed|ure)?)_?(code|message|msg|text|reason|description|info|data|details?|type|number)|(message|send|mensa(gem|je))_?erro?r?|fault(string)?|err|errno|erros?|errore|erreur|fehler|failure|exception)$/i;
/** Beside an ID. Beside a list, they may count other things. */
const NAMED_FAILURE =
	/^((is|has)_?)?(failed|failures|rejected|(err(or)?|fail(ed|ure)?)_?(count|list|messages))$/i;

export function reportsError(fields: IDataObject, wrapper?: string): boolean {
	const reports = ERROR_REPORTS.filter(([, , appliesTo]) => appliesTo?.(fields, wrapper) ?? true);
	return fieldsOf(fields).some(([name, value]) => {
		if (NAMED_ERROR.test(name)) return isError(value);
		if (fields.id !== undefined && NAMED_FAILURE.test(name))
			return isError(value) && !/^0\b/.test(String(value));
		if (typeof value === 'object') {
			const isWrapper = RESPONSE_WRAPPERS.test(name) || name === 'status';
			// Some services put the result into a list, even if there is only one.
			const inner: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
			return !wrapper && isWrapper && isObject(inner) && reportsError(inner, name);
		}
		const text = String(value)
			.trim()
			.replace(/(?<=[a-z])(?=[A-Z])/g, '_');
		return reports.some(([field, no]) => field.test(name) && no.test(text));
	});
}

/** Texts in a field for errors that report none, without brackets, quotes and full stops around them. */
const NO_ERROR =
	/^(|false|[a-z]?0{3,}|0+( errors?)?|20[0-2]|n[aã]o|nein|no([ _-]?errors?)?( (found|occurred))?|none|null|nil|undefined|n\/?a?|not applicable|(?=.*(ok|sent|done|pending|success|ed\b))((the|your|message|request|operation|was|has been|for|to|queue|delivery|ok|accepted|queued|sent|done|delivered|submitted|completed|processed|created|pending|success(ful(ly)?)?)([\s,:]{1,9}|$))+|((mensagem|mensaje) )?enviad[oa]( (com|con|correctamente)( (sucesso|[eé]xito))?)?|[eé]xito|sucesso|succ[eè]s|successo|erfolg|sukses|[-–—]+|nenhum|ninguno|nessuno|aucune?|keine?[rs]?|tidak ada|(nenhum|sem|sin|no hay|ning[uú]n|nessun|senza) err(o|or|ore|ori|os|ores)|(aucune|sans|pas d[’']) ?erreurs?|(keine?|ohne) fehler|(tidak ada|tanpa) (error|kesalahan))$/i;

function isError(value: unknown): boolean {
	if (typeof value === 'object')
		return Object.values(value ?? {}).some((one) =>
			typeof one === 'object' ? isFilled(one) : isError(one),
		);
	const text = String(value).trim();
	const bare = text.replace(/^[\s("'[{]{1,9}|[\s.!)"'\]}]{1,9}$/g, '');
	return text.length > 200 || !NO_ERROR.test(bare);
}

export function isFilled(value: unknown): boolean {
	return typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : Boolean(value);
}
