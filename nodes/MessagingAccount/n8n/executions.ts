import type { IExecuteFunctions } from 'n8n-workflow';

import { hash } from '../shared/hash';
import { getCancelSignal } from './cancelSignal';
import { isToolNode } from './isToolNode';

/** Returns the number of earlier runs of the node in this execution, e.g. in rounds of a loop. */
export const getRunIndex = (context: IExecuteFunctions): number =>
	context.getWorkflowDataProxy(0).$runIndex;

/**
 * Returns a key that an execution and its retries have in common, and whether no other start can have the same one. n8n gives each start a
 * secret, which signs `$execution.resumeUrl`, and its retries inherit it. Until early n8n 2, the key is made from the output of the trigger.
 */
export function getExecutionOrigin(context: IExecuteFunctions) {
	const { resumeUrl }: { resumeUrl: string } = context.getWorkflowDataProxy(0).$execution;
	const { search } = new URL(resumeUrl);
	if (search !== '') return { key: hash(search), isUnique: true };
	const parents = context.getParentNodes(context.getNode().name);
	const triggers = parents.filter(({ name }) => isTrigger(context, name));
	const outputs = triggers.map(({ name }) => {
		const node = findNode(context, name);
		return node.isExecuted ? node.all() : [];
	});
	return { key: hash(JSON.stringify(outputs)), isUnique: false };
}

const isTrigger = (context: IExecuteFunctions, name: string) =>
	context.getParentNodes(name).length === 0;

function findNode(context: IExecuteFunctions, name: string) {
	const node: unknown = context.getWorkflowDataProxy(0).$(name);
	return node as { isExecuted: boolean; all(output?: number): unknown[] | null };
}

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
	const isReachedOnce = [node, ...ancestors].every(({ name, type }) => {
		const parents = context.getParentNodes(name, { depth: 1 });
		// Only one of several triggers starts an execution.
		return type === MERGE || parents.filter((one) => !isTrigger(context, one.name)).length <= 1;
	});
	return isReachedOnce && [...names].every((name) => countOutputs(context, name) <= 1);
}

/** Returns the number of outputs on which a node has items. */
function countOutputs(context: IExecuteFunctions, name: string): number {
	const node = findNode(context, name);
	let count = 0;
	try {
		for (let output = 0; node.isExecuted && output < MAX_OUTPUTS; output++)
			if (node.all(output)?.length) count++;
	} catch {
		// There is no such output.
	}
	return count;
}
