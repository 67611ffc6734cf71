import type { IExecuteFunctions } from 'n8n-workflow';

import { getCancelSignal } from '../transport/request';

/** Whether this n8n tells nodes that an execution has ended: from 2.33 on. */
export function supportsOnExecutionFinish(context: IExecuteFunctions): boolean {
	return context.onExecutionFinish !== undefined;
}

/**
 * Calls back when the execution has ended, after n8n's own handler that stores it. n8n does not store the nodes' contexts of an
 * execution that was canceled.
 *
 * @param callback gets whether the node's context is stored; called once, and n8n answers a webhook after it. Never called for an
 * execution that waits, e.g. for an answer to a form, because n8n goes on with it as if it were another one, nor in n8n's new engine,
 * nor if this comes after the end of an execution that was canceled
 * @returns false if this n8n does not tell
 */
export function onExecutionStored(
	context: IExecuteFunctions,
	callback: (isStored: boolean) => void,
): boolean {
	const signal = getCancelSignal(context);
	let isTold = false;
	// n8n may call it more than once.
	context.onExecutionFinish?.(() => {
		if (!isTold) callback(!signal?.aborted);
		isTold = true;
	});
	return supportsOnExecutionFinish(context);
}
