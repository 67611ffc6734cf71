import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import { readMessages } from '../../../../nodes/MessagingAccount/transport/messageList';
import { readSentMessage } from '../../../../nodes/MessagingAccount/transport/sentMessage';
import { toItemJson } from '../../../../nodes/MessagingAccount/transport/itemJson';
import { readStatus } from '../../../../nodes/MessagingAccount/transport/statusResponse';
import fc from '../../../support/fastCheck';
import { getApiError } from '../../../support/inputError';

const account = readAccount({ baseUrl: 'https://a', clientId: 'client-7f3a', token: 'token-91c2' });

/** Reads rows like `JSON | JSON → what is expected`, which may go on in the next line. */
const readTable = (table: string) => {
	const rows = table.trim().split(/\n\t*(?=\S)(?![|→])/);
	return rows.flatMap((row) => {
		const [bodies, expected = ''] = row.split(/\s+→\s+/);
		const parsed = bodies.split(/\s+\|\s+/).map((body): unknown => JSON.parse(body));
		return parsed.map((body): [body: unknown, expected: string] => [body, expected]);
	});
};

const NO_ID = 'The service responded without a message ID';
const ASK_OPERATOR = "Ask the service's operator: the ID must be in 'id'";

const fields = (count: number) =>
	Object.fromEntries([...'abcdefghi'].slice(0, count).map((name) => [name, 1]));

const UNEXPECTED: Array<[body: unknown, received: string]> = [
	[{}, 'an object without fields'],
	['\n <!doctype html><title>Log in</title>', 'a web page: “Log in”'],
	[null, 'null'],
	['', 'an empty response'],
	[5, 'the value 5'],
	[{ a: 1, b: 2 }, 'an object with the fields a, b'],
	[fields(8), 'an object with the fields a, b, c, d, e, f, g, h'],
	[fields(9), 'an object with the fields a, b, c, d, e, f, g, h, …'],
	['your token is token-91c2', 'the text “your token is ***”'],
];

describe.each([
	['a status', 'a status, with is_connected or qr', readStatus],
	['a sent message', 'the id of the message', readSentMessage],
	['messages', 'a list of messages, bare or in one field of an object', readMessages],
])('%s', (_what, expected, read) => {
	// Nothing is no message.
	const isNothing = (body: unknown) => read === readMessages && !String(body ?? '');
	const others = UNEXPECTED.filter(([body]) => !isNothing(body));
	test.each(others)('is not read from %j, and the error says what arrived', (body, received) => {
		const error = getApiError(() => read({ body, account }));
		expect(error.description).toContain(`Expected ${expected}, but received ${received}.`);
		const isReached = read === readSentMessage && !received.startsWith('a web page');
		expect(error.description).toContain(isReached ? "must be in 'id'." : "'Base URL'");
		if (isReached) expect(error.message).toBe(NO_ID);
		expect(error.delivery).toBe('unknown');
	});

	test('returns a value or throws an ApiError, also if a field has the name of a method', () => {
		const error = '{"path":{"toString":1},"message":"a b","data":{"number":{"toString":1}}}';
		const examples = ['{"messages":[],"toString":1}', `{"error":${error}}`];
		fc.assert(
			fc.property(fc.jsonValue(), (body) => {
				try {
					expect(read({ body, account })).toBeDefined();
				} catch (error) {
					expect(error).toBeInstanceOf(ApiError);
				}
			}),
			{ examples: examples.map((json) => [JSON.parse(json)]) },
		);
	});
});

const NO_STATUS = 'a status, with is_connected or qr, but received';
const NO_QR = "a PNG as data URI in 'qr', but received";
const NO_FLAG = "true or false in 'is_connected', but received";

test.each(
	readTable(`
	[1,2] → ${NO_STATUS} a list of 2 entries.
	{"is_connected":null,"qr":null} → ${NO_STATUS} an object with the fields is_connected, qr.
	{"qr":"2@abcdefgh,ijkl"} → ${NO_QR} the text “2@abcdefgh,ijkl”
	{"qr":"data:image/jpeg;base64,iVBORw0KGgo="} → ${NO_QR} the text “data:image/jpeg
	{"qr":"data:image/png;base64,aGVsbG8="} → ${NO_QR} the text “data:image/png
	{"qr":["data:image/png;base64,iVBORw0KGgo="]} → ${NO_QR} a list of 1 entries
	{"is_connected":"true"} → ${NO_FLAG} the text “true”.
	{"is_connected":"False"} → ${NO_FLAG} the text “False”.
	{"is_connected":1} → ${NO_FLAG} the value 1. Ask the service's operator to return true or false.
	{"success":false,"message":"No such client"} → ${NO_STATUS} a report that something went wrong, an object with the fields success, message. The service says: “No such client”. Check 'Base URL', 'Client ID' and 'Token' in the credential.`),
)('a status is not read from %j: expected %s', (body, expected) => {
	const { description } = getApiError(() => readStatus({ body, account }));
	expect(description).toContain(`Expected ${expected}`);
});

