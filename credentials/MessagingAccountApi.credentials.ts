import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { credentialHeaders } from '../nodes/MessagingAccount/transport/credential';

/** Both nodes test it: transport/credentialTest.ts. */
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
		headers: { ...requestOptions.headers, ...credentialHeaders(credential) },
	});
}
