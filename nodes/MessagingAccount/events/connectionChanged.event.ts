import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { STATUS_REQUEST } from '../transport/request';
import { readStatus } from '../transport/responses';
import type { TriggerEvent } from './event';
import { createAccountKey, openPollClient } from './pollClient';

const QR_CODE_FIELD = 'qr';

export const connectionChanged: TriggerEvent = {
	entry: {
		name: 'Connection Changed',
		value: 'connectionChanged',
		description:
			'When the account is disconnected, with the QR code to scan, and when it is connected again',
	},
	options: [
		{
			displayName: 'Repeat While Disconnected',
			name: 'repeatWhileDisconnected',
			type: 'boolean',
			default: false,
			description:
				'Whether to start the workflow at every poll until the account is connected again, because QR codes expire',
		},
	],
	async poll(context) {
		const repeats = context.getNodeParameter('options.repeatWhileDisconnected', false) === true;
		const isTest = context.getMode() === 'manual';

		const { account, read } = await openPollClient(context);
		const accountKey = createAccountKey(account);
		const { status, qr } = readStatus(await read(STATUS_REQUEST));

		// Do not await anything from here on: another poll could emit the same change.
		const staticData = context.getWorkflowStaticData('node');
		const previous = readPrevious(staticData.connectionChanged, accountKey);
		const isConnected = status.is_connected === true;
		const hasChanged = previous === null ? !isConnected : previous !== isConnected;
		if (!isTest) staticData.connectionChanged = { account: accountKey, isConnected };
		if (!isTest && !hasChanged && !(repeats && !isConnected)) return null;
		const binary = qr && { [QR_CODE_FIELD]: createPicture(qr) };
		return [[{ json: { ...status, previous }, ...(binary && { binary }) }]];
	},
};

/**
 * Puts the picture itself into the item. A poll belongs to no execution, so n8n could neither show a file of it in the editor
 * nor reach it from another machine nor delete it.
 */
function createPicture(png: Buffer): IBinaryData {
	return {
		data: png.toString('base64'),
		mimeType: 'image/png',
		fileType: 'image',
		fileName: 'qr.png',
		fileExtension: 'png',
		bytes: png.length,
	};
}

/** @returns whether the account was connected at the last poll; null if unknown */
function readPrevious(stored: unknown, account: string): boolean | null {
	const { isConnected, account: before } = (stored ?? {}) as IDataObject;
	return typeof isConnected === 'boolean' && before === account ? isConnected : null;
}
