import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import { hash } from '../shared/hash';

/**
 * Identifies what an execution and its retries have in common. n8n gives each start a secret, which signs `$execution.resumeUrl`,
 * and its retries inherit it, even after a crash. n8n 1 and early versions of n8n 2 have none: there, it is what the trigger
 * returned. n8n's new engine (module `engine-v2`) gives each step another secret, and begins each with an empty context; there, it is
 * that step of the execution, whose ID is a UUID instead of a number.
 *
 * @returns the key, whether no other start can have the same one, and whether "Retry execution" has it
 */
export function getExecutionOrigin(context: IExecuteFunctions) {
	const proxy = context.getWorkflowDataProxy(0);
	const executionId = context.getExecutionId();
	if (executionId?.includes('-')) {
		return { key: hash(`${executionId} ${proxy.$runIndex}`), isUnique: true, isInherited: false };
	}
	const { resumeUrl }: { resumeUrl: string } = proxy.$execution;
	const { search } = new URL(resumeUrl);
	const isUnique = search !== '';
	const origin = isUnique ? search : JSON.stringify(readTriggers(context, proxy));
	return { key: hash(origin), isUnique, isInherited: true };
}

function readTriggers(context: IExecuteFunctions, proxy: IWorkflowDataProxyData): unknown[] {
	const triggers = context
		.getParentNodes(context.getNode().name)
		.filter(({ name }) => context.getParentNodes(name).length === 0);
	return triggers.map(({ name }) => {
		const node: { isExecuted: boolean; all(): unknown[] } = proxy.$(name);
		return node.isExecuted ? node.all() : [];
	});
}
