import { toPlainWords } from './plainWords';

const NOT = '(not?|nao|pas|non|aucune|nessuna|nicht|keine|tidak|belum) (\\w+ ){0,3}';
/** Finds a word that begins like one of these in a text of `toPlainWords`, with ! only behind a “not”. @example oneOf('a b') // /\b(a|b)/ */
const oneOf = (words: string) => {
	const list = words.trim();
	const not = list.startsWith('!') ? NOT : '';
	return new RegExp(`\\b${not}(${list.replace(/^!/, '').replace(/\s+/g, '|')})`);
};

/**
 * Texts that mean that the account has to be logged in: they have a word of each part of one row, and a “not” before that of a part with !.
 * The comments have texts that they find. Each word is a pattern, with a dot for a space. Most rows mix English, Portuguese, Spanish,
 * French, Italian, German and Indonesian. What says so of the device alone is in `connectionChanged.event.ts`.
 */
export const DISCONNECTED = [
	'session device & !found find exist as.expected', // the session was not found
	'session instance device connection & closed', // the session is closed
	'session instance device phone telefon gerae?t & terminated ended lost offline removed stopped', // the phone is offline
	'session instance device connection whats.?app multi.?device & !open started running authenticated connected', // the instance is not running
	'session instance device & !working initiali', // the session is not working
	// your account is not connected
	'account session instance device phone client channel whats.?app you.are & !connected ready logged.in paired linked',
	'session sessao sesi sitzung & expir caduc scadut abgelaufen kedalu?warsa berakhir ina[ck]?tiv terminat', // a sessão expirou
	// waiting for the QR code
	'scan escan einscan pindai leia precisa.ler necessario.ler leitura lido await waiting aguard esper attente attesa wart menunggu & qr',
	// QR code required, nenhuma sessão ativa, please connect your phone, logged out, desconectado, pas encore connecté
	`qr.(code.)?required qr.(code.)?(pend|expir) qr.code.muss sesi.tidak.ada instance.(is.)?not.authori[sz]ed(?!.(to|for)) (bot|sender).(is.)?not.(connected|logged.in|paired) user.(is.)?not.logged.in
	(no|no.hay|sem|sin|nenhuma|aucune|nessuna|keine).(active.|aktive.)?(session|sessao|sesion|sitzung)e?(.ativa|.activa|.active|.attiva)?$
	(please|must|need.to).(be.)?(re)?(connect|pair)(ed)?($|.(again|first|before|and|it|((to|with).)?((the|your).)?(phone|device|instance|session|whats))) (re)?connect.your.(phone|device|whats.?app|account) estar.conectad
	disconnected unpaired unlinked logged.out connected.false logged.in.false ^not?.connected$ ^not.logged.in$
	desconectad deslogad desvinculad deconnecte disconness scollegat abgemeldet ausgeloggt terputus (belum|tidak).(login|masuk)
	(pas|non).(encore.)?connecte (pas|non).(encore.)?appair`,
	// nicht verbunden
	'!conectad logad loguead vinculad paread emparejad conness collegat verbunden angemeldet eingeloggt gekoppelt verknupft terhubung tersambung tertaut',
	// sessão não encontrada
	'sessao sesi dispositivo aparelho session appareil sitzung gerae?t perangkat & !encontr exist esist trouv trovat gefunden ditemukan',
	// sessão não iniciada
	'sessao sesi conex instan istanza session conn sitzung verbindung gerae?t koneksi & !iniciad autentic ativ[ao] activ[aoe] abert abiert demarr ouvert avviat attiv apert gestartet aktif aktiv dimulai',
	// Sitzung beendet
	'sessao sesi conex instan istanza session conn sitzung verbindung gerae?t koneksi & cerrad encerrad fechad finalizad ferme introuvable inexist chius geschlossen beendet getrennt existe.pas existiert.nicht ditutup',
	'whats.?app client instan conta cuenta compte session konto akun sesi perangkat & !pront list[ao] pret bereit siap', // instância não pronta
].map((row) => row.split('&').map(oneOf));

/** Words of a text that is about a recipient instead, or about something behind the service. */
export const OTHER_CONNECTION = oneOf(
	`number recipient receiver contact numero destinat kunde benutzer contat[ot] nummer empfanger kontakt nomor penerima
	database redis (my)?sql postgres mongo rabbit kafka broker upstream proxy tunnel tls ssl vpn stripe payment.account
	download catalog given.phone user.phone subscription trial from.request trailing customer conversation window janela ventana fenetre finestra fenster url payment pago pagamento paiement upload
	(chat|type).?bot.session hour.session ftp smtp minio storage checkout telefone.informad
	^(the.)?(image|media).session (image|media).(host|server|connection) remote.server.closed client.(disconnected|closed) banco.de.dados base.de.d datenbank basis.data`,
);

/** Whether a text of the service means that somebody has to log in. @example meansDisconnected('Sessão não conectada') // true */
export function meansDisconnected(text: string): boolean {
	const words = toPlainWords(text);
	const hasAll = (row: RegExp[]) => row.every((oneOfPart) => oneOfPart.test(words));
	return !OTHER_CONNECTION.test(words) && DISCONNECTED.some(hasAll);
}
