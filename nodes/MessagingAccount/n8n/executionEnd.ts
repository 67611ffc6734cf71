import type { IExecuteFunctions } from 'n8n-workflow';

import { getCancelSignal } from '../transport/request';

/**
 * Calls back once n8n has stored an execution with the nodes' contexts. It never does before n8n 2.33, if the execution was canceled, or if
 * it waits, e.g. for an answer to a form: n8n continues such an execution as if it were another one.
 */
export function onExecutionStored(context: IExecuteFunctions, callback: () => void): void {
	// n8n may call it more than once, after its own handler that stores the execution.
	let isTold = false;
	context.onExecutionFinish?.(() => {
		if (!isTold && !getCancelSignal(context)?.aborted) callback();
		isTold = true;
	});
}
