import type { INode, INodeExecutionData, NodeError } from 'n8n-workflow';

import { isToolNode } from '../shared/isToolNode';
import { createErrorDetails } from './errorDetails';
import { describeProgress, type ItemError } from './itemProgress';
import { createNodeError } from './nodeError';
import { toOneText } from './oneText';

/**
 * Creates the error to throw with On Error "Stop Workflow".
 *
 * @param sends whether the operation sends
 * @param failed at least one; the error is about the first
 * @param outputs for each input item its output items
 * @param isManual whether the workflow was executed in the editor
 */
export function createStopError(
	node: INode,
	sends: boolean,
	[{ itemIndex, error }, ...others]: ItemError[],
	outputs: INodeExecutionData[][],
	isManual: boolean,
): NodeError {
	const { length } = outputs;
	const { message, ...details } = createErrorDetails(error, sends, itemIndex, length);
	const progress = sends && length > 1 && describeProgress(sends, others, outputs, isManual);
	const description = [details.description, progress].filter(Boolean).join(' ');
	// n8n passes only the message on to an agent. Without the description the agent would not know what to correct, or that
	// the image may have been sent.
	const text = isToolNode(node) ? toOneText({ message, description }) : message;
	return createNodeError(node, error, text, { description, itemIndex });
}
