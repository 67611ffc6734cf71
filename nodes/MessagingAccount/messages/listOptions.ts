import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import { readNumber } from '../parameters/numericParameter';

/** Options of every request for the list of messages. docs/api.md, "Messages": query parameters are not specified. */
export const listOptions: INodeProperties[] = [
	{
		displayName: 'Page Limit',
		name: 'maxPages',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100 },
		default: 10,
		description: "Max number of pages to read. Only used with 'Page Parameter'.",
	},
	{
		displayName: 'Page Parameter',
		name: 'pageParameter',
		type: 'string',
		default: '',
		placeholder: 'e.g. page',
		description:
			'The query parameter for the page number, if your service has one. The node then reads as many pages as it needs.',
	},
	{
		displayName: 'Page Start',
		name: 'firstPage',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1_000_000 },
		default: 0,
		description: "The number of the first page, usually 0 or 1. Only used with 'Page Parameter'.",
	},
	{
		displayName: 'Query Parameters',
		name: 'queryParameters',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Parameter',
		default: {},
		description: 'Filters to send with the request, as documented by your service',
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
						placeholder: 'e.g. chat',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. 5',
					},
				],
			},
		],
	},
];

/** How to request the list of messages. */
export interface ListQuery {
	/** Names and values, in order. */
	query: Array<[string, string]>;
	/** Undefined if there is only one page to read. */
	paging?: { parameter: string; firstPage: number; maxPages: number };
}

/**
 * Reads these options.
 *
 * @param option returns the value of an option, or the fallback if it is not set
 * @throws InvalidInputError naming the option
 */
export function readListQuery(option: (name: string, fallback: unknown) => unknown): ListQuery {
	const rows = option('queryParameters.parameters', []);
	const query = (Array.isArray(rows) ? rows : []).map(readRow);
	const parameter = option('pageParameter', '') ?? '';
	if (typeof parameter !== 'string') {
		throw new InvalidInputError(
			"'Page Parameter' is not text",
			'Enter the name of the query parameter, e.g. page, or remove the option.',
		);
	}
	const name = parameter.trim();
	if (name === '') return { query };
	if (query.some(([other]) => other === name)) {
		throw new InvalidInputError(
			`'${name}' is both the 'Page Parameter' and one of the 'Query Parameters'`,
			'Remove it from one of them.',
		);
	}
	const firstPage = readNumber(
		listOptions,
		'firstPage',
		option,
		'Enter the number of the first page at your service, usually 0 or 1.',
		true,
	);
	const maxPages = readNumber(
		listOptions,
		'maxPages',
		option,
		'Enter a number in this range, or remove the option.',
		true,
	);
	return { query, paging: { parameter: name, firstPage, maxPages } };
}

/** @throws InvalidInputError if the row is incomplete */
function readRow(row: { name?: unknown; value?: unknown } | null, index: number): [string, string] {
	const name = row?.name ?? '';
	const value = row?.value ?? '';
	if (name === '') {
		throw new InvalidInputError(
			`Row ${index + 1} of 'Query Parameters' has no name`,
			'Enter a name, or remove the row.',
		);
	}
	if (typeof name === 'object' || typeof value === 'object') {
		throw new InvalidInputError(
			`Row ${index + 1} of 'Query Parameters' is not text`,
			'It is a list or an object: select the field that holds the text.',
		);
	}
	return [String(name), String(value)];
}
