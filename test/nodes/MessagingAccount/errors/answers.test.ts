import type { IDataObject } from 'n8n-workflow';

import { httpError } from '../../../../nodes/MessagingAccount/errors/httpError';
import { parseBody } from '../../../../nodes/MessagingAccount/transport/responseBody';
import { ACCOUNT } from '../../../support/account';

/**
 * As gateways, frameworks and CDNs document them, or respond: who, the status, the headers in brackets, and the body → the message
 * → the description if it is not the usual one. A message in quotes is no reason: the description quotes it, and the rest is what
 * WITHOUT_REASON says.
 */
const ANSWERS = String.raw`
	NestJS 400 {"statusCode":400,"message":["number must be a string","url must be a URL address"],
		"error":"Bad Request"} → number must be a string; url must be a URL address
	A gateway of messengers 400 {"status":400,"error":"Bad Request","response":{"message":[{
		"jid":"12025550143@s.whatsapp.net","exists":false,"number":"12025550143"}]}} → exists: false
	ASP.NET 400 {"type":"https://tools.ietf.org/html/rfc9110#section-15.5.1",
		"title":"One or more validation errors occurred.","status":400,"errors":{"Number":[
		"The Number field is required."]},"traceId":"00-84c1fd4063c38d9f3900d06e56542d48-85d1d4-00"}
		→ The Number field is required
	Laravel 422 {"message":"The given data was invalid.","errors":{"number":[
		"The number must be at least 10 characters."],"url":["The url format is invalid."]}}
		→ The number must be at least 10 characters. The url format is invalid
	Google 400 {"error":{"code":400,"message":"Invalid value at 'number' (TYPE_STRING)",
		"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest",
		"fieldViolations":[{"field":"number","description":
		"Digits are expected, but there is a letter"}]}]}} → number: Digits are expected, but there is a letter
	Google, with help 403 {"error":{"code":403,"message":"The API has not been used in this project.",
		"status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.Help","links":[
		{"description":"Google developers console API activation",
		"url":"https://console.example.com"}]}]}} → The API has not been used in this project
	A session 404 {"success":false,"error":"session_not_connected"} → session_not_connected
		→ The service refused the request and gave this reason. The account is not connected: scan
		the QR code that Get Status or the service shows. If the address is wrong, enter the part
		before /v1 in 'Base URL' in the credential.
	Spring 404 {"timestamp":"2026-11-20T10:00:00.000+00:00","status":404,"error":"Not Found",
		"path":"/v1/sendImage"} → “Not Found”
	FastAPI 422 {"detail":[{"type":"missing","loc":["body","number"],"msg":"Field required","input":{
		"caption":"Hello there, world"},"url":"https://errors.example.dev/2.6/v/missing"}]}
		→ number: Field required
	FastAPI, with the name 422 {"detail":[{"type":"value_error","loc":["body","number"],"msg":"Number is too short"}]}
		→ Number is too short
	Django 400 {"number":["This field is required."]} → number: This field is required
	Express-validator 400 {"errors":[{"msg":"Invalid value","path":"number"}]} → number: Invalid value
	Rails 422 {"errors":{"number":["can't be blank"]}} → number: can't be blank
	A problem document 403 {"type":"https://example.com/probs/out-of-credit",
		"title":"You do not have enough credit.",
		"detail":"Your current balance is 30, but that costs 50.","instance":"/account/12345/msgs/abc"}
		→ Your current balance is 30, but that costs 50
	Express 404 (x-powered-by: Express) <!DOCTYPE html>\n<html
		lang="en"><head><title>Error</title></head><body><pre>Cannot POST /v1/sendImage</pre></body></html>
		→ The service found nothing at this address
		→ The response was a web page, from something in front of the service: “Error”. If the address is
		wrong, enter the part before /v1 in 'Base URL' in the credential.
	Apigee 401 {"fault":{"faultstring":"Invalid ApiKey","detail":{
		"errorcode":"oauth.v2.InvalidApiKey"}}} → Invalid ApiKey
	AWS API Gateway 403 {"message":"Forbidden"} → “Forbidden”
	A gateway that wraps JSON in a text 502 {"message":"Upstream request failed",
		"body":"{\"error\":{\"reason\":\"The number is blocked\"}}"} → The number is blocked
		→ A gateway in front of the service got no valid response from it and gave this reason.
	A service that writes XML 422 <error><title>Number not registered</title></error>
		→ Number not registered
	A list of objects by field 400 {"error":[{"to":"is not valid"},{"image":"is required"}]}
		→ to: is not valid; image: is required
	Cloudflare 403 (server: cloudflare, cf-ray: 8e1) <!DOCTYPE html><html
		lang="en-US"><head><title>Just a moment...</title></head><body></body></html>
		→ A web server or proxy in front of the service refused the request
		→ The response was a web page, from something in front of the service: “Just a moment...”, cloudflare.
		Ask the service's operator to let n8n through. If the page asks for a login, 'Base URL' must be an
		address without one. If n8n uses a proxy, it may be the proxy that refuses this address.
	nginx with a login 401 (server: nginx, www-authenticate: Basic realm="Restricted")
		<html>\r\n<head><title>401 Authorization Required</title></head>\r\n<body></body></html>
		→ A web server or proxy in front of the service refused the request
		→ The response was a web page, from something in front of the service: “401 Authorization Required”,
		nginx. Ask the service's operator to let n8n through. If the page asks for a login, 'Base URL'
		must be an address without one. If n8n uses a proxy, it may be the proxy that refuses this address.
	nginx, too large 413 (server: nginx/1.24.0) <html>\r\n<head><title>413 Request
		Entity Too Large</title></head></html> → The image is too large for the service
		→ The response was a web page, from something in front of the service: “413 Request Entity Too Large”,
		nginx/1.24.0. Make the image smaller. If it is a file, choose Link in 'Send File As'.
	With an echo 500 {"statusCode":500,"exception":{"name":"Error",
		"message":"Evaluation failed: t is undefined","stack":"Error: Evaluation failed\n at x"},
		"request":{"path":"/api/sendImage","body":{"caption":"Hello there, world",
		"message":"Hi you there"}}} → Evaluation failed: t is undefined
		→ The service reported a fault of its own and gave this reason.
	A conflict 409 {"error":{"message":"The image cannot be read."}} → The image cannot be read
		→ The service did not complete the request and gave this reason.
	A limit 429 {"error":"Too Many Requests","message":"Slow down, please"} → Slow down, please
		→ The service refused the request and gave this reason. Wait before the next request. To send to a list,
		set a longer 'Delay Between Sends (Milliseconds)'.
	Three full stops 422 {"reason":"Not now..."} → Not now...
	The token 422 {"reason":"Blocked token-91c2-5d."} → Blocked ***
	Beside the request 400 {"errors":[{"type":"field","value":"Hi Ann, how are you?",
		"msg":"caption is too long","path":"caption"}]} → caption is too long
	Beside the request 400 {"errors":[{"field":"number","value":"Hi Ann, bye",
		"message":"is not a number"}]} → number: is not a number
	Beside the request 400 {"status":"error","message":"Number is not on the messenger","data":{
		"number":"12025550143","message":"Hi Ann, your order"}} → Number is not on the messenger
	Zod 400 {"success":false,"error":{"issues":[{"code":"invalid_type","expected":"string",
		"received":"undefined","path":["number"],"message":"Required"}],"name":"ZodError"}}
		→ number: Required
	Reasons 400 {"reasons":[{"field":"number","text":"is blocked"}]} → number: is blocked
	What helps 404 {"message":"Not Found","documentation":"See our docs here"} → “Not Found”
	What helps 400 {"error":"Bad Request","hint":"Use the international format"} → “Bad Request”
	A problem document 404 {"type":"about:blank","title":"Not Found","status":404,
		"detail":"No static resource v1/sendImage."} → “No static resource v1/sendImage.”
	A problem document 401 {"type":"https://httpstatuses.example/401","title":"Unauthorized"}
		→ The service refused the credentials → Check 'Client ID' and 'Token' in the credential.
	No reason that matters 307 {"message":"It has moved"} → “It has moved”
	No reason that matters 407 {"message":"No user was given"} → “No user was given”
	Another address 404 {"message":"Route /v1/status doesn't exist."} → Route /v1/status doesn't exist
	Another address 404 {"status":"error","code":404,"message":"Application not found"}
		→ Application not found
	Another address 404 Ruta no encontrada → Ruta no encontrada
	Another token 401 {"error":"No autorizado"} → No autorizado
	Another token 401 {"message":"Unknown client or token-91c2-5d"} → Unknown client or ***
	Another token 403 {"detail":"Accès refusé"} → Accès refusé
	A session, or another token 401 {"error":"The session is not authenticated"}
		→ The session is not authenticated
		→ The service refused the request and gave this reason. The account is not connected: scan
		the QR code that Get Status or the service shows. Check 'Client ID' and 'Token' in the credential.
	Cloudflare, in text 524 error code: 524 → “error code: 524”
	Cloudflare, in text 403 error code: 1020
		→ A web server or proxy in front of the service refused the request
		→ The service says: “error code: 1020”. Ask the service's operator to let n8n through. If the page
		asks for a login, 'Base URL' must be an address without one. If n8n uses a proxy, it may be the
		proxy that refuses this address.
	AWS API Gateway, of a path 403 {"message":"Missing Authentication Token"}
		→ Missing Authentication Token
		→ The service refused the request and gave this reason. Check 'Client ID' and 'Token' in the
		credential. If the address is wrong, enter the part before /v1 in 'Base URL' in the credential.
	Validators with their sentence in another field 400 {"status":400,"response":{"message":[[{
		"stack":"instance requires property \"number\""}]]}} → instance requires property "number"
	Validators with their sentence in another field 400 [[{"property":"instance",
		"stack":"instance requires property \"number\"","name":"required"}]]
		→ instance requires property "number"
	Validators with both 400 {"errors":[{"message":"must be text","path":["number"],
		"stack":"instance.number must be text"}]} → number: must be text
	With lines of code 400 {"error":"Bad Request","stack":["Error: So what","at x (a.js:1)"]}
		→ “Bad Request”
	XML, which is no page 400 <response><status>error</status><message>The number is
		blocked</message></response> → The number is blocked
	XML, which is no page 403 <?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Request
		has expired</Message></Error> → Request has expired
	XML with attributes 400 <error code="5">Number is blocked</error> → Number is blocked
	XML with CDATA 400 <error><text><![CDATA[Number is blocked]]></text></error> → Number is blocked
	PHP 400 <br />\n<b>Fatal error</b>:  Uncaught Exception: boom in /www/send.php:3\nStack trace:\n#0 {main}
		→ Fatal error:  Uncaught Exception: boom in /www/send.php:3
	Mongoose 400 {"errors":{"url":{"message":"invalid"}}} → url: invalid
	A code that is the status 404 {"error":{"code":"404","message":"Resource not found"}}
		→ “Resource not found”
	A method 405 {"message":"Only GET is possible here"} → Only GET is possible here
`;

