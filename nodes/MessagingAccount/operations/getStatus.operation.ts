import type { NodeExecutionHint } from 'n8n-workflow';

import { readStatus } from '../service/answers';
import { InvalidInput } from '../service/errors';
import { STATUS_REQUEST } from '../service/request';
import { isTool } from '../tool';
import type { Operation } from './operation';

const SCAN_HINT: NodeExecutionHint = {
	message:
		"The account is not connected. Scan its QR code: click 'View' (in the tab 'Binary'). Then execute this step again.",
	location: 'outputPane',
};

export const getStatus: Operation = {
	entry: {
		name: 'Get Status',
		value: 'getStatus',
		action: 'Get status',
		description: 'Tell whether the account is connected, with the QR code to scan if it is not',
	},
	parameters: [
		{
			displayName: 'Put QR Code in Field',
			name: 'binaryPropertyName',
			type: 'string',
			default: 'qr',
			required: true,
			placeholder: 'e.g. qr',
			description:
				'The name of the output field to put the picture of the QR code in, while the account is not connected',
		},
	],
	options: [],
	sends: false,
	prepare(readParameter, itemIndex, context) {
		const field = String(readParameter('binaryPropertyName', itemIndex) ?? '').trim();
		if (field === '') {
			throw new InvalidInput(
				"'Put QR Code in Field' is empty",
				'Enter the name of the field that the picture of the QR code goes to, e.g. qr.',
			);
		}
		return {
			request: STATUS_REQUEST,
			async toItems(answer) {
				const { status, qr } = readStatus(answer);
				if (!qr) return [{ json: status }];
				// Once for all items: they ask the same. n8n versions from before its hints go without.
				if (itemIndex === 0) context.addExecutionHints?.(SCAN_HINT);
				const picture = await context.helpers.prepareBinaryData(qr, 'qr.png', 'image/png');
				const json = { ...status };
				// A model can do nothing with the thousands of characters of a picture; who opens the execution sees it.
				if (isTool(context.getNode())) delete json.qr;
				return [{ json, binary: { [field]: picture } }];
			},
		};
	},
};
