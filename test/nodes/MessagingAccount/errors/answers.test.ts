import { httpError } from '../../../../nodes/MessagingAccount/errors/httpError';
import { parseBody } from '../../../../nodes/MessagingAccount/transport/responseBody';
import { ACCOUNT } from '../../../support/account';

interface Answer {
	/** What responds like this. */
	from: string;
	status: number;
	headers?: Record<string, string>;
	body: unknown;
	/** Without the status. */
	message: string;
	description?: string;
}

/** As gateways, frameworks and CDNs document them, or respond. */
const ANSWERS: Answer[] = [
	{
		from: 'NestJS',
		status: 400,
		body: {
			statusCode: 400,
			message: ['number must be a string', 'url must be a URL address'],
			error: 'Bad Request',
		},
		message: 'number must be a string; url must be a URL address',
	},
	{
		from: 'a gateway of messengers',
		status: 400,
		body: {
			status: 400,
			error: 'Bad Request',
			response: { message: ['Owned media must be a url or base64'] },
		},
		message: 'Owned media must be a url or base64',
	},
	{
		from: 'the same, of a number',
		status: 400,
		body: {
			status: 400,
			error: 'Bad Request',
			response: {
				message: [{ jid: '12025550143@s.whatsapp.net', exists: false, number: '12025550143' }],
			},
		},
		message: 'exists: false',
	},
	{
		from: 'a bare list',
		status: 400,
		body: [{ exists: false, number: '12025550143' }],
		message: 'exists: false',
	},
	{
		from: 'ASP.NET',
		status: 400,
		body: {
			type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
			title: 'One or more validation errors occurred.',
			status: 400,
			errors: { Number: ['The Number field is required.'] },
			traceId: '00-84c1fd4063c38d9f3900d06e56542d48-85d1d4-00',
		},
		message: 'The Number field is required',
	},
	{
		from: 'Laravel',
		status: 422,
		body: {
			message: 'The given data was invalid.',
			errors: {
				number: ['The number must be at least 10 characters.'],
				url: ['The url format is invalid.'],
			},
		},
		message: 'The number must be at least 10 characters. The url format is invalid',
	},
	{
		from: 'Google',
		status: 400,
		body: {
			error: {
				code: 400,
				message: "Invalid value at 'number' (TYPE_STRING)",
				status: 'INVALID_ARGUMENT',
				details: [
					{
						'@type': 'type.googleapis.com/google.rpc.BadRequest',
						fieldViolations: [
							{ field: 'number', description: 'Digits are expected, but there is a letter' },
						],
					},
				],
			},
		},
		message: 'Digits are expected, but there is a letter',
	},
	{
		from: 'Google, with help',
		status: 403,
		body: {
			error: {
				code: 403,
				message: 'The API has not been used in this project.',
				status: 'PERMISSION_DENIED',
				details: [
					{
						'@type': 'type.googleapis.com/google.rpc.Help',
						links: [
							{
								description: 'Google developers console API activation',
								url: 'https://console.example.com',
							},
						],
					},
				],
			},
		},
		message: 'The API has not been used in this project',
	},
	{
		from: 'a business API',
		status: 400,
		body: {
			error: {
				message: '(#131030) Recipient phone number not in allowed list',
				type: 'OAuthException',
				code: 131030,
				error_data: {
					messaging_product: 'chat',
					details:
						'Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again.',
				},
				fbtrace_id: 'AI5OB7',
			},
		},
		message:
			'Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again',
	},
	{
		from: 'a session',
		status: 404,
		body: { success: false, error: 'session_not_connected' },
		message: 'session_not_connected',
		description:
			'The service refused the request and gave this reason. The account is not connected: log in with the QR code that Get Status or the service shows.',
	},
	{
		from: 'a recipient',
		status: 404,
		body: { error: 'specified recipient is not found' },
		message: 'specified recipient is not found',
	},
	{
		from: 'a plan',
		status: 403,
		body: { message: 'Your plan has expired. Renew it in the dashboard.' },
		message: 'Your plan has expired. Renew it in the dashboard',
	},
	{
		from: 'Spring',
		status: 404,
		body: {
			timestamp: '2026-11-20T10:00:00.000+00:00',
			status: 404,
			error: 'Not Found',
			path: '/v1/sendImage',
		},
		message: 'The service found nothing at this address',
		description:
			"The service says: “Not Found”. Check 'Base URL' in the credential: enter the part before /v1.",
	},
	{
		from: 'Spring, older',
		status: 404,
		body: {
			timestamp: 1763632800000,
			status: 404,
			error: 'Not Found',
			message: 'No message available',
			path: '/v1/sendImage',
		},
		message: 'The service found nothing at this address',
		description:
			"The service says: “No message available”. Check 'Base URL' in the credential: enter the part before /v1.",
	},
	{
		from: 'FastAPI',
		status: 422,
		body: {
			detail: [
				{
					type: 'missing',
					loc: ['body', 'number'],
					msg: 'Field required',
					input: { caption: 'Hello there, world' },
					url: 'https://errors.example.dev/2.6/v/missing',
				},
			],
		},
		message: 'Field required',
	},
	{
		from: 'FastAPI, a text',
		status: 404,
		body: { detail: 'Not Found' },
		message: 'The service found nothing at this address',
		description:
			"The service says: “Not Found”. Check 'Base URL' in the credential: enter the part before /v1.",
	},
	{
		from: 'Django',
		status: 400,
		body: { number: ['This field is required.'] },
		message: 'number: This field is required',
	},
	{
		from: 'Django, a token',
		status: 401,
		body: { detail: 'Authentication credentials were not provided.' },
		message: 'Authentication credentials were not provided',
	},
	{
		from: 'Rails',
		status: 422,
		body: { errors: { number: ["can't be blank"] } },
		message: "number: can't be blank",
	},
	{
		from: 'JSON:API',
		status: 422,
		body: {
			errors: [
				{
					status: '422',
					source: { pointer: '/data/attributes/number' },
					title: 'Invalid Attribute',
					detail: 'The number must have a country code.',
				},
			],
		},
		message: 'The number must have a country code',
	},
	{
		from: 'a problem document',
		status: 403,
		body: {
			type: 'https://example.com/probs/out-of-credit',
			title: 'You do not have enough credit.',
			detail: 'Your current balance is 30, but that costs 50.',
			instance: '/account/12345/msgs/abc',
		},
		message: 'Your current balance is 30, but that costs 50',
	},
	{
		from: 'Express',
		status: 404,
		headers: { 'x-powered-by': 'Express' },
		body: '<!DOCTYPE html>\n<html lang="en"><head><title>Error</title></head><body><pre>Cannot POST /v1/sendImage</pre></body></html>',
		message: 'The service found nothing at this address',
		description:
			"A web page came: something in front of the service answered: “Error”. Check 'Base URL' in the credential: enter the part before /v1.",
	},
	{
		from: 'Fastify',
		status: 404,
		body: { message: 'Route POST:/v1/sendImage not found', error: 'Not Found', statusCode: 404 },
		message: 'The service found nothing at this address',
		description:
			"The service says: “Route POST:/v1/sendImage not found”. Check 'Base URL' in the credential: enter the part before /v1.",
	},
	{
		from: 'hapi',
		status: 400,
		body: {
			statusCode: 400,
			error: 'Bad Request',
			message: 'Invalid request payload input',
			validation: { source: 'payload', keys: ['number'] },
		},
		message: 'Invalid request payload input',
	},
	{
		from: 'Go',
		status: 404,
		body: '404 page not found\n',
		message: 'The service found nothing at this address',
		description:
			"The service says: “404 page not found”. Check 'Base URL' in the credential: enter the part before /v1.",
	},
	{
		from: 'Flask',
		status: 404,
		body: {
			code: 404,
			name: 'Not Found',
			description:
				'The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.',
		},
		message: 'The service found nothing at this address',
		description:
			"The service says: “The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.”. Check 'Base URL' in the credential: enter the part before /v1.",
	},
	{
		from: 'Kong, a key',
		status: 401,
		body: { message: 'No API key found in request' },
		message: 'No API key found in request',
	},
	{
		from: 'Kong, a route',
		status: 404,
		body: { message: 'no Route matched with those values', request_id: '8d1b' },
		message: 'The service found nothing at this address',
		description:
			"The service says: “no Route matched with those values”. Check 'Base URL' in the credential: enter the part before /v1.",
	},
	{
		from: 'Apigee',
		status: 401,
		body: {
			fault: { faultstring: 'Invalid ApiKey', detail: { errorcode: 'oauth.v2.InvalidApiKey' } },
		},
		message: 'Invalid ApiKey',
	},
	{
		from: 'AWS API Gateway',
		status: 403,
		body: { message: 'Forbidden' },
		message: 'The service refused the credentials',
		description:
			"The service says: “Forbidden”. Check 'Client ID' and 'Token' in the credential. If n8n uses a proxy, it may be the proxy that refuses this address.",
	},
	{
		from: 'AWS API Gateway, explicit',
		status: 403,
		body: { Message: 'User is not authorized to access this resource with an explicit deny' },
		message: 'User is not authorized to access this resource with an explicit deny',
	},
	{
		from: 'Azure',
		status: 400,
		body: {
			error: {
				code: 'BadArgument',
				message: 'Multiple errors in ContactInfo data',
				innererror: { code: 'PasswordError', message: 'The password does not meet policy' },
			},
		},
		message: 'The password does not meet policy',
	},
	{
		from: 'Twilio',
		status: 400,
		body: {
			code: 21211,
			message: "The 'To' number is not a valid phone number.",
			more_info: 'https://www.example.com/docs/errors/21211',
			status: 400,
		},
		message: "The 'To' number is not a valid phone number",
	},
	{
		from: 'GraphQL',
		status: 400,
		body: {
			errors: [
				{
					message: 'Variable "$number" got invalid value',
					locations: [{ line: 1, column: 2 }],
					extensions: { code: 'BAD_USER_INPUT' },
				},
			],
		},
		message: 'Variable "$number" got invalid value',
	},
	{
		from: 'a gateway that wraps JSON in a text',
		status: 502,
		body: {
			message: 'Upstream request failed',
			body: '{"error":{"reason":"The number is blocked"}}',
		},
		message: 'The number is blocked',
		description: 'The service did not respond as expected and gave this reason.',
	},
	{
		from: 'a list of objects by field',
		status: 400,
		body: { error: [{ to: 'is not valid' }, { image: 'is required' }] },
		message: 'to: is not valid; image: is required',
	},
	{
		from: 'Cloudflare',
		status: 403,
		headers: { server: 'cloudflare', 'cf-ray': '8e1' },
		body: '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body></body></html>',
		message: 'Something in front of the service refused the request',
		description:
			"A web page came: something in front of the service answered: “Just a moment...”, cloudflare. If it wants a login, enter an address in 'Base URL' that needs no other one than Client ID and Token. Otherwise, ask whoever runs the service to let n8n through. If n8n uses a proxy, it may be the proxy that refuses this address.",
	},
	{
		from: 'nginx with a login',
		status: 401,
		headers: { server: 'nginx', 'www-authenticate': 'Basic realm="Restricted"' },
		body: '<html>\r\n<head><title>401 Authorization Required</title></head>\r\n<body></body></html>',
		message: 'Something in front of the service refused the request',
		description:
			"A web page came: something in front of the service answered: “401 Authorization Required”, nginx. If it wants a login, enter an address in 'Base URL' that needs no other one than Client ID and Token. Otherwise, ask whoever runs the service to let n8n through. If n8n uses a proxy, it may be the proxy that refuses this address.",
	},
	{
		from: 'nginx, too large',
		status: 413,
		headers: { server: 'nginx/1.24.0' },
		body: '<html>\r\n<head><title>413 Request Entity Too Large</title></head></html>',
		message: 'The image is too large for the service',
		description:
			"A web page came: something in front of the service answered: “413 Request Entity Too Large”, nginx/1.24.0. Make the image smaller. A file needs less room with Link in 'Hand Over As'.",
	},
	{
		from: 'Express, too large',
		status: 413,
		body: { message: 'request entity too large' },
		message: 'The image is too large for the service',
		description:
			"The service says: “request entity too large”. Make the image smaller. A file needs less room with Link in 'Hand Over As'.",
	},
	{
		from: 'a load balancer',
		status: 502,
		headers: { server: 'awselb/2.0' },
		body: '<html><head><title>502 Bad Gateway</title></head></html>',
		message: 'The service did not respond as expected',
		description:
			'A web page came: something in front of the service answered: “502 Bad Gateway”, awselb/2.0. Check that the service is working.',
	},
	{
		from: 'WAHA',
		status: 422,
		body: {
			statusCode: 422,
			error: 'Unprocessable Entity',
			message: 'Session status is not as expected. Try again later or restart the session',
			session: 'default',
			status: 'SCAN_QR_CODE',
			expected: 'WORKING',
		},
		message: 'Session status is not as expected. Try again later or restart the session',
		description:
			'The service refused the request and gave this reason. The account is not connected: log in with the QR code that Get Status or the service shows.',
	},
	{
		from: 'with an echo',
		status: 500,
		body: {
			statusCode: 500,
			exception: {
				name: 'Error',
				message: 'Evaluation failed: t is undefined',
				stack: 'Error: Evaluation failed\n at x',
			},
			request: {
				path: '/api/sendImage',
				body: { caption: 'Hello there, world', message: 'Hi you there' },
			},
		},
		message: 'Evaluation failed: t is undefined',
		description: 'The service did not respond as expected and gave this reason.',
	},
	{
		from: 'a limit',
		status: 429,
		body: { error: 'Too Many Requests', message: 'Slow down, please' },
		message: 'Slow down, please',
		description:
			'The service refused the request and gave this reason. Wait before the next request.',
	},
];

