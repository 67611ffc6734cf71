import { ExecutionLifecycleHooks } from 'n8n-core';

/** Hooks of an execution that goes on after the node: nothing is stored until a test says so. */
export class UnfinishedExecution extends ExecutionLifecycleHooks {
	constructor() {
		super('webhook', '1', {} as never);
	}

	override async runHook(): Promise<void> {}

	/** What n8n does at the end of an execution. */
	async store(): Promise<void> {
		await super.runHook('workflowExecuteAfter', [{ status: 'success' } as never, {}]);
	}
}
