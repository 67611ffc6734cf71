import { randomUUID } from 'node:crypto';

import QRCode from 'qrcode';

/** The document says: the last 100. */
const MESSAGES_LISTED = 100;

/** A message as the embedded service lists it; the document does not show its fields. */
export interface Message {
	id: string;
	number: string;
	url: string;
	caption?: string;
	/** ISO 8601 */
	sent_at: string;
}

/** One messaging account with its phone, in memory: what the HTTP side of the service reads and changes. */
export class PhoneAccount {
	isConnected = false;

	/** By number. A number that is new makes a new chat. */
	readonly chats = new Map<string, Message[]>();

	private readonly messages: Message[] = [];

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
		return true;
	}

	/** The owner logs out on the phone. */
	logOut(): void {
		this.isConnected = false;
		this.code = newCode();
	}

	send(image: Pick<Message, 'number' | 'url' | 'caption'>): Message {
		const message = { id: randomUUID(), ...image, sent_at: new Date().toISOString() };
		const chat = this.chats.get(image.number);
		if (chat) chat.push(message);
		else this.chats.set(image.number, [message]);
		this.messages.push(message);
		return message;
	}

	/** Oldest first. */
	lastMessages(): Message[] {
		return this.messages.slice(-MESSAGES_LISTED);
	}
}

function newCode(): string {
	return `messaging-account:${randomUUID()}`;
}