describe('a sent message', () => {
	const STATUSES = [
		'Not delivered yet',
		...['queued', 'sent', 'pending', 'no errors', 'no_error', 'not failed', 'error-free'],
		...['errors: 0', 'sem erro', 'terror', 'token', 'failover', 0, 200, '404a', 4000, null, false],
	];
	const ERRORS = `false,False,0,no,None,NULL, ,ok,No error,no errors,success,NO_ERROR,no-error,noerror,200,Nenhum erro,
		sem erros,Sin error,ningún error,Aucune erreur,sans erreur,nessun errore,Kein Fehler,keine Fehler,tidak ada kesalahan,Accepted,Queued,Message sent successfully,Request successful,success.,ok.,None.,
		no errors found,No error occurred.,request:ok,0 errors,Message queued for delivery,(none),not applicable,OK: queued,Sent to queue,Message successfully sent,não,nein,—,Delivered,Your message was sent,Mensagem enviada com sucesso,Enviado,Nenhum,ninguno,éxito,tidak ada,Sin error.,No hay errores,The operation was successful,Request accepted for processing,200 OK,Nenhum erro encontrado,Message envoyé avec succès,Nachricht erfolgreich gesendet,Pesan berhasil dikirim,Messaggio inviato con successo,No se encontraron errores,Aucune erreur détectée,Operación exitosa,0 - OK,200: OK,No error (0),ERR_OK,[],{},"",201,E0000`;
	const READ = readTable(`
		{"id":"m1"} | {"id":7,"success":true,"error":null,"errors":[]} | {"id":"m1","error":false}
		{"id":"m1","success":"yes","error":"","errors":{}} | {"id":"m1","warnings":["It was scaled"]}
		{"id":"m1","ok":1,"sent":0,"success":"true","Error":""} | {"id":0} | {"id":"Order ABC"} | {"id":"m1","lastError":"old"} | {"id":"m1","failed":"0/1","code":"KO-12"} | {"id":"m1","code":"420 ml"} | {"id":"nullable"} | {"id":"<m1@a.b>"} | {"id":"2026-11-30 06:44"}
		{"id":"m1","failed":0,"failed_at":null,"failedAt":"0001-01-01T00:00:00Z","hasError":false,"isError":"no","exception":null,"ack":0} | {"id":"m1","ack":1} | {"id":"m1","failed_at":"0000-00-00 00:00:00"} | {"id":"m1","failed":"0 of 3"}
		{"id":"m1","code":4711,"data":[{"error":"x"},{"error":null}],"exists":false} | {"id":"m1","isDelivered":false,"read":false} | {"id":"m1","message":{"status":"failed"}}
		{"id":"m1","error":{"code":0,"message":""},"errors":[null,"none",[]]}
		{"id":"m1","error_code":null,"errorMessage":"","code":200,"statusCode":"201","result":"ok"}
		{"id":"m1","state":"PENDING","delivered":0,"data":{"error":null,"status":"sent"}}
		{"id":"m1","enviado":true,"entregue":false} | {"id":"m1","groupName":"Blocked"} | {"id":"m1","data":{"groupName":"Failed"}}
		{"id":"m1","error_details":"Message has been sent"} | {"id":"m1","error_info":{"message":"Message submitted successfully"}}
		{"id":"m1","sent":true,"delivered":false} | {"id":"m1","delivered":false,"read":false} | {"id":"m1","errcode":0,"errmsg":"ok"}
		{"id":"m1","ok":null,"sent":{},"success":[false],"status":{"toString":1}}`);

	test.each([
		...READ.map(([body]) => body),
		...STATUSES.map((status) => ({ id: 'm1', status })),
		...[0, 200, ...ERRORS.split(',')].map((error) => ({ id: 'm1', error })),
	])('is read, untouched, from %j', (body) => {
		expect(readSentMessage({ body, account })).toBe(body);
	});

	const NO_IDS =
		'null,undefined,None,\u200b,,N/A,false,-,nil,unknown,failed,{},true_undefined@c.us_3EB0,(null),<nil>,[object Object],ERROR: no credit,not sent,não enviado,could not send,00000000-0000-0000-0000-000000000000';
	test.each([...NO_IDS.split(','), -1])('has no id if it is %j', (id) => {
		const { message, delivery } = getApiError(() => readSentMessage({ body: { id }, account }));
		expect([message, delivery]).toEqual([NO_ID, 'unknown']);
	});

	/** With the sentence that is quoted, which is the message, too, if it is more than a word. */
	const REPORTS = readTable(`
		{"success":false,"message":"Blocked by token-91c2"} → Blocked by ***
		{"success":false,"detail":"Blocked"} | {"error":"Blocked"} | {"Error":"Blocked"}
			| {"success":true,"error":{"code":7,"message":"Blocked"}} | {"errors":["Blocked"]}
			| {"error":{"code":0,"message":"Blocked"}} | {"errors":{"number":"Blocked"}}
			| {"success":"False","message":"Blocked"} | {"status":"error","message":"Blocked"}
			| {"statusCode":400,"message":"Blocked"} | {"data":{"error":"Blocked"}}
			| {"response":{"success":false,"message":"Blocked"}} → Blocked
		{"error":"true"} → true
		{"error":"Timeout before success"} → Timeout before success
		{"error":"not ok"} → not ok
		{"exception":"Boom"} → Boom
		{"status":"failed: no such number"} → status: failed: no such number
		{"messageStatus":"Not sent"} → Not sent
		{"error":5} | {"errors":["",{"number":""}]} | {"success":0} | {"success":"0"} | {"Success":false}
			| {"ok":false} | {"sent":false} | {"status":"FAILED"} | {"state":"FAILED "} | {"code":500}
			| {"http_status_code":"503"} | {"result":"error"} | {"result":false} | {"delivered":false}
			| {"error_code":63016} | {"success":"no"} | {"isSuccess":false} | {"is_success":"False"}
			| {"successful":false} | {"sucesso":false} | {"isSent":false} | {"sent":"no"} | {"delivered":"false"}
			| {"failed":true} | {"isError":true} | {"hasError":true} | {"has_failed":1} | {"status":400}
			| {"httpStatus":503} | {"data":{"status":500}} | {"status":{"code":400}} | {"ack":-1}
			| {"result":"KO"} | {"code":-1} | {"status":"Failed!"} | {"resultCode":500} | {"id":"m1","failed":["4915"]} | {"id":"m1","failed":["0/2","4915"]} | {"id":"m1","failed":{"toString":1}} | {"id":"m1","failures":1} | {"id":"m1","failedCount":1} | {"id":"m1","failedAt":"2026-11-30"} | {"id":"m1","invalidReceivers":["49"]} | {"status":{"type":"FAILED"}} | {"status":"Bad Request"} | {"status":"too many requests"}
			| {"ack":"nack"} | {"status":{"name":"REJECTED"}} | {"data":[{"success":false}]} | {"send_result":"failed"}
		{"status":"NOK"} → NOK
		{"code":"INVALID_NUMBER"} → INVALID_NUMBER
		{"id":"m1","failed":{"reason":"0 credits left"}} → 0 credits left
		{"id":"m1","errorMessages":["It is blocked"]} | {"rejectReason":"It is blocked"} | {"results":[{"error":"It is blocked"}]} → It is blocked
		{"status":"bounced"} | {"status_message":"bounced"} → bounced
		{"status":"sendFailed"} → sendFailed
		{"status":"não enviado"} → status: não enviado
		{"status":"número não válido"} → status: número não válido
		{"status":"Nummer ungültig"} → Nummer ungültig
		{"status":"non envoyé"} → status: non envoyé
		{"status":"tidak_terkirim"} → tidak_terkirim
		{"msgStatus":"failed"} | {"statusText":"failed"} | {"enviado":false} | {"messageSent":false} | {"gesendet":"false"}
			| {"succeeded":false} | {"rejected":true} | {"sent":false,"read":false}
			| {"ack":"ACK_ERROR"} | {"success":true,"errcode":40013} → 
		{"errorMsg":"It is blocked"} | {"failureReason":"It is blocked"} | {"errorDescription":"It is blocked"} | {"failed_reason":"It is blocked"}
			→ It is blocked
		{"status":"não entregue"} → status: não entregue
		{"status":{"groupName":"UNDELIVERABLE"}}
			| {"success":"N"} | {"status":"refusé"} | {"sucesso":"não"} | {"entregue":false} | {"responseCode":500} → 
		{"errorDetails":"It is blocked"} | {"mensagemErro":"It is blocked"} | {"failure":"It is blocked"} | {"fault":"It is blocked"} → It is blocked
		{"errorMessage":"It was not successful"} → It was not successful
		{"status":"500"} | {"code":"500"} → 
		{"success":false,"message":"It is blocked"} | {"status":"fail","message":"It is blocked"}
			| {"code":400,"message":"It is blocked"} | {"errorCode":5,"errorMessage":"It is blocked"}
			| {"result":false,"msg":"It is blocked"} | {"status":false,"reason":"It is blocked"}
			| {"erro":true,"text":"It is blocked"} | {"erro":"1","msg":"It is blocked"} → It is blocked`);
	const FAILED =
		`REJECTED erro Falha fehlgeschlagen failed_to_send SEND_FAILED permanently_failed not_delivered number_does_not_exist not_on_whatsapp
		unsuccessful expired undelivered soft_bounce timeout rechazado ditolak number_not_found rate_limited err could_not_be_sent unable_to_send blacklisted limit_reached cannot_send opted_out media_upload_failed not_accepted not_a_whatsapp_user UNDELIV REJECTD expirado wrong_number rate_limit opt_out`.split(
			/\s+/,
		);
	for (const status of [...FAILED, 'Not delivered']) REPORTS.push([{ status }, status]);

	test.each(REPORTS)('is not read from a report of an error: %j: %s', (report, sentence) => {
		// Beside an ID, it may be the state of something else.
		const mayHaveId = (report as { status?: unknown }).status !== false;
		for (const body of [report, { ...(mayHaveId && { id: 'm1' }), ...(report as object) }]) {
			const error = getApiError(() => readSentMessage({ body, account }));
			const fields = Object.keys(body as object).join(', ');
			const quote = sentence ? `The service says: “${sentence}”. ` : '';
			expect(error.description).toBe(
				`Expected the id of the message, but received a report that something went wrong, an object with the fields ${fields}. ${quote}Use Get Status to see whether the account is connected.`,
			);
			const title = 'id' in (body as object) ? 'Unexpected response from the service' : NO_ID;
			const message = /[ _]|[a-z][A-Z]/.test(sentence) ? sentence : title;
			expect(error).toMatchObject({ message, delivery: 'unknown', retryable: 'never' });
		}
	});

	test('is not read from a report of an error behind hundreds of fields', () => {
		const others = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, i]));
		const body = { id: 'm1', ...others, status: 'failed' };
		expect(getApiError(() => readSentMessage({ body, account })).delivery).toBe('unknown');
	});

	test.each(
		readTable(`
		{"messageId":"m1"} | {"id":"","messageId":"m1"} | {"id":" ","messageId":"m1"} → messageId
		{"key":{"remoteJid":"1@c.us","fromMe":true,"id":"m1"}} → key.id
		{"status":"success","response":[{"id":"m1"}]} → response[0].id
		{"data":{"Info":{"ID":"m1"}}} → data.Info.ID
		{"messages":[{"id":"m1"}],"contacts":[{"wa_id":"1"}]} → messages[0].id
		{"id":{"_serialized":"m1"}} → id._serialized
		[{"id":"m1"}] → [0].id
		{"sid":"SM1","status":"queued"} → sid
		{"messageData":{"key":{"id":"m1"}}} → messageData.key.id
		{"id":true,"msgId":5} → msgId`),
	)('whose id has another name is told: %j: %s', (body, path) => {
		const { description, delivery } = getApiError(() => readSentMessage({ body, account }));
		expect(description).toContain(`${ASK_OPERATOR}; here, '${path}' looks like it.`);
		expect(delivery).toBe('unknown');
	});

	test.each(
		readTable(`
		{"success":true,"message":null,"warning":"Timed out: it may be sent"} → Timed out: it may be sent
		{"erro":false,"text":"Queued as 7","caption":"Hi you"} → Queued as 7
		{"status":"ok","info":{"hint":"x","note":"Wait for the webhook"}} → Wait for the webhook`),
	)('without an id: what the service says is told: %j', (body, sentence) => {
		const { message, description } = getApiError(() => readSentMessage({ body, account }));
		expect(message).toBe(NO_ID);
		expect(description).toContain(`. The service says: “${sentence}”. ${ASK_OPERATOR}.`);
	});
});