/** Statuses, whose texts are the same without a body → what happened → what to do. */
const WITHOUT_REASON = `
	300 302 303 307 399 → The service redirects to an address it does not name, and the redirect was not followed → The
		client ID and token are only sent to the address in the credential. If the service has moved,
		change 'Base URL'.
	199 304 → The service did not respond as expected → If this goes on, ask the service's operator.
	400 412 422 498 → The service refused the request → Check the parameters, and use Get Status to see
		whether the account is connected.
	408 409 499 → The service did not complete the request → If this goes on, ask the service's operator.
	401 → The service refused the credentials → Check 'Client ID' and 'Token' in the credential.
	403 → The service refused the credentials → Check 'Client ID' and 'Token' in the credential. If n8n
		uses a proxy, it may be the proxy that refuses this address.
	405 → The service refused the request → If the address is wrong, enter the part before /v1 in
		'Base URL' in the credential.
	404 → The service found nothing at this address → If the address is wrong, enter the part before
		/v1 in 'Base URL' in the credential.
	407 → n8n's proxy requires a login → Ask your n8n administrator to add a user name and a password to the
		address in HTTP_PROXY or HTTPS_PROXY.
	413 → The image is too large for the service → Make the image smaller. If it is a file, choose
		Link in 'Send File As'.
	429 → Too many requests → Wait before the next request. To send to a list, set a longer
		'Delay Between Sends (Milliseconds)'.
	500 501 503 599 → The service reported a fault of its own → If this goes on, ask the service's operator.
	502 504 520 524 530 → A gateway in front of the service got no valid response from it → If this
		goes on, ask the service's operator.
`;

