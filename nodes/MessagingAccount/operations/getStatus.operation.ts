import { InvalidInputError } from '../errors/errorClasses';
import { cleanText } from '../parameters/text';
import { isToolNode } from '../n8n/agentTool';
import { hintOnce } from '../n8n/notify';
import { STATUS_REQUEST } from '../transport/request';
import { readStatus } from '../transport/statusResponse';
import type { ReadOperation } from './operation';

const SCAN = [
	'The account is not connected',
	"Open the tab 'Binary', click 'View' and scan the QR code. Then execute this step again.",
] as const;

const SCAN_ELSEWHERE = [
	"The account is not connected, and the service gives no picture of the QR code in 'qr'",
	"Scan it where the service shows it or, if 'qr' is a text, make a picture of it with another node.",
] as const;

export const getStatus: ReadOperation = {
	entry: {
		name: 'Get Status',
		value: 'getStatus',
		action: 'Get status',
		description: 'Check whether the account is connected, and get the QR code to scan if it is not',
		builderHint: {
			propertyHint:
				"Branch on the boolean 'is_connected'. The picture of the QR code is binary data.",
		},
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
				'The name of the output field for the picture of the QR code, while the account is not connected',
		},
	],
	sends: false,
	prepare(reader, itemIndex, context) {
		const field = cleanText(String(reader.read('binaryPropertyName', itemIndex) ?? ''));
		if (field === '') {
			const advice = 'Enter the name of the output field for the picture of the QR code, e.g. qr.';
			throw new InvalidInputError("'Put QR Code in Field' is empty", advice);
		}
		return {
			async run(read) {
				const { status, qr } = readStatus(await read(STATUS_REQUEST));
				if (qr) hintOnce(context, itemIndex, ...SCAN);
				else if (!status.is_connected && status.qr) hintOnce(context, itemIndex, ...SCAN_ELSEWHERE);
				const json = { ...status };
				// Whoever has the QR code can log in, and no model needs it. People see the picture in the execution.
				if (isToolNode(context.getNode())) delete json.qr;
				if (!qr) return [{ json }];
				const picture = await context.helpers.prepareBinaryData(qr, 'qr.png', 'image/png');
				return [{ json, binary: { [field]: picture } }];
			},
		};
	},
};
