import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { cleanText } from '../parameters/text';
import type { Account } from '../secrets/account';
import { hash } from '../shared/hash';
import type { ApiResponse } from '../transport/exchange';
import type { ApiRequest } from '../transport/request';

export interface Message {
	/** The key of the account if the credential gives each item its own; empty if all have the same. */
	accountKey: string;
	/** Sends to the same recipient keep their order. */
	recipient: string;
	/** Identifies the image: its URL, or the hash of a file. */
	image: IDataObject;
	/** Empty if there is none. */
	caption: string;
}

export type SendOnceId = string | number;

/** What an operation that sends says about one item. */
export interface PreparedSend {
	message: Omit<Message, 'accountKey'>;
	/** What a dry run outputs. */
	preview: IDataObject;
	/** For a dry run: checks what `createRequest` would, and creates nothing. @throws InvalidInputError */
	check?(account: Account): void;
	/** Called right before each attempt. @throws InvalidInputError if the request cannot be made */
	createRequest(account: Account): ApiRequest | Promise<ApiRequest>;
	/** Returns the output item, without `pairedItem`. @throws ApiError if the response cannot be used */
	toItem(response: ApiResponse): INodeExecutionData;
}

/** The send of one item, with everything that its parameters say. The options of all sends are read in one place. */
export interface SendPlan extends PreparedSend {
	message: Message;
	/** In ms. */
	timeout: number;
	resendUncertain: boolean;
	sendOnceId?: SendOnceId;
}

/** The send of one item, as everything in this folder identifies it. Whoever knows more of it keeps that in a map of its own. */
export interface Send {
	readonly itemIndex: number;
	/** Whatever the account: that of a row may be another one in a retry, which is no reason to send again. */
	readonly recipientHash: string;
	/** The hash of the image and the caption: see `toImageHash`. Without an ID, the account is part of the image: several may send the same. */
	readonly contentHash: string;
	/** The ID of "Send Once per ID"; undefined if the check is off, and so are the two that follow. */
	readonly id?: SendOnceId;
	/** IDs that look the same have the same key. Each account has IDs of its own. */
	readonly idKey?: string;
	/** The hash of the ID and the recipient. */
	readonly idHash?: string;
	/** Whether it may be made although an earlier attempt may have been: "Resend When Uncertain". */
	readonly mayResend: boolean;
}

/** The length in characters of 6 bits, which distinguishes the images and captions of one recipient. */
const HASH_LENGTH = 5;

export const toIdKey = (id: SendOnceId, { accountKey }: Message) =>
	`id:${accountKey}${cleanText(String(id).replace(/\p{Zs}/gu, ' ')).normalize('NFC')}`;

type Identity = Pick<SendPlan, 'message' | 'resendUncertain' | 'sendOnceId'>;

export function createSend(itemIndex: number, plan: Identity): Send {
	const { message, resendUncertain: mayResend, sendOnceId: id } = plan;
	const { accountKey, recipient, image, caption } = message;
	const idKey = id === undefined ? undefined : toIdKey(id, message);
	const imageText = JSON.stringify(image) + (idKey === undefined ? accountKey : '');
	return {
		itemIndex,
		recipientHash: hash(recipient),
		contentHash: hash(imageText, HASH_LENGTH) + (caption && hash(caption, HASH_LENGTH)),
		id,
		idKey,
		idHash: idKey === undefined ? undefined : hash(`${idKey} ${recipient}`),
		mayResend,
	};
}

/** Returns the output of a send that is skipped. @param isSent whether an image was certainly sent in its place */
export function createSkipped({ id }: Send, reason: 'id' | 'changed', isSent: boolean) {
	const ofId = id === undefined ? {} : { sendOnceId: id };
	return [{ json: { skipped: true, ...ofId, reason, ...(isSent ? {} : { delivery: 'unknown' }) } }];
}

type WithContent = Pick<Send, 'contentHash'>;
export const toImageHash = ({ contentHash }: WithContent) => contentHash.slice(0, HASH_LENGTH);

/** Empty without a caption. */
export const toCaptionHash = ({ contentHash }: WithContent) => contentHash.slice(HASH_LENGTH);
