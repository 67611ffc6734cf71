/**
 * Exactly the API of docs/api.md, nothing more; README.md in this folder lists what is not specified there. The service
 * validates requests and its own responses against these schemas, and serves this object at /openapi.json. docs/openapi.json is the same.
 */
export const openApi = {
	openapi: '3.1.0',
	info: {
		title: 'Messaging Account API',
		version: '1',
		description: 'One messaging account: its status, sending an image, its last messages.',
	},
	security: [{ clientId: [], token: [] }],
	paths: {
		'/v1/status': {
			get: {
				summary: 'Get the account status and, if the session is not logged in, the QR code',
				responses: {
					'2XX': {
						description: 'Exactly one of the two shapes',
						content: { 'application/json': { schema: { $ref: '#/components/schemas/Status' } } },
					},
				},
			},
		},
		'/v1/sendImage': {
			post: {
				summary: 'Send an image to a new or an existing chat',
				requestBody: {
					content: {
						'application/json': { schema: { $ref: '#/components/schemas/SendImageRequest' } },
					},
				},
				responses: {
					'2XX': {
						description: 'The message was created',
						content: {
							'application/json': { schema: { $ref: '#/components/schemas/SendImageResponse' } },
						},
					},
				},
			},
		},
		'/v1/messages': {
			get: {
				summary: 'Get the last 100 messages',
				responses: { '2XX': { description: 'The messages' } },
			},
		},
	},
	components: {
		securitySchemes: {
			clientId: { type: 'apiKey', in: 'header', name: 'client-id' },
			token: { type: 'apiKey', in: 'header', name: 'token' },
		},
		schemas: {
			Status: {
				oneOf: [
					{
						type: 'object',
						description: 'The session is already logged in',
						properties: { is_connected: { type: 'boolean', const: true } },
						required: ['is_connected'],
						additionalProperties: false,
					},
					{
						type: 'object',
						description: 'The session is not logged in',
						properties: {
							qr: {
								type: 'string',
								description: 'A PNG image of the QR code as data URI',
								pattern: '^data:image/png;base64,[A-Za-z0-9+/]+=*$',
							},
						},
						required: ['qr'],
						additionalProperties: false,
					},
				],
			},
			SendImageRequest: {
				type: 'object',
				properties: {
					number: {
						type: 'string',
						description: 'The number of the recipient, digits only',
						pattern: '^[0-9]+$',
					},
					url: {
						type: 'string',
						description: 'An HTTP(S) address of the image to send; here also a data URI',
						pattern: '^([Hh][Tt][Tt][Pp][Ss]?://|[Dd][Aa][Tt][Aa]:)',
					},
					caption: { type: 'string', description: 'Text that accompanies the image' },
				},
			},
			SendImageResponse: {
				type: 'object',
				properties: { id: { type: 'string', description: 'Identifier of the created message' } },
				required: ['id'],
				additionalProperties: false,
			},
		},
	},
} as const;
