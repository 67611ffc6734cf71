import type { IExecuteFunctions } from 'n8n-workflow';

import { messageAsJson, readMessages } from '../service/answers';
import { InvalidInput } from '../service/errors';
import { LARGEST_LIST_BYTES } from '../service/body';
import type { Operation } from './operation';

/** The service gives the last 100 messages at most (section 8 of its document). */
const MOST_MESSAGES = 100;

export const getMessages: Operation = {
	entry: {
		name: 'Get Messages',
		value: 'getMessages',
		action: 'Get messages',
		description: 'Get the last messages of the account, 100 at most',
	},
	parameters: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: true,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			displayOptions: { show: { returnAll: [false] } },
			typeOptions: { minValue: 1, maxValue: MOST_MESSAGES },
			default: 50,
			description: 'Max number of results to return',
		},
	],
	options: [
		{
			displayName: 'Query Parameters',
			name: 'queryParameters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Parameter',
			default: {},
			description: 'Filters and paging that your service documents, sent with the request',
			options: [
				{
					displayName: 'Parameter',
					name: 'parameters',
					values: [
						{
							displayName: 'Name',
							name: 'name',
							type: 'string',
							default: '',
							placeholder: 'e.g. page',
						},
						{
							displayName: 'Value',
							name: 'value',
							type: 'string',
							default: '',
							placeholder: 'e.g. 2',
						},
					],
				},
			],
		},
	],
	sends: false,
	prepare(context, itemIndex) {
		const limit = readLimit(context, itemIndex);
		const query = queryString(
			context.getNodeParameter('options.queryParameters.parameters', itemIndex, []),
		);
		return {
			request: { method: 'GET', path: `/v1/messages${query}`, largestAnswer: LARGEST_LIST_BYTES },
			toItems: (answer) =>
				readMessages(answer)
					.slice(0, limit)
					.map((message) => ({ json: messageAsJson(message) })),
		};
	},
};

function readLimit(context: IExecuteFunctions, itemIndex: number): number | undefined {
	if (context.getNodeParameter('returnAll', itemIndex, true)) return undefined;
	const limit = Number(context.getNodeParameter('limit', itemIndex));
	if (!Number.isInteger(limit) || limit < 1 || limit > MOST_MESSAGES) {
		throw new InvalidInput(
			`'Limit' is not a whole number from 1 to ${MOST_MESSAGES}`,
			"Enter one, or switch on 'Return All'.",
		);
	}
	return limit;
}

/**
 * The rows of 'Query Parameters' as the end of an address, in their order; empty where there are none.
 *
 * @throws InvalidInput where a row is not complete
 */
export function queryString(rows: unknown): string {
	const pairs = (Array.isArray(rows) ? rows : []).map(readRow);
	return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function readRow(row: { name?: unknown; value?: unknown } | null, index: number): [string, string] {
	const name = row?.name ?? '';
	const value = row?.value ?? '';
	if (name === '') {
		throw new InvalidInput(
			`Row ${index + 1} of 'Query Parameters' has no name`,
			'Enter its name, or take the row out.',
		);
	}
	if (typeof name === 'object' || typeof value === 'object') {
		throw new InvalidInput(
			`Row ${index + 1} of 'Query Parameters' is not a text`,
			'It is a list or an object: pick the field of it that holds the text.',
		);
	}
	return [String(name), String(value)];
}
