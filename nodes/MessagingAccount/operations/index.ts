import type { NodeHint } from 'n8n-workflow';

import { createProperties, createSubtitle } from '../parameters/nodeProperties';
import { getMessages } from './getMessages.operation';
import { getStatus } from './getStatus.operation';
import type { Operation } from './operation';
import { sendImage } from './sendImage.operation';
import { timeoutOption } from './timeout';

/** All operations, sorted by name, as n8n wants its lists. */
export const operations: Operation[] = [getMessages, getStatus, sendImage];

export const properties = createProperties(
	{ displayName: 'Operation', name: 'operation', default: 'sendImage' },
	operations.map((one) => ({ ...one, options: [...one.options, timeoutOption] })),
);

/** The note on the canvas that nothing is sent. */
const DRY_RUN = '{{ $parameter["options"]["dryRun"] === true ? " (dry run)" : "" }}';

export const subtitle = `${createSubtitle('operation', operations)}${DRY_RUN}`;

/** Hints for the output pane before the node has an output. */
export const hints: NodeHint[] = operations.flatMap((operation) => operation.hints ?? []);
