import responseValidation from '@fastify/response-validation';
import sse from '@fastify/sse';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';

import { PhoneAccount } from './account';
import { samplePicture } from './samplePicture';
import { whyNotAnImage } from './image';
import { openApi } from './openapi';
import { phone } from './phone';

/** What the embedded service takes as proof of who asks. */
export interface Credentials {
	clientId: string;
	token: string;
}

export interface EmbeddedService {
	/** e.g. http://127.0.0.1:3040 */
	url: string;
	account: PhoneAccount;
	/** Opened so far. */
	connections(): number;
	close(): Promise<void>;
}

/**
 * Starts the documented API as a real HTTP server on the loopback interface.
 *
 * @param port 0 for any that is free
 */
export async function startService(
	credentials: Credentials,
	port = 0,
	account = new PhoneAccount(),
): Promise<EmbeddedService> {
	const server = Fastify({
		forceCloseConnections: true,
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
	});
	// Answers go out as they are: they are checked against their schema, not cut to fit it.
	server.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
	await server.register(responseValidation, {
		ajv: { coerceTypes: false, removeAdditional: false },
	});
	server.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) =>
		reply.status(error.statusCode ?? 500).send({ message: error.message }),
	);

	await server.register(async (api) => documentedApi(api, account, credentials), {
		prefix: '/v1',
	});
	await server.register(sse);
	phone(server, account);
	server.get('/openapi.json', () => openApi);
	server.get('/pictures/sample.png', (_request, reply) =>
		reply.type('image/png').send(samplePicture()),
	);

	let connections = 0;
	server.server.on('connection', () => connections++);
	const url = await server.listen({ host: '127.0.0.1', port });
	return {
		url,
		account,
		connections: () => connections,
		close: async () => await server.close(),
	};
}

/** The three endpoints of the document. */
function documentedApi(
	api: FastifyInstance,
	account: PhoneAccount,
	credentials: Credentials,
): void {
	const { Status, SendImageRequest, SendImageResponse } = openApi.components.schemas;
	/** The addresses of images that were fetched: one that goes to many people is fetched once. */
	const images = new Set<string>();

	api.addHook('onRequest', async (request, reply) => {
		if (!isAuthorized(request, credentials)) {
			await reply
				.status(401)
				.send({ message: 'The header client-id or token is missing or wrong' });
		}
	});
	api.addHook('preHandler', async () => {
		await account.latency();
	});

	api.get('/status', { schema: { response: { '2xx': Status } } }, async () =>
		account.isConnected ? { is_connected: true } : { qr: await account.qrPicture() },
	);

	api.post<{ Body: { number?: string; url?: string; caption?: string } }>(
		'/sendImage',
		{ schema: { body: SendImageRequest, response: { '2xx': SendImageResponse } } },
		async (request, reply) => {
			const { number, url, caption } = request.body;
			if (number === undefined || url === undefined) {
				return await reply.status(400).send({ message: 'number and url are needed' });
			}
			if (!account.isConnected) {
				return await reply
					.status(409)
					.send({ message: 'The account is not connected: scan its QR code first' });
			}
			const reason = images.has(url) ? undefined : await whyNotAnImage(url);
			if (reason) return await reply.status(422).send({ message: reason });
			images.add(url);
			return { id: account.send({ number, url, ...(caption && { caption }) }).id };
		},
	);

	api.get('/messages', () => {
		const messages = account.lastMessages();
		return account.listing.wrapped ? { messages } : messages;
	});
}

function isAuthorized(request: FastifyRequest, { clientId, token }: Credentials): boolean {
	return request.headers['client-id'] === clientId && request.headers.token === token;
}