test('a sentence that the account is not connected counts as a report', () => {
	const body = { message: 'Sessão não conectada' };
	for (const read of [readSentMessage, readStatus, readMessages]) {
		const { message, details } = getApiError(() => read({ body, account }));
		expect(message).toBe(body.message);
		expect(details.isDisconnected).toBe(true);
	}
});

describe('the QR code', () => {
	test.each([
		['a data URI', 'data:image/png;base64,iVBORw0KGgo='],
		['one with parameters', 'data:image/png;name=qr.png;base64,iVBORw0KGgo='],
		['one with spaces around it', ' data:image/png;base64,iVBORw0KGgo=\n'],
		['Base64 alone', 'iVBORw0KGgo='],
		['Base64 in lines', 'iVBO\nRw0K\nGgo='],
	])('is a picture if it is %s', (_what, qr) => {
		const { status, qr: picture } = readStatus({ body: { qr }, account });
		expect(status).toEqual({ is_connected: false, qr });
		expect(picture?.toString('base64')).toBe('iVBORw0KGgo=');
	});

	test('that is no PNG is told', () => {
		const { message, description } = getApiError(() => readStatus({ body: { qr: 'x' }, account }));
		expect(message).toBe('The QR code from the service is not a PNG picture');
		expect(description).toContain('Scan it where the service shows it');
	});
});

