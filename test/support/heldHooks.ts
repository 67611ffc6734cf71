import { ExecutionLifecycleHooks } from 'n8n-core';

/** Hooks of an execution that goes on after the node: nothing is stored until a test says so. */
export class HeldHooks extends ExecutionLifecycleHooks {
	constructor() {
		super('webhook', '1', {} as never);
	}

	/** Called when the node has been executed. */
	onNodeExecuted = () => {};

	override async runHook(name: string): Promise<void> {
		if (name === 'nodeExecuteAfter') this.onNodeExecuted();
	}

	/** What n8n does at the end of an execution. */
	async store(): Promise<void> {
		await super.runHook('workflowExecuteAfter', [{ status: 'success' } as never, {}]);
	}
}
