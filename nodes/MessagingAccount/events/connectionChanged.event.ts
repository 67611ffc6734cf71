import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { readStatus } from '../service/answers';
import { STATUS_REQUEST } from '../service/request';
import type { TriggerEvent } from './event';
import { accountKey, openReader } from './reader';

const QR_CODE_FIELD = 'qr';

export const connectionChanged: TriggerEvent = {
	entry: {
		name: 'Connection Changed',
		value: 'connectionChanged',
		description:
			'When the account is no longer connected, with the QR code to scan, and when it is connected again',
	},
	options: [
		{
			displayName: 'Repeat While Disconnected',
			name: 'repeatWhileDisconnected',
			type: 'boolean',
			default: false,
			description:
				'Whether to start the workflow at every poll until the account is connected again: QR codes age',
		},
	],
	async poll(context) {
		const repeats = context.getNodeParameter('options.repeatWhileDisconnected', false) === true;
		const isTest = context.getMode() === 'manual';

		const { account, read } = await openReader(context);
		const ofAccount = accountKey(account);
		const { status, qr } = readStatus(await read(STATUS_REQUEST));

		// Nothing may be awaited between this and the end: another poll could emit the same.
		const state = context.getWorkflowStaticData('node');
		const previous = previousIn(state.connectionChanged, ofAccount);
		const isConnected = status.is_connected === true;
		const hasChanged = previous === null ? !isConnected : previous !== isConnected;
		if (!isTest) state.connectionChanged = { account: ofAccount, isConnected };
		if (!isTest && !hasChanged && !(repeats && !isConnected)) return null;
		const binary = qr && { [QR_CODE_FIELD]: pictureOf(qr) };
		return [[{ json: { ...status, previous }, ...(binary && { binary }) }]];
	},
};

/**
 * The picture itself, as part of the item: a poll belongs to no execution, so a file that n8n made of it could not be seen
 * in the editor, reached from another machine, or deleted.
 */
function pictureOf(png: Buffer): IBinaryData {
	return {
		data: png.toString('base64'),
		mimeType: 'image/png',
		fileType: 'image',
		fileName: 'qr.png',
		fileExtension: 'png',
		bytes: png.length,
	};
}

/** Whether the account was connected at the last poll; null where that is not known. */
function previousIn(stored: unknown, account: string): boolean | null {
	const { isConnected, account: before } = (stored ?? {}) as IDataObject;
	return typeof isConnected === 'boolean' && before === account ? isConnected : null;
}
