import type { IAuthenticate } from 'n8n-workflow';

import { MessagingAccountApi } from '../../credentials/MessagingAccountApi.credentials';
import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { testCredential } from '../../nodes/MessagingAccount/transport/credentialTest';

const credential = new MessagingAccountApi();

test('has the names that saved workflows use, and required fields, of which it hides the token', () => {
	const field = { required: true, default: '' };
	expect(credential).toMatchObject({
		name: 'messagingAccountApi',
		displayName: 'Messaging Account API',
		properties: [
			{ ...field, displayName: 'Base URL', name: 'baseUrl' },
			{ ...field, displayName: 'Client ID', name: 'clientId' },
			{ ...field, displayName: 'Token', name: 'token' },
		],
	});
	const hidden = credential.properties.filter(({ typeOptions }) => typeOptions?.password);
	expect(hidden.map(({ name }) => name)).toEqual(['token']);
});

describe('the headers', () => {
	type Authenticate = Extract<IAuthenticate, (...args: never[]) => unknown>;
	const authenticate = credential.authenticate as Authenticate;

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
