import type { PhoneAccount } from './account';
import { fetchImage } from './image';

/** A JSON schema. */
type Schema = Readonly<Record<string, unknown>>;

interface Endpoint {
	method: 'get' | 'post';
	path: string;
	/** What `/openapi.json` says of it. */
	summary: string;
	/** Requests with another body are refused. */
	body?: Schema;
	/** A response that does not match is an error of this service. Without a schema, it may be anything. */
	response: { description: string; schema?: Schema };
	/** @returns the body of the response @throws Refusal */
	handle(account: PhoneAccount, body: never): unknown;
}

/** Becomes a response with this status and `{ "message": … }`. */
class Refusal extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
	}
}

/** The API of docs/api.md, nothing more; README.md in this folder lists what is not specified there. */
export const ENDPOINTS: Endpoint[] = [
	{
		method: 'get',
		path: '/v1/status',
		summary: 'Get the account status and, if the session is not logged in, the QR code',
		response: {
			description: 'Exactly one of the two shapes',
			schema: {
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
		},
		handle: async (account) =>
			account.isConnected ? { is_connected: true } : { qr: await account.qrPicture() },
	},
	{
		method: 'post',
		path: '/v1/sendImage',
		summary: 'Send an image to a new or an existing chat',
		body: {
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
		response: {
			description: 'The message was created',
			schema: {
				type: 'object',
				properties: { id: { type: 'string', description: 'Identifier of the created message' } },
				required: ['id'],
				additionalProperties: false,
			},
		},
		handle: sendImage,
	},
	{
		method: 'get',
		path: '/v1/messages',
		summary: 'Get the last 100 messages',
		response: { description: 'The messages' },
		handle(account) {
			const messages = account.lastMessages();
			return account.listing.wrapped ? { messages } : messages;
		},
	},
];

async function sendImage(
	account: PhoneAccount,
	{ number, url, caption }: { number?: string; url?: string; caption?: string },
): Promise<{ id: string }> {
	if (number === undefined || url === undefined) {
		throw new Refusal(400, 'number and url are required');
	}
	if (!account.isConnected) {
		throw new Refusal(422, 'The account is not connected: scan its QR code first');
	}
	// An image for many recipients is fetched once.
	const known = account.pictureOf(url);
	const fetched = known ? undefined : await fetchImage(url);
	if (typeof fetched === 'string') throw new Refusal(422, fetched);
	const picture = known ?? account.keep(fetched!, url);
	const isAddress = !/^data:/i.test(url);
	const image = { ...(isAddress && { url }), picture, ...(caption && { caption }) };
	return { id: account.send({ number, ...image }).id };
}
