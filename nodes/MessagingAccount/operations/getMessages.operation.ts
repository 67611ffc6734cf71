import type { ReadParameter } from '../itemParameters';
import { listOptions, readListing } from '../messages/listOptions';
import { readPages, requestOfPage } from '../messages/pages';
import { readWholeNumber } from '../parameters';
import { messageAsJson, readMessages } from '../service/answers';
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
			hint: 'The service lists the last 100 messages at most, sent and received. Older ones cannot be had.',
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
	options: listOptions,
	sends: false,
	prepare(readParameter, itemIndex) {
		const limit = readLimit(readParameter, itemIndex);
		const listing = readListing((option, fallback) =>
			readParameter(`options.${option}`, itemIndex, fallback),
		);
		return {
			request: requestOfPage(listing, 0),
			async toItems(answer, read) {
				const { pages } = await readPages(readMessages(answer), listing, {
					read,
					keyOf: (message) => JSON.stringify(message),
					isEnough: (soFar) => limit !== undefined && soFar.flat().length >= limit,
				});
				return pages
					.flat()
					.slice(0, limit)
					.map((message) => ({ json: messageAsJson(message) }));
			},
		};
	},
};

function readLimit(readParameter: ReadParameter, itemIndex: number): number | undefined {
	if (readParameter('returnAll', itemIndex, true)) return undefined;
	return readWholeNumber(
		readParameter('limit', itemIndex),
		'Limit',
		[1, MOST_MESSAGES],
		"Enter one, or switch on 'Return All'.",
	);
}
