import type { IExecuteFunctions } from 'n8n-workflow';

/** Part of every n8n from 1.122 on, but not of its interface for nodes. */
interface WithLifecycleHooks {
	additionalData?: {
		hooks?: {
			addHandler?(hookName: 'workflowExecuteAfter', handler: () => Promise<void>): void;
		};
	};
}

/**
 * Calls back when n8n has stored the execution at its end: n8n's own handler for that was added before.
 *
 * @param callback must not throw
 * @returns false if this n8n does not tell
 */
export function onExecutionStored(
	context: IExecuteFunctions,
	callback: () => Promise<void>,
): boolean {
	const { hooks } = (context as WithLifecycleHooks).additionalData ?? {};
	if (!hooks?.addHandler) return false;
	hooks.addHandler('workflowExecuteAfter', callback);
	return true;
}
