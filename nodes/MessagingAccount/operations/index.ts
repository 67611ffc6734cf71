import type { NodeHint } from 'n8n-workflow';

import { createProperties, createSubtitle } from '../parameters/nodeProperties';
import { getMessages } from './getMessages.operation';
import { getStatus } from './getStatus.operation';
import type { Operation } from './operation';
import { sendImage } from './sendImage.operation';
import { timeoutOption } from './timeout';

/** Sorted by name, as n8n wants its lists. */
export const operations: Operation[] = [getMessages, getStatus, sendImage];

export const properties = createProperties(
	{ displayName: 'Operation', name: 'operation', default: 'sendImage' },
	operations.map((one) => ({ ...one, options: [...one.options, timeoutOption] })),
);

export const subtitle = createSubtitle('operation', operations);

/** Shown in the output pane before the node has an output. */
export const hints: NodeHint[] = operations.flatMap((operation) => operation.hints ?? []);