test.each(ANSWERS)(
	'$from, $status: $message',
	async ({ status, headers = {}, body, ...expected }) => {
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		const response = { status, headers, body: await parseBody(text) };
		const { message, description } = httpError(response, ACCOUNT);
		expect(message).toBe(`${expected.message} (HTTP ${status})`);
		expect(description).toBe(
			expected.description ?? 'The service refused the request and gave this reason.',
		);
	},
);

const NO_REASON: Record<number, string> = {
	400: 'The service refused the request',
	401: 'The service refused the credentials',
	403: 'The service refused the credentials',
	404: 'The service found nothing at this address',
	405: 'The service refused the request',
	412: 'The service refused the request',
	500: 'The service did not respond as expected',
};

/** Without a message, the answer gives no reason. */
const SHORT_ANSWERS: Array<[status: number, body: unknown, message?: string]> = [
	// The image is not found, not the address of the request.
	[400, { message: 'Image url not found' }, 'Image url not found'],
	[400, { message: 'Path to file does not exist' }, 'Path to file does not exist'],
	[400, { message: 'Cannot get image from url' }, 'Cannot get image from url'],
	[
		400,
		{ error: 'The url you sent does not exist or cannot be reached' },
		'The url you sent does not exist or cannot be reached',
	],
	[400, 'Cannot post to this group: only admins may', 'Cannot post to this group: only admins may'],
	// Beside the reason, the request is repeated.
	[
		400,
		{
			errors: [
				{
					type: 'field',
					value: 'Hi Ann, how are you?',
					msg: 'caption is too long',
					path: 'caption',
				},
			],
		},
		'caption is too long',
	],
	[
		400,
		{ errors: [{ field: 'number', value: 'Hi Ann, bye', message: 'is not a number' }] },
		'number: is not a number',
	],
	[
		400,
		{
			status: 'error',
			message: 'Number is not on the messenger',
			data: { number: '12025550143', message: 'Hi Ann, your order' },
		},
		'Number is not on the messenger',
	],
	[
		400,
		{
			success: false,
			error: {
				issues: [
					{
						code: 'invalid_type',
						expected: 'string',
						received: 'undefined',
						path: ['number'],
						message: 'Required',
					},
				],
				name: 'ZodError',
			},
		},
		'number: Required',
	],
	[
		400,
		{ errors: [{ path: ['number'], code: 'custom', message: 'Required' }] },
		'number: Required',
	],
	[
		400,
		{
			errors: [
				{
					codes: ['NotBlank.number'],
					defaultMessage: 'must not be blank',
					field: 'number',
					code: 'NotBlank',
				},
			],
		},
		'number: must not be blank',
	],
	[400, { reasons: [{ field: 'number', text: 'is blocked' }] }, 'number: is blocked'],
	// What helps is no reason.
	[404, { message: 'Not Found', documentation: 'See our docs here' }],
	[400, { error: 'Bad Request', hint: 'Use the international format' }],
	[
		404,
		{
			type: 'about:blank',
			title: 'Not Found',
			status: 404,
			detail: 'No static resource v1/sendImage.',
		},
	],
	[401, { type: 'https://httpstatuses.example/401', title: 'Unauthorized' }],
	// What frameworks say without a reason.
	[403, { message: 'Forbidden resource', error: 'Forbidden', statusCode: 403 }],
	[500, { message: 'Server Error' }],
	[500, { error: 'An unexpected error occurred' }],
	[500, { message: 'AxiosError: Request failed with status code 400' }],
	[404, { message: 'The route v1/sendImage could not be found.' }],
	[404, { message: 'The requested resource was not found' }],
	[404, { error: 'Invalid endpoint' }],
	[404, { error: { message: 'Unrecognized request URL (POST: /v1/sendImage).' } }],
	[405, { detail: 'Method "POST" not allowed.' }],
	[412, { error: 'Precondition Failed' }],
	// XML is no page.
	[
		400,
		'<response><status>error</status><message>The number is blocked</message></response>',
		'The number is blocked',
	],
	[
		403,
		'<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
		'Request has expired',
	],
];

test.each(
	SHORT_ANSWERS.map(([status, body, reason = NO_REASON[status]]) => ({ status, body, reason })),
)('$status $body: $reason', async ({ status, body, reason }) => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const response = { status, headers: {}, body: await parseBody(text) };
	const { message } = httpError(response, ACCOUNT);
	expect(message).toBe(`${reason} (HTTP ${status})`);
});

test.each([
	['You are not connected.', true],
	['Connection Closed', true],
	['Waiting for QR code scan', true],
	['The session is not authenticated', true],
	['Instance is closed', true],
	['device disconnected', true],
	['The phone number is not linked to an account', false],
	['The recipient is disconnected', false],
	['Database disconnected', false],
	['client disconnected before the response', false],
	['Your account is not ready to send to this number', false],
	['The "sales" instance does not exist', false],
])('“%s” says that the account is not connected: %s', (message, expected) => {
	const response = { status: 400, headers: {}, body: { message } };
	expect(httpError(response, ACCOUNT).isDisconnected).toBe(expected);
});
