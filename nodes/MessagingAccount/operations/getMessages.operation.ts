import { listOptions, readListQuery } from '../messages/listOptions';
import { createPageRequest, readPages } from '../messages/pages';
import { readInteger } from '../parameters/numericParameter';
import type { ReadParameter } from '../parameters/parameterReader';
import { readMessages, toItemJson } from '../transport/responses';
import type { Operation } from './operation';

/** docs/api.md, "Limits": the service returns the last 100 messages. */
const MAX_MESSAGES = 100;

export const getMessages: Operation = {
	entry: {
		name: 'Get Messages',
		value: 'getMessages',
		action: 'Get messages',
		description: 'Get the latest messages of the account, up to 100',
	},
	parameters: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: true,
			description: 'Whether to return all results or only up to a given limit',
			hint: 'The service lists only the latest 100 messages',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			displayOptions: { show: { returnAll: [false] } },
			typeOptions: { minValue: 1, maxValue: MAX_MESSAGES },
			default: 50,
			description: 'Max number of results to return',
		},
	],
	options: listOptions,
	sends: false,
	prepare(readParameter, itemIndex) {
		const limit = readLimit(readParameter, itemIndex);
		const listQuery = readListQuery((option, fallback) =>
			readParameter(`options.${option}`, itemIndex, fallback),
		);
		return {
			request: createPageRequest(listQuery, 0),
			async toItems(response, read) {
				const { pages } = await readPages(readMessages(response), listQuery, {
					read,
					getKey: (message) => JSON.stringify(message),
					isEnough: (soFar) => limit !== undefined && soFar.flat().length >= limit,
				});
				return pages
					.flat()
					.slice(0, limit)
					.map((message) => ({ json: toItemJson(message) }));
			},
		};
	},
};

function readLimit(readParameter: ReadParameter, itemIndex: number): number | undefined {
	if (readParameter('returnAll', itemIndex, true)) return undefined;
	return readInteger(
		readParameter('limit', itemIndex),
		'Limit',
		[1, MAX_MESSAGES],
		"Enter a number in this range, or turn on 'Return All'.",
	);
}
