import type { IDataObject } from 'n8n-workflow';

import { STATUS_REQUEST, statusItem } from '../operations/getStatus.operation';
import { readStatus } from '../service/answers';
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
		const answer = await read(STATUS_REQUEST);
		const isConnected = readStatus(answer).status.is_connected === true;

		const state = context.getWorkflowStaticData('node');
		const isNews = () => {
			const previous = previousIn(state.connectionChanged, ofAccount);
			const hasChanged = previous === null ? !isConnected : previous !== isConnected;
			return isTest || hasChanged || (repeats && !isConnected);
		};
		// n8n may store the picture in a file: not for nothing.
		const item = isNews() ? await statusItem(context, answer, QR_CODE_FIELD) : undefined;

		// Nothing may be awaited between this and the end: another poll could emit the same.
		const isStillNews = isNews();
		const previous = previousIn(state.connectionChanged, ofAccount);
		if (!isTest) state.connectionChanged = { account: ofAccount, isConnected };
		return item && isStillNews ? [[{ ...item, json: { ...item.json, previous } }]] : null;
	},
};

/** Whether the account was connected at the last poll; null where that is not known. */
function previousIn(stored: unknown, account: string): boolean | null {
	const { isConnected, account: before } = (stored ?? {}) as IDataObject;
	return typeof isConnected === 'boolean' && before === account ? isConnected : null;
}