describe('the list of messages', () => {
	test.each(
		readTable(`
		{"messages":[1]} | {"total":1,"items":[1]} | {"status":"ok","data":{"items":[1],"total":1}}
			| {"result":{"messages":[1]},"links":[2]} | {"messages":[1],"data":{"items":[2]}}
			| {"data":{},"result":{"items":[1]}} | {"a":[1],"b":[]} | {"messages":[1],"a":[2]}
			| {"message_texts":[2],"messages":[1]} | {"new_messages":[1],"a":[2]} | {"a":[2],"items":[1]}
			| {"messages":[1],"errors":["one was skipped"]} | {"messages":{"total":2,"records":[1]}}
			| {"data":{"messages":{"data":[1]}}} | {"response":{"result":{"messages":[1]}}}
			| {"_embedded":{"messages":[1]}} | {"d":{"results":[1]}} | {"hits":{"hits":[1]}}
			| {"data":{"chat":{"messages":[1]}}} | [1] → [1]
		[] | {"messages":[],"errors":[]} | {"data":{"items":[]}} | {"a":[],"b":[]} | {"messages":[],"a":[2]}
			| {"messages":[],"warnings":["old"]} | {"messages":[],"sent":0,"total":0,"failed":2,"lastError":"old"} | "\\n" | null
			| {"messages":null} | {"ok":true,"data":{"records":null}} | {"messages":{}} | {"messages":""}
			| {"payload":null} | {"status":"not_found","messages":[]} | {"result":"Not found","data":[]} → []`),
	)('is found in %j: %s', (body, list) => {
		expect(readMessages({ body, account })).toEqual(JSON.parse(list));
	});

	test('is empty without a body', () =>
		expect(readMessages({ body: undefined, account })).toEqual([]));

	test.each(
		readTable(`
		{"is_connected":true,"message":null} | {"a":[1],"b":[2]} | {"user":{"items":[1]}} | {"data":{}} → an object
		{"success":false,"details":[]} | {"data":{"success":false,"error":"Session closed","messages":[]}}
			| {"error":"Session closed","messages":[]}
			| {"errors":["Session closed"],"messages":[]} | {"status":"error","messages":[]}
			| {"ok":false,"messages":[]} | {"success":false,"data":null} | {"code":404,"msg":null,"data":[]}
			| {"status":false,"message":"Device disconnected","data":[]}
			| {"statusCode":401,"message":["Unauthorized"],"error":"Unauthorized"}
			| {"success":false,"messages":["Session closed"]} | {"error":true,"details":[{"code":"E1"}]}
			| {"code":500,"issues":[{"a":"b"}]}
			→ a report that something went wrong`),
	)('is neither guessed nor empty: %j: received %s', (body, received) => {
		const { description } = getApiError(() => readMessages({ body, account }));
		expect(description).toContain(`but received ${received}`);
	});

	const GONE = '{"error":"Gone","message":"x","details":{}}';
	test.each(
		readTable(`
		"hello" | null | [1] | ${GONE} → as a value
		{"id":1,"__v":2} | {"error":"","message":"x"} | {"message":"x"} | {"error":"Gone","id":1}
			| {"error":"Gone","messageId":1} | {"error":"Gone","my_details":1} → as it is`),
	)('may contain %j, which becomes an item %s', (message, how) => {
		expect(toItemJson(message)).toEqual(how === 'as it is' ? message : { value: message });
	});
});
