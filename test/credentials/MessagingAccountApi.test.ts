import { MessagingAccountApi } from '../../credentials/MessagingAccountApi.credentials';

const credential = new MessagingAccountApi();

test('has the names that saved workflows use', () => {
	expect(credential.name).toBe('messagingAccountApi');
	expect(credential.displayName).toBe('Messaging Account API');
});

test('asks for three fields, all of them needed; the service has no address of its own', () => {
	expect(
		credential.properties.map(({ displayName, name, required, default: value }) => [
			displayName,
			name,
			required,
			value,
		]),
	).toEqual([
		['Base URL', 'baseUrl', true, ''],
		['Client ID', 'clientId', true, ''],
		['Token', 'token', true, ''],
	]);
});

test('hides the token and shows the client id', () => {
	const isHidden = credential.properties.map(({ typeOptions }) => typeOptions?.password ?? false);
	expect(isHidden).toEqual([false, false, true]);
});
