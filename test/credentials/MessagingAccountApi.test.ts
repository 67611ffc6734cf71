import type { IAuthenticate } from 'n8n-workflow';

import { MessagingAccountApi } from '../../credentials/MessagingAccountApi.credentials';
import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { testCredential } from '../../nodes/MessagingAccount/transport/credentialTest';

let credential: MessagingAccountApi;

beforeEach(() => {
	credential = new MessagingAccountApi();
});

test('has the names that saved workflows use', () => {
	expect(credential.name).toBe('messagingAccountApi');
	expect(credential.displayName).toBe('Messaging Account API');
});

test('has three required fields without defaults', () => {
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

test('hides the token and shows the client ID', () => {
	const isHidden = credential.properties.map(({ typeOptions }) => typeOptions?.password ?? false);
	expect(isHidden).toEqual([false, false, true]);
});

describe('the headers', () => {
	type Authenticate = Extract<IAuthenticate, (...args: never[]) => unknown>;
	const authenticate: Authenticate = async (...args) =>
		await (credential.authenticate as Authenticate)(...args);

	test('are added to those of the request, which is otherwise unchanged', async () => {
		const request = { url: '/v1/status', headers: { accept: 'application/json' } };
		expect(await authenticate({ clientId: 'a', token: 'b' }, request)).toEqual({
			url: '/v1/status',
			headers: { accept: 'application/json', 'client-id': 'a', token: 'b' },
		});
	});

	test.each([
		["'Client ID'", { clientId: ' ', token: 'b' }],
		["'Token'", { clientId: 'a', token: 'ü' }],
	])('are refused with an error that names the field: %s', async (name, fields) => {
		await expect(authenticate(fields, { url: '' })).rejects.toThrow(name);
	});
});

test('is tested by both nodes, because a declarative test shows texts of n8n', () => {
	expect(credential).not.toHaveProperty('test');
	for (const { description, methods } of [new MessagingAccount(), new MessagingAccountTrigger()]) {
		expect(description.credentials).toEqual([
			{ name: credential.name, required: true, testedBy: 'testCredential' },
		]);
		expect(methods.credentialTest).toEqual({ testCredential });
	}
});
