import type { IExecuteFunctions } from 'n8n-workflow';

import { getCancelSignal } from '../transport/request';

/**
 * Calls back when the execution has ended, after n8n's own handler that stores it. n8n does not store the nodes' contexts of an
 * execution that was canceled.
 *
 * @param callback gets whether the node's context is stored; n8n may call it more than once, and answers a webhook after it. It is
 * never called for an execution that waits, e.g. for an answer to a form: n8n goes on with it as if it were another one.
 * @returns false if this n8n does not tell: before 2.33, and after an execution was canceled
 */
export function onExecutionStored(
	context: IExecuteFunctions,
	callback: (isStored: boolean) => void,
): boolean {
	const signal = getCancelSignal(context);
	if (!context.onExecutionFinish || signal?.aborted) return false;
	context.onExecutionFinish(() => callback(!signal?.aborted));
	return true;
}
