/**
 * Words of a status of a message that failed, each a pattern. A row each: failed, could not be sent, undelivered, number not found, rejected,
 * canceled or too late, logged out, limit reached.
 */
const FAILED = String.raw`
	err(or(ed)?|o|eur|ore)? fail(ed|ure)? fall([oó]|ido) falh(a|ou) falli[dt][oa] [eé]chec [eé]chou[eé] fehler fehlgeschlagen gescheitert gagal unsuccessful ko n[ao]c?k aborted dropped discarded
	((does|did|is|was|could)[_\s-])?(not?|n[aã]o|non|nicht|tidak)[_\s-]?(be[_\s-])?(sent|delivered|enviad[oa]|envoy[eé]e?|inviat[oa]|gesendet|terkirim|entreg(ue|ad[oa])|zugestellt|registered|terdaftar|accepted|queued|allowed|authori[sz]ed|connected|logged[_\s-]in|exists?|v[aá]lid[oa]?|((on|a)[_\s-])?whats?app)
	unsent undeliv(er(ed|able))? (cannot|unable[_\s-]to)[_\s-](send|deliver) bounced?
	[a-z]+[_\s-]not[_\s-]?found unregistered unreachable unsupported (unknown|wrong|bad)[_\s-](number|request) inv[aá]lid[oa]? ung[uü]ltig
	reject(e?d)? refused denied declined blocked blacklisted opt(ed)?[_\s-]?out (rechaz|rejeit|recus|bloque)ad[oa] re(jet|fus)[eé]e? rifiutat[oa] abgelehnt ditolak blockiert
	cancell?ed cancelad[oa] expir(ed|ad[oa]) timed?[_\s-]?out
	unauthori[sz]ed forbidden banned suspended disconnected de[sc]+onectad[oa] logged[_\s-]out
	throttled rate[_\s-]?limit(ed)? too[_\s-]many (limit|quota)[_\s-](exceeded|reached) (no|insufficient|out[_\s-]of)[_\s-](credits?|balance|funds)`
	.match(/\S+/g)!
	.join('|');

// What may stand before and behind it: `SEND_FAILED`, `failed: no such number`, but not `no failures` or `error: none`.
const WORDS_BEFORE = `((?!(no|not|non|never|zero|none|cannot|without|sem|sin|sans|senza|kein|ohne|tanpa)[_ -])[a-zà-ÿ]+[_ -]){0,3}`;
const NO_HARMLESS_END = '(?!(.*[^a-z])?(0|no|none|null|false|ok|success|over|free|yet)$)';
const WORDS_BEHIND = `[_ :;,.-]${NO_HARMLESS_END}.*`;

export const FAILED_STATUS = new RegExp(`^${WORDS_BEFORE}(${FAILED})!?(${WORDS_BEHIND})?$`, 'i');
export const FAILED_CODE = new RegExp(`^(${FAILED})([_ ]${NO_HARMLESS_END}\\D+)?$`, 'i');

const NO_ERRORS = [
	// nothing, 000, 200 OK
	String.raw`|[a-z]?0{3,}|(0+|20[0-2])( ?[-:]? ?(ok|no[ _-]?errors?))?`,
	// false, none, n/a, nenhum
	String.raw`false|n[aã]o|nein|no|none|null|nil|undefined|n\/?a?|not applicable|[-–—]+|nenhum|ninguno|nessuno|aucune?|keine?[rs]?|tidak ada`,
	// 0 errors, no error found
	String.raw`0+ errors?|e(rr)?_(ok|none|success)|no[ _-]?errors?( \(0)?|no([ _-]?errors?)? (found|occurred)`,
	// nenhum erro encontrado, aucune erreur, keine Fehler
	String.raw`(nenhum|sem|sin|no hay|no se encontraron|ning[uú]n|nessun|senza) err(o|or|ore|ori|os|ores)( (encontrad|detectad|rilevat)[oaei]s?)?|(aucune|sans|pas d[’']) ?erreurs?( (d[eé]tect|trouv)[eé]es?)?|(keine?|ohne) fehler|(tidak ada|tanpa) (error|kesalahan)`,
	// the message was queued for delivery
	String.raw`(?=.*(ok|sent|done|pending|success|ed\b))((the|your|message|request|operation|was|has been|for|to|queue|delivery|processing|ok|accepted|queued|sent|done|delivered|submitted|completed|processed|created|pending|success(ful(ly)?)?)([\s,:]{1,9}|$))+`,
	// mensagem enviada com sucesso, but not “mensagem” alone
	String.raw`((mensagem|mensaje|message|messaggio|nachricht|pesan|opera(ção|ci[oó]n|zione)|op[eé]ration|vorgang|foi|fue|realizada|enviad[oa]|envoy[eé]e?|inviat[oa]|gesendet|dikirim|terkirim|completa[dt][oa]|com|con|avec|correctamente|exitos[oa]|r[eé]ussie?|riuscita|erfolgreich|berhasil|[eé]xito|sucesso|succ[eè]s|successo|erfolg|sukses)( |$))+(?<!(mensa(gem|je)|mess?ag(e|gio)|nachricht|pesan|ção|ci[oó]n|zione|ration|vorgang|foi|fue|co[mn]|avec|realizada))`,
].join('|');
/** Texts in a field for errors that report none, without brackets, quotes and full stops around them. */
export const NO_ERROR = new RegExp(`^(${NO_ERRORS})$`, 'i');
