import type { INodeProperties } from 'n8n-workflow';

import { readWholeNumber, toNumber } from '../parameters';
import { InvalidInput } from '../service/errors';

const DEFAULT_FIRST_PAGE = 0;
const DEFAULT_MAX_PAGES = 10;
const MOST_PAGES = 100;

/** What asking for the list of messages adds to the collection "Options": the document of the service shows none of it. */
export const listOptions: INodeProperties[] = [
	{
		displayName: 'First Page',
		name: 'firstPage',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_FIRST_PAGE,
		description: "The number of the first page, where 'Page Parameter' is set: 0 or 1 as a rule",
	},
	{
		displayName: 'Max Pages',
		name: 'maxPages',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST_PAGES },
		default: DEFAULT_MAX_PAGES,
		description: "How many pages are read at most, where 'Page Parameter' is set",
	},
	{
		displayName: 'Page Parameter',
		name: 'pageParameter',
		type: 'string',
		default: '',
		placeholder: 'e.g. page',
		description:
			'The query parameter that takes the number of a page, if your service has one. Further pages are then read as far as they are needed.',
	},
	{
		displayName: 'Query Parameters',
		name: 'queryParameters',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Parameter',
		default: {},
		description: 'Filters that your service documents, sent with the request',
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

/** How to ask for the list of messages. */
export interface Listing {
	/** Name and value, in their order. */
	query: Array<[string, string]>;
	/** Undefined where there is only one page to read. */
	paging?: { parameter: string; firstPage: number; maxPages: number };
}

/**
 * Reads these options.
 *
 * @param option gives the value of one, or what it is where it is not set
 * @throws InvalidInput naming the option
 */
export function readListing(option: (name: string, fallback: unknown) => unknown): Listing {
	const query = readRows(option('queryParameters.parameters', []));
	const parameter = option('pageParameter', '') ?? '';
	if (typeof parameter !== 'string') {
		throw new InvalidInput(
			"'Page Parameter' is not a text",
			'Enter the name of the query parameter, e.g. page, or take the option out.',
		);
	}
	const name = parameter.trim();
	if (name === '') return { query };
	if (query.some(([other]) => other === name)) {
		throw new InvalidInput(
			`'${name}' is both the 'Page Parameter' and one of the 'Query Parameters'`,
			'Take it out of one of them.',
		);
	}
	const firstPage = toNumber(option('firstPage', DEFAULT_FIRST_PAGE));
	if (!Number.isSafeInteger(firstPage) || firstPage < 0) {
		throw new InvalidInput(
			"'First Page' is not a whole number from 0 on",
			'Enter the number that your service gives its first page: 0 or 1 as a rule.',
		);
	}
	const maxPages = readWholeNumber(
		option('maxPages', DEFAULT_MAX_PAGES),
		'Max Pages',
		[1, MOST_PAGES],
		'Enter one, or take the option out.',
	);
	return { query, paging: { parameter: name, firstPage, maxPages } };
}

/**
 * The rows of 'Query Parameters', in their order.
 *
 * @throws InvalidInput where a row is not complete
 */
export function readRows(rows: unknown): Listing['query'] {
	return (Array.isArray(rows) ? rows : []).map(readRow);
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
