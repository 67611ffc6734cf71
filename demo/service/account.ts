/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not part of the published node: who watches the account is told by events */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';

import QRCode from 'qrcode';

/** The document says: the last 100. */
const MESSAGES_LISTED = 100;

/** A message as the embedded service lists it; the document does not show its fields. */
export interface Message {
	id: string;
	direction: 'incoming' | 'outgoing';
	/** Of the other person. */
	number: string;
	/** Of an image that was sent. */
	url?: string;
	caption?: string;
	/** Of a message that was received. */
	text?: string;
	/** ISO 8601 */
	sent_at: string;
}

/** How the messages are listed; hosts differ in it. */
export interface Listing {
	newestFirst: boolean;
	/** In the field `messages` of an object. */
	wrapped: boolean;
}

/** Is the account linked? If not, with the QR code as PNG data URI. */
export interface Connection {
	is_connected: boolean;
	qr?: string;
}

/** What somebody who watches the account is told of. */
export type Change = { event: 'connection' } | { event: 'message'; message: Message };

/** One messaging account with its phone, in memory: what the HTTP side of the service reads and changes. */
export class PhoneAccount {
	isConnected = false;

	listing: Listing = { newestFirst: false, wrapped: false };

	/** What a request of the API waits for before it is carried out: the distance of a real service, say. */
	latency: () => Promise<unknown> = async () => {};

	/** Emits `change`. */
	readonly changes = new EventEmitter<{ change: [Change] }>();

	/** By number. A number that is new makes a new chat. */
	readonly chats = new Map<string, Message[]>();

	/** The oldest first. */
	readonly messages: Message[] = [];

	private code = newCode();

	/** What a phone reads in the QR code; a new one after each log-out. */
	get qrText(): string {
		return this.code;
	}

	/** The QR code as PNG data URI. */
	async qrPicture(): Promise<string> {
		return await QRCode.toDataURL(this.code, { width: 300, errorCorrectionLevel: 'M' });
	}

	/** The owner scans the QR code. A code of before the last log-out does not link: then false. */
	scan(code: string): boolean {
		if (this.isConnected || code !== this.code) return false;
		this.isConnected = true;
		this.changes.emit('change', { event: 'connection' });
		return true;
	}

	/** The owner logs out on the phone. */
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

	send(image: Pick<Message, 'number' | 'url' | 'caption'>): Message {
		return this.add({ direction: 'outgoing', ...image });
	}

	/** Somebody writes to the account. */
	receive(message: Pick<Message, 'number' | 'text'>): Message {
		return this.add({ direction: 'incoming', ...message });
	}

	/** In the order of the listing. */
	lastMessages(): Message[] {
		const last = this.messages.slice(-MESSAGES_LISTED);
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

function newCode(): string {
	return `messaging-account:${randomUUID()}`;
}
