import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';

import QRCode from 'qrcode';

import type { Picture } from './image';

/** docs/design/service.md, "Limits": the last 100 messages. */
const MAX_LISTED_MESSAGES = 100;

/** A message as the embedded service lists it. docs/design/service.md, "Messages": its fields are not specified. */
export interface Message {
	id: string;
	direction: 'incoming' | 'outgoing';
	/** Number of the other person, digits only. */
	number: string;
	/** Image URL, if it was handed over with one; only on outgoing messages. */
	url?: string;
	/** Path of the image as it was fetched; only on outgoing messages. */
	picture?: string;
	caption?: string;
	/** Only on incoming messages. */
	text?: string;
	/** ISO 8601 */
	sent_at: string;
}

/** Format of the message list; it differs between services. */
export interface Listing {
	newestFirst: boolean;
	/** Return `{ messages: [...] }` instead of a bare array. */
	wrapped: boolean;
}

export interface Connection {
	is_connected: boolean;
	/** QR code as a PNG data URI; only while not connected. */
	qr?: string;
}

/** Payload of the `change` event. */
export type Change = { event: 'connection' } | { event: 'message'; message: Message };

/** One messaging account and its phone, in memory: the state behind the HTTP endpoints. */
export class PhoneAccount {
	isConnected = false;

	listing: Listing = { newestFirst: false, wrapped: false };

	/** Awaited before each API request is handled, e.g. to simulate network latency. */
	latency: () => Promise<unknown> = async () => {};

	readonly changes = new EventEmitter<{ change: [Change] }>();

	/** The images of all messages, by SHA-256: one that goes to many is kept once. */
	readonly pictures = new Map<string, Picture>();

	/** The paths of the images by the SHA-256 of their address, which may be a data URI. */
	private readonly paths = new Map<string, string>();

	/** Messages by number, oldest first. */
	readonly chats = new Map<string, Message[]>();

	/** Oldest first. */
	readonly messages: Message[] = [];

	private code = newCode();

	/** The text in the QR code. It changes with each log-out. */
	get qrText(): string {
		return this.code;
	}

	/** The QR code as a PNG data URI. */
	async qrPicture(): Promise<string> {
		return await QRCode.toDataURL(this.code, { width: 300, errorCorrectionLevel: 'M' });
	}

	/**
	 * Links the account, as the owner does by scanning the QR code.
	 *
	 * @returns false if the account is already connected, or if the code is from before the last log-out
	 */
	scan(code: string): boolean {
		if (this.isConnected || code !== this.code) return false;
		this.isConnected = true;
		this.changes.emit('change', { event: 'connection' });
		return true;
	}

	/** Unlinks the account, as the owner does by logging out on the phone. */
	logOut(): void {
		this.isConnected = false;
		this.code = newCode();
		this.changes.emit('change', { event: 'connection' });
	}

	async connection(): Promise<Connection> {
		return this.isConnected
			? { is_connected: true }
			: { is_connected: false, qr: await this.qrPicture() };
	}

	/** The path of an image that was kept before, of a data URI as well. */
	pictureOf(url: string): string | undefined {
		return this.paths.get(hashOf(url));
	}

	/** @returns the path of the image */
	keep(picture: Picture, url: string): string {
		const hash = hashOf(picture.bytes);
		this.pictures.set(hash, picture);
		const path = `/phone/pictures/${hash}`;
		this.paths.set(hashOf(url), path);
		return path;
	}

	/** The image of an outgoing message. */
	pictureIn({ picture = '' }: Message): Buffer | undefined {
		return this.pictures.get(picture.split('/').at(-1)!)?.bytes;
	}

	send(image: Pick<Message, 'number' | 'url' | 'picture' | 'caption'>): Message {
		return this.add({ direction: 'outgoing', ...image });
	}

	/** Adds a message from somebody else. */
	receive(message: Pick<Message, 'number' | 'text'>): Message {
		return this.add({ direction: 'incoming', ...message });
	}

	/** The last 100 messages, in the order set in `listing`. */
	lastMessages(): Message[] {
		const last = this.messages.slice(-MAX_LISTED_MESSAGES);
		return this.listing.newestFirst ? last.reverse() : last;
	}

	private add(content: Omit<Message, 'id' | 'sent_at'>): Message {
		const message = { id: randomUUID(), ...content, sent_at: new Date().toISOString() };
		const chat = this.chats.get(message.number);
		if (chat) chat.push(message);
		else this.chats.set(message.number, [message]);
		this.messages.push(message);
		this.changes.emit('change', { event: 'message', message });
		return message;
	}
}

function hashOf(content: string | Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}

function newCode(): string {
	return `messaging-account:${randomUUID()}`;
}
