import responseValidation from '@fastify/response-validation';
import sse from '@fastify/sse';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';

import { PhoneAccount } from './account';
import { ENDPOINTS } from './endpoints';
import { openApi } from './openapi';
import { registerPhone } from './phone';
import { samplePicture } from './samplePicture';

/** Room for a large image as data URI. */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

/** Accepted values of the headers `client-id` and `token`. */
export interface Credentials {
	clientId: string;
	token: string;
}

export interface EmbeddedService {
	/** e.g. http://127.0.0.1:3040 */
	url: string;
	account: PhoneAccount;
	close(): Promise<void>;
}

/**
 * Starts the API of docs/api.md as a real HTTP server on the loopback interface.
 *
 * @param port 0 picks a free port
 */
export async function startService(credentials: Credentials, port = 0): Promise<EmbeddedService> {
	const account = new PhoneAccount();
	const server = Fastify({
		forceCloseConnections: true,
		bodyLimit: MAX_REQUEST_BYTES,
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
	});
	// Fastify's own serializer drops fields missing from the schema. Responses are validated instead, and sent unchanged.
	server.setSerializerCompiler(() => (response) => JSON.stringify(response));
	await server.register(responseValidation, {
		ajv: { coerceTypes: false, removeAdditional: false },
	});
	server.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) =>
		reply.status(error.statusCode ?? 500).send({ message: error.message }),
	);

	await server.register(async (api) => registerApi(api, account, credentials));
	await server.register(sse);
	registerPhone(server, account);
	server.get('/openapi.json', () => openApi);
	server.get('/pictures/sample.png', (_request, reply) =>
		reply.type('image/png').send(samplePicture()),
	);

	const url = await server.listen({ host: '127.0.0.1', port });
	return {
		url,
		account,
		close: async () => await server.close(),
	};
}

/** Adds the endpoints, for those who have the credentials. */
function registerApi(api: FastifyInstance, account: PhoneAccount, credentials: Credentials): void {
	api.addHook('onRequest', async (request, reply) => {
		if (!isAuthorized(request, credentials)) {
			await reply
				.status(401)
				.send({ message: 'The client-id or token header is missing or wrong' });
		}
	});
	api.addHook('preHandler', async () => {
		await account.latency();
	});
	for (const { method, path: url, body, response, handle } of ENDPOINTS) {
		const { schema } = response;
		api.route({
			method,
			url,
			schema: { ...(body && { body }), ...(schema && { response: { '2xx': schema } }) },
			handler: async (request) => await handle(account, request.body as never),
		});
	}
}

function isAuthorized(request: FastifyRequest, { clientId, token }: Credentials): boolean {
	return request.headers['client-id'] === clientId && request.headers.token === token;
}
