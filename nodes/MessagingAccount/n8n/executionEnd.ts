import type { IExecuteFunctions } from 'n8n-workflow';

import { getCancelSignal } from '../transport/request';

/** Part of every n8n from 1.122 on, but not of its interface for nodes. */
interface LifecycleHooks {
	addHandler?(name: string, handler: (run: { status?: string }) => Promise<void>): void;
}

/**
 * Calls back when the execution has ended, after n8n's own handler that stores it. n8n does not store the nodes' contexts of an
 * execution that was canceled.
 *
 * @param callback gets whether the node's context is stored; must not throw. n8n answers a webhook after it.
 * @returns false if this n8n does not tell, or has done so already
 */
export function onExecutionStored(
	context: IExecuteFunctions,
	callback: (isStored: boolean) => void,
): boolean {
	const { additionalData } = context as { additionalData?: { hooks?: LifecycleHooks } };
	const hooks = additionalData?.hooks;
	if (!hooks?.addHandler || getCancelSignal(context)?.aborted) return false;
	hooks.addHandler('workflowExecuteAfter', async ({ status }) => callback(status !== 'canceled'));
	return true;
}
