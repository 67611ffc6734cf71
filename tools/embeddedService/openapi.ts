import { ENDPOINTS } from './endpoints';

const asJson = (schema: object) => ({ content: { 'application/json': { schema } } });

/** The description of the endpoints that the service serves at /openapi.json. docs/openapi.json is the same. */
export const openApi = {
	openapi: '3.1.0',
	info: {
		title: 'Messaging Account API',
		version: '1',
		description:
			'One messaging account: its status, sending an image, its last messages. To a send, respond with 4xx, a redirect, or 503 with Retry-After only if nothing was sent; docs/api.md has all that the nodes accept.',
	},
	security: [{ clientId: [], token: [] }],
	paths: Object.fromEntries(
		ENDPOINTS.map(({ method, path, summary, body, response: { description, schema } }) => [
			path,
			{
				[method]: {
					summary,
					...(body && { requestBody: asJson(body) }),
					responses: { '2XX': { description, ...(schema && asJson(schema)) } },
				},
			},
		]),
	),
	components: {
		securitySchemes: {
			clientId: { type: 'apiKey', in: 'header', name: 'client-id' },
			token: { type: 'apiKey', in: 'header', name: 'token' },
		},
	},
};
