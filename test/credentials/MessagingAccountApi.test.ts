import type { IAuthenticate } from 'n8n-workflow';

import { MessagingAccountApi } from '../../credentials/MessagingAccountApi.credentials';
import { createSingleNodeWorkflow } from '../support/singleNodeWorkflow';

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

describe('the credential test', () => {
	const rules = () => credential.test.rules ?? [];

	test.each(['https://a.example.com', ' https://a.example.com/v1/ '])(
		'requests the status and follows no redirect: %j',
		(baseUrl) => {
			const { request } = credential.test;
			expect(request).toMatchObject({
				url: '/v1/status',
				headers: { accept: 'application/json' },
				disableFollowRedirect: true,
			});
			const { node, workflow } = createSingleNodeWorkflow({ parameters: {} });
			const address = workflow.expression.getSimpleParameterValue(node, request.baseURL, 'manual', {
				$credentials: { baseUrl },
			});
			expect(address).toBe('https://a.example.com');
		},
	);

	test.each([
		['redirects to another one', [301, 302, 303, 307, 308]],
		["Check 'Client ID' and 'Token'", [400, 401, 403]],
		["Check 'Base URL': enter the part before /v1", [404, 405, 410]],
		['Try again in a moment', [429, 500, 502, 503, 504]],
	])('says "%s" after %j', (message, codes) => {
		const matching = rules().filter((rule) => rule.properties.message.includes(message));
		expect(matching.map(({ type }) => type)).toEqual(codes.map(() => 'responseCode'));
		expect(matching.map(({ properties }) => properties.value)).toEqual(codes);
	});

	test('refuses every response that is not an object', () => {
		const bodyRules = rules().filter(({ type }) => type === 'responseSuccessBody');
		const classes = ['text', 7, true].map((value) => value.constructor.name);
		expect(bodyRules.map(({ properties }) => properties)).toEqual(
			[...classes, undefined].map((value) => ({
				key: 'constructor.name',
				value,
				message: expect.stringContaining("Check 'Base URL'") as string,
			})),
		);
	});
});