/** Whatever reason the service gives, these may be a matter of the credential. */
const ADVICE_STAYS = ['401', '403', '404', '405'];

const readTable = (table: string) => {
	const rows = table.trim().split(/\n\t(?!\t)/);
	return rows.map((row) => row.replaceAll('\n\t\t', ' ').split(' → '));
};

test.each(readTable(ANSWERS))('%s: %s', async (answer, shown, ...more) => {
	const [, status, header = '', body] = /(\d{3}) (?:\((.*?)\) )?(.*)$/.exec(answer)!;
	const text = /^[{[]/.test(body) ? body : body.replaceAll('\\r', '\r').replaceAll('\\n', '\n');
	const headers: IDataObject = Object.fromEntries(header.split(', ').map((one) => one.split(': ')));
	const response = { status: Number(status), headers, body: await parseBody(text) };
	const { message, description } = httpError(response, ACCOUNT);
	const [, happened, advice] = readTable(WITHOUT_REASON).find(([of]) => of.includes(status)) ?? [];
	if (shown.startsWith('“')) {
		expect(message).toBe(`${happened} (HTTP ${status})`);
		expect(description).toBe(`The service says: ${shown}. ${advice}`);
	} else {
		expect(message).toBe(`${shown} (HTTP ${status})`);
		const remedy = ADVICE_STAYS.includes(status) ? ` ${advice}` : '';
		const [described = `The service refused the request and gave this reason.${remedy}`] = more;
		expect(description).toBe(described);
	}
});

test.each(readTable(WITHOUT_REASON))('%s, without a body: %s', (statuses, happened, advice) => {
	for (const status of statuses.split(' ')) {
		const error = httpError({ status: Number(status), headers: {}, body: '' }, ACCOUNT);
		const { message, description, httpCode } = error;
		expect([message, description]).toEqual([`${happened} (HTTP ${status})`, advice]);
		expect(httpCode).toBe(status);
	}
});

test.each([
	'<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>',
	"Reason: You're speaking plain HTTP to an SSL-enabled server port.",
	'Client sent an HTTP request to an HTTPS server.\n',
	'Bad Request\nThis combination of host and port requires TLS.\n',
])('an http:// address of a port for HTTPS: %s', (body) => {
	const answer = (baseUrl: string) =>
		httpError({ status: 400, headers: {}, body }, { ...ACCOUNT, baseUrl });
	const advice = "It accepts only HTTPS. Check whether 'Base URL' in the credential should start";
	const { message, description } = answer('http://messaging.example.com:443');
	expect(message).toMatch(/^A web server or proxy in front of the service refused the request/);
	expect(description).toContain(advice);
	expect(answer('https://messaging.example.com').description).not.toContain(advice);
});

test.each([
	[{ message: 'The image url requires TLS' }, 'The image url requires TLS (HTTP 400)'],
	[{ toString: 'x', message: { toString: 1 } }, 'The service refused the request (HTTP 400)'],
])('an http:// address, and HTTP 400 with %j', (body, message) => {
	const account = { ...ACCOUNT, baseUrl: 'http://messaging.example.com' };
	expect(httpError({ status: 400, headers: {}, body }, account).message).toBe(message);
});
