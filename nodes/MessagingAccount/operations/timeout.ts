import type { INodeProperties } from 'n8n-workflow';

import { readNumber } from '../parameters/numericParameter';
import type { ReadParameter } from '../parameters/parameterReader';
import { DEFAULT_TIMEOUT_MS } from '../transport/request';

/** The option "Timeout", which every operation has. */
export const timeoutOption: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	// Node.js treats a longer timeout as 1 ms.
	typeOptions: { minValue: 1, maxValue: 2 ** 31 - 1 },
	default: DEFAULT_TIMEOUT_MS,
	description: 'How long to wait for a response from the service, in milliseconds',
};

/** Reads the option, in ms. @throws InvalidInputError naming the option */
export function readTimeout(readParameter: ReadParameter, itemIndex: number): number {
	const read = (name: string, fallback: unknown) =>
		readParameter(`options.${name}`, itemIndex, fallback);
	const advice = 'Enter a number in this range, e.g. 60000 for a minute, or remove the option.';
	return readNumber([timeoutOption], 'timeout', read, advice);
}
