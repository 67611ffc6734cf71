import type { INodeProperties, NodeHint } from 'n8n-workflow';

import type { ReadParameter } from '../itemParameters';
import { optionsOf, shownForChoice, subtitleOf, toNumber } from '../parameters';
import { InvalidInput } from '../service/errors';
import { DEFAULT_TIMEOUT_MS } from '../service/request';
import * as list from './list';
import type { Operation } from './operation';

/** In the order of their names, as n8n wants its lists. */
export const operations: Operation[] = Object.values(list).sort((a, b) =>
	a.entry.name.localeCompare(b.entry.name, 'en'),
);

/** Node.js takes a longer one for 1 ms. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const TIMEOUT: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: LONGEST_TIMEOUT_MS },
	default: DEFAULT_TIMEOUT_MS,
	description: 'How long to wait for the answer of the service, in milliseconds',
};

/** The parameters of the node: which operation, then what each of them asks for, then its options. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: operations.map(({ entry }) => entry),
		default: 'sendImage',
	},
	...operations.flatMap((operation) => [
		...operation.parameters.map((parameter) => shownFor(operation, parameter)),
		shownFor(operation, optionsOf([...operation.options, TIMEOUT])),
	]),
];

function shownFor({ entry }: Operation, parameter: INodeProperties): INodeProperties {
	return shownForChoice('operation', entry.value, parameter);
}

export const subtitle = subtitleOf(
	'operation',
	operations.map(({ entry }) => entry),
);

/** What n8n shows where the output will be. */
export const hints: NodeHint[] = operations.flatMap((operation) => operation.hints ?? []);

/**
 * Reads the option "Timeout".
 *
 * @returns ms
 * @throws InvalidInput where it is no time
 */
export function readTimeout(readParameter: ReadParameter, itemIndex: number): number {
	const timeout = toNumber(readParameter('options.timeout', itemIndex, DEFAULT_TIMEOUT_MS));
	if (!(timeout >= 1 && timeout <= LONGEST_TIMEOUT_MS)) {
		throw new InvalidInput(
			`'Timeout' is not a number of milliseconds from 1 to ${LONGEST_TIMEOUT_MS}`,
			'Enter one, e.g. 60000 for a minute, or take the option out.',
		);
	}
	return timeout;
}
