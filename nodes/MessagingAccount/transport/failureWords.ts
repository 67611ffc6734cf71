/** What a status says of a message that failed, and what may stand before and behind it: `SEND_FAILED`, `failed: no such number`. */
const FAILED =
	String.raw`err(or(ed)?|o|eur|ore)? fail(ed|ure)? fall(o|ido) falh(a|ou) fallit[oa] [eé]chec [eé]chou[eé] fehler fehlgeschlagen gagal
	(not?|n[aã]o|non|nicht|tidak)[_\s-]?(sent|delivered|enviad[oa]|envoy[eé]e?|inviat[oa]|gesendet|terkirim|entreg(ue|ad[oa])|zugestellt|registered|allowed)
	unsent undeliver(ed|able) [a-z]+[_\s-]not[_\s-]?found unregistered unreachable unsupported unknown[_\s-]number discarded throttled rate[_\s-]?limited timed?[_\s-]?out
	reject(ed)? refused denied declined blocked invalid expired cancell?ed aborted unsuccessful ko n[ao]c?k bounced? dropped disconnected
	unauthori[sz]ed forbidden banned suspended (limit|quota)[_\s-]exceeded (no|insufficient)[_\s-](credits?|balance|funds)
	(rechaz|rejeit|recus|cancel|bloque|de[sc]+onect)ad[oa] re(jet|fus)[eé]e? rifiutat[oa] abgelehnt ditolak blockiert gescheitert`.replace(
		/\s+/g,
		'|',
	);
const WORD_BEFORE = `(?!(no|not|non|never|zero|none|cannot|without|sem|sin|sans|senza|kein|ohne|tanpa)[_ -])[a-z]+[_ -]`;
const NO_HARMLESS_END = '(?!(.*[^a-z])?(0|no|none|null|false|ok|success|over|free|yet)$)';
const WORDS_BEHIND = `[_ :;,.-]${NO_HARMLESS_END}.*`;

export const FAILED_STATUS = new RegExp(`^(${WORD_BEFORE})?(${FAILED})!?(${WORDS_BEHIND})?$`, 'i');
export const FAILED_CODE = new RegExp(`^(${FAILED})([_ ]${NO_HARMLESS_END}\\D+)?$`, 'i');

const NOTHING = String.raw`|false|[a-z]?0{3,}|0+|20[0-2]|n[aã]o|nein|no|none|null|nil|undefined|n\/?a?|not applicable|[-–—]+|nenhum|ninguno|nessuno|aucune?|keine?[rs]?|tidak ada`;
const NO_ERRORS = String.raw`0+ errors?|no[ _-]?errors?|no([ _-]?errors?)? (found|occurred)|(nenhum|sem|sin|no hay|ning[uú]n|nessun|senza) err(o|or|ore|ori|os|ores)|(aucune|sans|pas d[’']) ?erreurs?|(keine?|ohne) fehler|(tidak ada|tanpa) (error|kesalahan)`;
const ALL_WELL = String.raw`(?=.*(ok|sent|done|pending|success|ed\b))((the|your|message|request|operation|was|has been|for|to|queue|delivery|ok|accepted|queued|sent|done|delivered|submitted|completed|processed|created|pending|success(ful(ly)?)?)([\s,:]{1,9}|$))+`;
const DONE = String.raw`((mensagem|mensaje) )?enviad[oa]( (com|con|correctamente)( (sucesso|[eé]xito))?)?|[eé]xito|sucesso|succ[eè]s|successo|erfolg|sukses`;
/** Texts in a field for errors that report none, without brackets, quotes and full stops around them. */
export const NO_ERROR = new RegExp(`^(${NOTHING}|${NO_ERRORS}|${ALL_WELL}|${DONE})$`, 'i');
