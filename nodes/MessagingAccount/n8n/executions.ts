import type { IExecuteFunctions } from 'n8n-workflow';

import { hash } from '../shared/hash';
import { getCancelSignal } from './cancelSignal';

/** Returns the number of earlier runs of the node in this execution, e.g. in rounds of a loop. */
export const getRunIndex = (context: IExecuteFunctions): number =>
	context.getWorkflowDataProxy(0).$runIndex;

/** What n8n's `$('name')` gives. */
interface NodeOutput {
	isExecuted: boolean;
	all(): unknown[] | null;
}

/**
 * Returns a key that an execution and its retries have in common, and whether no other start can have the same one. n8n gives each start a
 * secret, which signs `$execution.resumeUrl`, and its retries inherit it. Until early n8n 2, the key is made from the output of the trigger.
 */
export function getExecutionOrigin(context: IExecuteFunctions) {
	const { resumeUrl }: { resumeUrl: string } = context.getWorkflowDataProxy(0).$execution;
	const { search } = new URL(resumeUrl);
	if (search !== '') return { key: hash(search), hasSecret: true };
	const parents = context.getParentNodes(context.getNode().name);
	const triggers = parents.filter(({ name }) => context.getParentNodes(name).length === 0);
	const outputs = triggers.map(({ name }) => {
		const node = context.getWorkflowDataProxy(0).$(name) as NodeOutput;
		return node.isExecuted ? node.all() : [];
	});
	return { key: hash(JSON.stringify(outputs)), hasSecret: false };
}

/** Returns the names of the nodes of the same type that may run in this execution: not those behind triggers that did not start it. */
export function listEqualNodes(context: IExecuteFunctions): string[] {
	const { name, type } = context.getNode();
	const { $ } = context.getWorkflowDataProxy(0) as { $(name: string): NodeOutput };
	const parents = context.getParentNodes(name);
	const isExecuted = (one: { name: string }) => $(one.name).isExecuted;
	const isTrigger = (one: { name: string }) => context.getParentNodes(one.name).length === 0;
	// One that was renamed since counts as not executed.
	const isKnown = parents.some((one) => isTrigger(one) && isExecuted(one));
	const before = isKnown ? parents.filter(isExecuted) : parents;
	const nodes = before.flatMap((one) => [one, ...context.getChildNodes(one.name)]);
	const equal = nodes.filter((one) => one.type === type);
	return [...new Set([name, ...equal.map((one) => one.name)])].sort();
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
