import { extractApiMessage } from '../../../../nodes/MessagingAccount/errors/extractApiMessage';
import { ACCOUNT } from '../../../support/account';

describe('the message of the service', () => {
	test.each<[body: unknown, expected: string | undefined]>([
		['Too many', 'Too many'],
		['Forbidden', 'Forbidden'],
		[{ message: 'Forbidden' }, 'Forbidden'],
		[{ errors: ['Forbidden'] }, 'Forbidden'],
		[{ info: 'Ask later', message: 'Too many' }, 'Too many'],
		[{ code: 'E7', info: 'Too many' }, 'Too many'],
		['<html>x</html>', undefined],
		[{ message: '<strong>Error:</strong> Bad <b>number</b>' }, 'Error: Bad number'],
		['', undefined],
		['  ', undefined],
		[{ message: '\u0000\u200b' }, undefined],
		[{ errors: { data: { message: 'Bad one' } } }, 'Bad one'],
		[null, undefined],
		[{ message: 5 }, undefined],
		// A single word in a field of another name.
		[{ accept: 'application/json' }, undefined],
	])('in %j: %s', (body, expected) => {
		expect(extractApiMessage(body, ACCOUNT)?.text).toBe(expected);
	});

	test.each([
		[8, 'Too many'],
		[9, undefined],
	])('in %d nested objects: %s', (depth, expected) => {
		let body: unknown = 'Too many';
		for (let i = 0; i < depth; i++) body = i % 2 ? [body] : { error: body };
		expect(extractApiMessage(body, ACCOUNT)?.text).toBe(expected);
	});

	test.each<[what: string, body: unknown]>([
		['a long list', { errors: Array(250_000).fill('Too many') }],
		['a long list before it', { errors: Array(250_000).fill(0), message: 'Too many' }],
		['long texts before it', { errors: Array(31).fill('é'.repeat(1e6)), message: 'Too many' }],
		['a long text', { message: `Too many${' '.repeat(1e6)}` }],
	])('is found in %s', (_what, body) => {
		expect(extractApiMessage(body, ACCOUNT)?.text).toMatch(/Too many$|^é/);
	});

	test('is not searched for in all of a body', () => {
		const wide = (depth: number): unknown =>
			depth === 0 ? 1 : Array.from({ length: 100 }, () => wide(depth - 1));
		const read = jest.fn(() => 'Too many');
		const late = Object.defineProperty({}, 'message', { get: read, enumerable: true });
		expect(extractApiMessage([...Array(50).fill(wide(2)), late], ACCOUNT)).toBeUndefined();
		expect(read).not.toHaveBeenCalled();
		expect(extractApiMessage([wide(1), late], ACCOUNT)?.text).toBe('Too many');
	});

	test('does not overflow the stack with a deeply nested response', () => {
		let body: unknown = 'deep';
		for (let i = 0; i < 50_000; i++) body = { error: body };
		expect(extractApiMessage(body, ACCOUNT)).toBeUndefined();
	});

	/** Of the first list it is true, of the second it is not. */
	const readLists = (...lists: string[]) =>
		lists.flatMap((list, i) => {
			const messages = list.trim().split(/\s+\|\s+/);
			return messages.map((message) => ({ message, expected: i === 0 }));
		});

	test.each(
		readLists(
			`No such chat | Scan the QR code first! | 账号未连接 | Internal server error: no session |
			invalid_number | sessionNotConnected | Image url not found | Path to file does not exist |
			Cannot get image from url | The url you sent does not exist or cannot be reached |
			Cannot post to this group: only admins may | specified recipient is not found`,
			`Payload Too Large | NOT_FOUND | UnauthorizedException | HTTP 404: Not Found |
			Request failed with status code 400 | E-7 | *** | Bad Request | Unprocessable Entity |
			Unprocessable content | Internal Server Error | internal error. | Bad Gateway |
			Service Unavailable | Service temporarily unavailable | Gateway Time-out | Gateway Timeout |
			Forbidden resource | No message available | Server Error | An unexpected error occurred | E_7 |
			AxiosError: Request failed with status code 400 | request entity too large |
			Precondition Failed | Invalid endpoint | Unrecognized request URL (POST: /v1/sendImage). |
			Method "POST" not allowed. | The route v1/sendImage could not be found. |
			Route POST:/v1/sendImage not found | 404 page not found | no Route matched with those values |
			The requested URL was not found on the server. | The requested resource was not found |
			error code: 1020 | [object Object]`,
		),
	)('is a reason: $message: $expected', ({ message, expected }) => {
		expect(extractApiMessage({ message }, ACCOUNT)).toMatchObject({ isReason: expected });
	});

	test.each(
		readLists(
			`session_not_connected | SESSION_CLOSED | Instance is not connected | not_logged_in |
			The device has been logged out | The phone isn't connected | Please scan the QR code |
			You are not connected. | Connection Closed | Waiting for QR code scan |
			The session is not authenticated | Instance is closed | device disconnected |
			Sessão não conectada | Sessão não encontrada | A sessão foi encerrada | Dispositivo desconectado |
			WhatsApp não conectado | Instância não está conectada | Você não está conectado |
			A conta não está logada | Escaneie o QR Code | Conexão fechada | SESSÃO NÃO INICIADA |
			Sesión no conectada | La sesión no está iniciada | El dispositivo está desconectado |
			No has iniciado sesión | Escanea el código QR | No se encontró la sesión | No conectado |
			La instancia no está lista | Session non connectée | Le compte n'est pas connecté |
			L’appareil est déconnecté | Session introuvable | La session n'existe pas |
			Vous n'êtes pas connecté | Veuillez scanner le code QR | Sessione non connessa |
			Dispositivo non connesso | Sessione chiusa | Scansiona il codice QR | WhatsApp disconnesso |
			Sitzung nicht verbunden | Gerät getrennt | Konto nicht angemeldet | Die Sitzung existiert nicht |
			Bitte QR-Code scannen | Das Konto ist nicht mit WhatsApp verbunden | Instanz nicht bereit |
			Perangkat tidak terhubung | Sesi belum terhubung | Akun belum login | Silakan pindai kode QR |
			Koneksi terputus | WhatsApp is not connected | Session expired | Sessão expirada |
			La sesión ha caducado | Session expirée | Sessione scaduta | Sitzung abgelaufen | Sesi kedaluwarsa |
			Sesi telah berakhir | Leia o QR Code | Aguardando leitura do QR code | QR Code não lido |
			Código QR pendiente | Awaiting QR code | Waiting for the QR code | qr_required |
			La sessione non esiste | Sessão inexistente | Session inexistante | Conta desvinculada |
			No está logueado | Gerät nicht verknüpft | No active session | Keine aktive Sitzung |
			Session terminated | Your session has ended | Session lost | device_removed | Phone is offline |
			Instance is offline | Telefon ist offline | WhatsApp is not authenticated |
			Multidevice not connected | Sessão inativa | Aucune session active | Nessuna sessione attiva |
			Sessione terminata | QR-Code muss gescannt werden | Sesi tidak ada | Cannot send the image: session closed |
			Session status is not as expected | We didn't find a session with name 'default' |
			no session | Sem sessão ativa | No hay sesión | Aucune session | User not logged in | QR expired |
			You need to be connected | Please reconnect your WhatsApp | Connect your phone first | Bot is not connected |
			Você precisa estar conectado | Session is not WORKING | Instance not authorized | Device was unlinked |
			Sender is not connected | instance not initialized | Instance stopped |
			A instância informada não está conectada | É necessário ler o QR Code | Gerät ist offline | Bot session not found | Please connect your phone`,
			`Client not found | specified phone is not found | The number is not connected to a chat |
			Image could not be downloaded: connection closed | Channel not connected to catalog |
			the given phone is not linked to any account | not_authorized | The phone number is not linked to an account | Database disconnected |
			Connection to MySQL server closed | MongoDB client is not connected | RabbitMQ connection closed |
			The recipient is disconnected | client disconnected before the response |
			Your account is not ready to send to this number | The "sales" instance does not exist |
			Número não conectado ao WhatsApp | El número no está vinculado a una cuenta | Cliente não encontrado |
			Destinatário não conectado | Ce numéro n'est pas connecté | Il contatto non è attivo |
			Die Nummer ist nicht mit WhatsApp verbunden | Nomor tidak terhubung | Datenbank nicht verbunden |
			Banco de dados desconectado | Imagem não encontrada | No autorizado | Bild nicht gefunden |
			A instância não existe | This account does not support login | Server not ready |
			The account is not authenticated | The receiver's device is not connected |
			The account of the receiver is not connected | Upload session not found or expired |
			session_id: not a valid value, expected a UUID | Image session not found | connection closed by image server | upstream connection closed |
			Proxy connection closed | MySQL connection closed | Mongo disconnected | Stripe account not connected |
			Payment account not connected | Connection 5 to postgres://*** closed | Link expired |
			24 hour session expired | Chatbot session closed | Typebot session not found | No session record |
			You must connect a Facebook page first | Please pair each image with a caption |
			Insufficient balance. Please connect with our support team | Both fields are not linked |
			Instance not authorized to use this method | The image is not working in WhatsApp |
			FTP session closed | Could not connect to image host: connection closed | The remote server closed the connection | O telefone informado não está conectado | Checkout session not found |
			Client network socket disconnected before secure TLS connection was established`,
		),
	)('means that the account is not connected: $message: $expected', ({ message, expected }) => {
		expect(extractApiMessage({ message }, ACCOUNT)).toMatchObject({ isDisconnected: expected });
	});

	test.each([{ connected: false }, { state: 'DISCONNECTED' }])('or %j beside it does', (beside) => {
		const body = { message: 'Wait a minute', ...beside };
		const expected = { text: 'Wait a minute', isDisconnected: true };
		expect(extractApiMessage(body, ACCOUNT)).toMatchObject(expected);
	});
});
