import type {
	IAuthenticate,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import {
	credentialHeaders,
	IGNORED_URL_SUFFIX,
	readHeaderValue,
} from '../nodes/MessagingAccount/transport/credential';

const CHECK_CLIENT_ID_AND_TOKEN =
	"The service refused these credentials. Check 'Client ID' and 'Token'.";
const CHECK_BASE_URL =
	"The service was not found at this address. Check 'Base URL': enter the part before /v1.";
const REDIRECTED =
	"This address redirects to another one. The client ID and token are not sent there. Check 'Base URL', e.g. use https instead of http.";
const UNEXPECTED_RESPONSE =
	"Unexpected response from this address, perhaps a web page. Check 'Base URL'.";
const SERVICE_UNAVAILABLE =
	'The service is there, but did not respond as expected. Try again in a moment.';

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

	// A function instead of expressions, which n8n would evaluate for every request.
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

	// An account that waits for its QR scan passes, or nobody could save the credential before scanning.
	test: ICredentialTestRequest = {
		request: {
			baseURL: `={{ $credentials.baseUrl.trim().replace(${String(IGNORED_URL_SUFFIX)}, "") }}`,
			url: '/v1/status',
			headers: { accept: 'application/json' },
			disableFollowRedirect: true,
		},
		rules: [
			...refuseStatus([301, 302, 303, 307, 308], REDIRECTED),
			...refuseStatus([400, 401, 403], CHECK_CLIENT_ID_AND_TOKEN),
			...refuseStatus([404, 405, 410], CHECK_BASE_URL),
			...refuseStatus([429, 500, 502, 503, 504], SERVICE_UNAVAILABLE),
			// A status is an object. The constructor's name reveals any other type; null has none.
			...['String', 'Number', 'Boolean', undefined].map((value) => ({
				type: 'responseSuccessBody' as const,
				properties: { key: 'constructor.name', value, message: UNEXPECTED_RESPONSE },
			})),
			// n8n accepts both kinds of rules together; only its type does not.
		] as ICredentialTestRequest['rules'],
	};
}

function refuseStatus(codes: number[], message: string) {
	return codes.map((value) => ({
		type: 'responseCode' as const,
		properties: { value, message },
	}));
}
