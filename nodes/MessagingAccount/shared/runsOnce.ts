import type { IExecuteFunctions } from 'n8n-workflow';

import { isToolNode } from './isToolNode';

/** The type of node that waits for all its inputs, then runs once. */
const MERGE = 'n8n-nodes-base.merge';

const MAX_OUTPUTS = 100;

/**
 * Whether the node certainly gets all its items in one run: it is in no loop, and no two branches lead to it. n8n does not reveal which
 * outputs are connected to the node: if a node before it has items on two outputs, both may lead to it.
 */
export function runsOnce(context: IExecuteFunctions): boolean {
	const node = context.getNode();
	if (isToolNode(node)) return false;
	const ancestors = context.getParentNodes(node.name);
	const names = new Set(ancestors.map(({ name }) => name));
	if (context.getChildNodes(node.name).some(({ name }) => names.has(name))) return false;
	// Only one of several triggers starts an execution.
	const isTrigger = (name: string) => context.getParentNodes(name).length === 0;
	const isReachedOnce = [node, ...ancestors].every(({ name, type }) => {
		const parents = context.getParentNodes(name, { depth: 1 });
		return type === MERGE || parents.filter((parent) => !isTrigger(parent.name)).length <= 1;
	});
	return isReachedOnce && [...names].every((name) => countOutputs(context, name) <= 1);
}

/** Returns the number of outputs on which a node has items. */
function countOutputs(context: IExecuteFunctions, name: string): number {
	const node: { isExecuted: boolean; all(output: number): unknown[] | null } = context
		.getWorkflowDataProxy(0)
		.$(name);
	let count = 0;
	try {
		for (let output = 0; node.isExecuted && output < MAX_OUTPUTS; output++)
			if (node.all(output)?.length) count++;
	} catch {
		// There is no such output.
	}
	return count;
}
