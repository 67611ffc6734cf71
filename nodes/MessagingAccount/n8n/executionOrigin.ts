import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import { hash } from '../shared/hash';

/**
 * Returns a key that an execution and its retries have in common, and whether no other start can have the same one. n8n gives each start a
 * secret, which signs `$execution.resumeUrl`, and its retries inherit it, even after a crash. n8n 1 and early versions of n8n 2 have none:
 * there, the key is made from the output of the trigger.
 */
export function getExecutionOrigin(context: IExecuteFunctions) {
	const proxy = context.getWorkflowDataProxy(0);
	const { resumeUrl }: { resumeUrl: string } = proxy.$execution;
	const { search } = new URL(resumeUrl);
	const isUnique = search !== '';
	const origin = isUnique ? search : JSON.stringify(readTriggers(context, proxy));
	return { key: hash(origin), isUnique };
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
