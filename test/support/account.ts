import { readAccount } from '../../nodes/MessagingAccount/transport/credential';

/** Decrypted fields of the credential, for tests of pure functions. */
export const CREDENTIAL_FIELDS = {
	baseUrl: 'https://messaging.example.com/api',
	clientId: 'client-7f3a',
	token: 'token-91c2-5d',
};
export const ACCOUNT = readAccount(CREDENTIAL_FIELDS);
