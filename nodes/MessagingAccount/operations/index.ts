import { updateDisplayOptions, type INodeProperties, type NodeHint } from 'n8n-workflow';

import { createOptions, createSubtitle } from '../parameters/nodeProperties';
import * as list from './list';
import type { Operation } from './operation';
import { timeoutOption } from './timeout';

/** Sorted by name, as n8n wants its lists. */
export const operations: Operation[] = Object.values(list).sort((a, b) =>
	a.entry.name.localeCompare(b.entry.name, 'en'),
);

const entries = operations.map(({ entry }) => entry);

/** The parameters of the node: the operation, then the parameters and options of each. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: entries,
		default: 'sendImage',
	},
	...operations.flatMap(({ entry, parameters, options }) =>
		updateDisplayOptions({ show: { operation: [entry.value] } }, [
			...parameters,
			createOptions([...options, timeoutOption]),
		]),
	),
];

export const subtitle = createSubtitle('operation', entries);

/** Shown in the output pane before the node has an output. */
export const hints: NodeHint[] = operations.flatMap((operation) => operation.hints ?? []);
