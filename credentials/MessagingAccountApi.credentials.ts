import type {
	IAuthenticate,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import {
	credentialHeaders,
	FORGIVEN_URL_ENDING,
	readHeaderValue,
} from '../nodes/MessagingAccount/service/account';

const CHECK_CLIENT_ID_AND_TOKEN =
	"The service refused these credentials. Check 'Client ID' and 'Token'.";
const CHECK_BASE_URL =
	"The service is not at this address. Check 'Base URL': it is what comes before /v1.";
const REDIRECTED =
	"This address redirects to another one, and the client ID and token are not handed on. Check 'Base URL', e.g. https instead of http.";
const NO_SERVICE_ANSWER =
	"What answers at this address is not the messaging service, perhaps a web page. Check 'Base URL'.";
const SERVICE_DOWN = 'The service is there, but could not answer. Try again in a moment.';

export class MessagingAccountApi implements ICredentialType {
	name = 'messagingAccountApi';

	displayName = 'Messaging Account API';

	documentationUrl = 'https://example.com/n8n-nodes-messaging-account#credentials';

	icon: Icon = {
		light: 'file:../nodes/MessagingAccount/messagingAccount.svg',
		dark: 'file:../nodes/MessagingAccount/messagingAccount.dark.svg',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://messaging.example.com',
			description: 'The address of the service, without /v1',
		},
		{
			displayName: 'Client ID',
			name: 'clientId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 1234567890',
			description: 'Identifies your account to the service, sent as the header client-id',
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Proves that the account is yours, sent as the header token',
		},
	];

	// A function, not expressions: n8n would evaluate those anew for every request.
	authenticate: IAuthenticate = async (credential, requestOptions) => ({
		...requestOptions,
		headers: {
			...requestOptions.headers,
			...credentialHeaders({
				clientId: readHeaderValue(credential.clientId, 'Client ID'),
				token: readHeaderValue(credential.token, 'Token'),
			}),
		},
	});

	// An account that waits for its QR scan passes: else nobody could save the credential before scanning.
	test: ICredentialTestRequest = {
		request: {
			baseURL: `={{ $credentials.baseUrl.trim().replace(${String(FORGIVEN_URL_ENDING)}, "") }}`,
			url: '/v1/status',
			headers: { accept: 'application/json' },
			disableFollowRedirect: true,
		},
		rules: [
			...refuseStatus([301, 302, 303, 307, 308], REDIRECTED),
			...refuseStatus([400, 401, 403], CHECK_CLIENT_ID_AND_TOKEN),
			...refuseStatus([404, 405, 410], CHECK_BASE_URL),
			...refuseStatus([429, 500, 502, 503, 504], SERVICE_DOWN),
			// A status is an object. What else an answer was read as is told by the name of its constructor; null has none.
			...['String', 'Number', 'Boolean', undefined].map((value) => ({
				type: 'responseSuccessBody' as const,
				properties: { key: 'constructor.name', value, message: NO_SERVICE_ANSWER },
			})),
			// n8n takes both kinds of rules together; only its type says that all are of one kind.
		] as ICredentialTestRequest['rules'],
	};
}

function refuseStatus(codes: number[], message: string) {
	return codes.map((value) => ({
		type: 'responseCode' as const,
		properties: { value, message },
	}));
}
