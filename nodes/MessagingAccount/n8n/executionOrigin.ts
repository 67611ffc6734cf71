import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import { hash } from '../shared/hash';

/**
 * Identifies what an execution and its retries have in common. n8n gives each start a secret, which signs `$execution.resumeUrl`,
 * and its retries inherit it, even after a crash. n8n 1 and early versions of n8n 2 have none: there, it is what the trigger
 * returned.
 *
 * @returns `isUnique` is false if another start may have the same key
 */
export function getExecutionOrigin(context: IExecuteFunctions): { key: string; isUnique: boolean } {
	const proxy = context.getWorkflowDataProxy(0);
	const { resumeUrl } = proxy.$execution as { resumeUrl: string };
	const { search } = new URL(resumeUrl);
	return search === ''
		? { key: hash(JSON.stringify(readTriggers(context, proxy))), isUnique: false }
		: { key: hash(search), isUnique: true };
}

function readTriggers(context: IExecuteFunctions, proxy: IWorkflowDataProxyData): unknown[] {
	const triggers = context
		.getParentNodes(context.getNode().name)
		.filter(({ name }) => context.getParentNodes(name).length === 0);
	return triggers.map(({ name }) => {
		const node = (proxy.$ as (name: string) => { isExecuted: boolean; all(): unknown[] })(name);
		return node.isExecuted ? node.all() : [];
	});
}
