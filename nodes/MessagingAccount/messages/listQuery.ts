import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import { readName, readNumber, type ReadOption } from '../parameters/optionReaders';
import { cleanText, isEmpty, SWITCH_TO_EXPRESSION } from '../parameters/text';

/** A row of Query Parameters. */
const PARAMETER: INodeProperties[] = [
	{ displayName: 'Name', name: 'name', type: 'string', default: '', placeholder: 'e.g. chat' },
	{ displayName: 'Value', name: 'value', type: 'string', default: '', placeholder: 'e.g. 5' },
];

/** Options of every request for the list of messages. Query parameters are not specified: docs/design/service.md, "Messages". */
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
			"The query parameter for the page number, if your service has one. The node then reads pages up to 'Page Limit'.",
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
		placeholder: 'Add parameter',
		default: {},
		description: 'Filters to send with the request, as documented by your service',
		options: [{ displayName: 'Parameter', name: 'parameters', values: PARAMETER }],
	},
];

/** How to request the list of messages: `paging` is undefined if there is only one page to read. */
export type ListQuery = ReturnType<typeof readListQuery>;

/** @throws InvalidInputError naming the option */
export function readListQuery(option: ReadOption) {
	const rows = option('queryParameters.parameters', []);
	const query = (Array.isArray(rows) ? rows : []).map(readRow);
	const value = option('pageParameter', '');
	const parameter = readName(value, 'Page Parameter', 'the query parameter, e.g. page');
	if (parameter === '') return { query };
	if (query.some(([name]) => name === parameter)) {
		const twice = `'${parameter}' is both the 'Page Parameter' and one of the 'Query Parameters'`;
		throw new InvalidInputError(twice, 'Remove it from one of them.');
	}
	const startAdvice = 'Enter the number of the first page at your service, usually 0 or 1.';
	const firstPage = readNumber(listOptions, 'firstPage', option, startAdvice, true);
	const maxPages = readNumber(listOptions, 'maxPages', option, undefined, true);
	return { query, paging: { parameter, firstPage, maxPages } };
}

/** Reads one of the query parameters. @throws InvalidInputError naming the row */
function readRow(row: { name?: unknown; value?: unknown } | null, index: number): [string, string] {
	const name = row?.name ?? '';
	const value = row?.value ?? '';
	const refusal = (reason: string, advice: string) =>
		new InvalidInputError(`Row ${index + 1} of 'Query Parameters' ${reason}`, advice);
	if (isEmpty(name)) throw refusal('has no name', 'Enter a name, or remove the row.');
	if (typeof name === 'object' || typeof value === 'object') {
		const advice = 'It is a list or an object: select the field that holds the text.';
		throw refusal('is not text', advice);
	}
	if (`${String(name)}${String(value)}`.includes('{{'))
		throw refusal('contains {{', SWITCH_TO_EXPRESSION);
	return [cleanText(String(name)), String(value)];
}
