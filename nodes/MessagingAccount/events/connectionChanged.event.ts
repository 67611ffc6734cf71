import type { IBinaryData } from 'n8n-workflow';

import { ApiError } from '../errors/errorClasses';
import { isSuperseded } from '../n8n/pollStart';
import { STATUS_REQUEST } from '../transport/request';
import { readStatus } from '../transport/statusResponse';
import { MAX_POLL_MS, openPollClient, type TriggerEvent } from './triggerEvent';

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
			default: true,
			description:
				'Whether to start the workflow at every poll until the account is connected again, because QR codes expire',
		},
	],
	async poll(context, state) {
		const repeats = context.getNodeParameter('options.repeatWhileDisconnected', false) === true;
		const isTest = context.getMode() === 'manual';
		const polledAt = new Date().toISOString();
		const { accountKey, read } = await openPollClient(context);
		const { status, qr } = await read(STATUS_REQUEST).then(readStatus).catch(toDisconnected);

		// Do not await anything from here on: another poll could emit the same change.
		if (isSuperseded(context) || state.isOutdated()) return null;
		const isConnected = status.is_connected === true;
		const next = { account: accountKey, isConnected, polledAt };
		const last = state.read() as typeof next | undefined;
		const stored = last?.account === accountKey ? last : undefined;
		// A later poll has its answer already, so this one is out of date. A much later time is from before a clock was set back.
		const msLater = stored ? Date.parse(stored.polledAt) - Date.parse(polledAt) : 0;
		if (!isTest && msLater > 0 && msLater < MAX_POLL_MS) return null;
		const previous = stored?.isConnected ?? null;
		const hasChanged = isConnected !== (previous ?? true);
		const isEmitted = isTest || hasChanged || (repeats && !isConnected);
		if (!isTest) state.store(next, isEmitted);
		if (!isEmitted) return null;
		const json = { ...status, previous };
		return [[qr ? { json, binary: { qr: createPicture(qr) } } : { json }]];
	},
};

/** Statuses with which a service may say something of the account. Others are of the request, a proxy or a gateway, or a fault. */
const ABOUT_ACCOUNT = ['400', '403', '404', '409', '410', '412', '422', '423', '424', '428'];

const OF_DEVICE =
	/device|phone|whats.?app|instance|\bqr\b|dispositiv|aparelho|appareil|ger(ä|ae)t|perangkat|not.connected/i;

/**
 * Returns the status for the error with which some services say that the account is not connected. With 401, it may also be about the
 * credential, if the service mentions no device. @throws any other error
 */
function toDisconnected(error: Error): ReturnType<typeof readStatus> {
	if (!(error instanceof ApiError) || !error.details.isDisconnected) throw error;
	const isOfDevice = error.httpCode === '401' && OF_DEVICE.test(error.message);
	if (error.httpCode && !isOfDevice && !ABOUT_ACCOUNT.includes(error.httpCode)) throw error;
	return { status: { is_connected: false, reason: error.message } };
}

/** Puts a picture inside the item: a poll has no execution, so n8n could not show a file of it, find it elsewhere, or delete it. */
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
