import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	getExecutionOrigin,
	onExecutionStored,
} from '../../../../nodes/MessagingAccount/n8n/executions';

/** The part of n8n that is used. @param more of the context, or instead of it */
function execute(more: Partial<IExecuteFunctions> = {}) {
	const handlers: Array<() => void> = [];
	const context = { onExecutionFinish: (handler: () => void) => handlers.push(handler), ...more };
	const callback = jest.fn();
	onExecutionStored(context as unknown as IExecuteFunctions, callback);
	return { callback, tellEnd: () => handlers.forEach((handler) => handler()) };
}

test('calls back once n8n tells that it has stored the execution, which may be twice', () => {
	const { callback, tellEnd } = execute();
	expect(callback).not.toHaveBeenCalled();
	tellEnd();
	tellEnd();
	expect(callback).toHaveBeenCalledTimes(1);
});

test.each([true, false])('does not call back if the execution was canceled: %j', (isCanceled) => {
	const signal = isCanceled ? AbortSignal.abort() : new AbortController().signal;
	const { callback, tellEnd } = execute({ getExecutionCancelSignal: () => signal });
	tellEnd();
	expect(callback).toHaveBeenCalledTimes(isCanceled ? 0 : 1);
});

test('waits for no end in an n8n that does not tell it', () =>
	expect(() => execute({ onExecutionFinish: undefined })).not.toThrow());

/** A retry may run the node between again, which then returns something else. */
let editCount = 0;

/** In the part of n8n that is used: a workflow of a trigger, a node, and the tested node. */
function originOf(resumeUrl: string, triggered: IDataObject = {}, isExecuted = true) {
	const parents: Record<string, string[]> = {
		Tested: ['Edit Fields', 'Webhook'],
		'Edit Fields': ['Webhook'],
		Webhook: [],
	};
	return getExecutionOrigin({
		getNode: () => ({ name: 'Tested' }),
		getParentNodes: (name: string) => parents[name].map((parent) => ({ name: parent })),
		getWorkflowDataProxy: () => ({
			$execution: { resumeUrl },
			$runIndex: 0,
			$: (name: string) => ({
				isExecuted,
				all: () => [{ json: name === 'Webhook' ? triggered : { editedAt: editCount++ } }],
			}),
		}),
	} as unknown as IExecuteFunctions);
}

test('the origin of an execution is the secret in the address for resuming, whatever the execution and the trigger', () => {
	const first = originOf('http://n8n/webhook-waiting/1?signature=a');
	expect(first.hasSecret).toBe(true);
	expect(first.key).not.toContain('a?');
	expect(originOf('http://n8n/webhook-waiting/2?signature=a', { b: 1 })).toEqual(first);
	expect(originOf('http://n8n/webhook-waiting/1?signature=b')).not.toEqual(first);
});

test('without one, it is what the trigger returned', () => {
	const url = 'http://n8n/webhook-waiting/1';
	const first = originOf(url, { order: 1 });
	expect(first.hasSecret).toBe(false);
	expect(originOf('http://n8n/webhook-waiting/2', { order: 1 })).toEqual(first);
	expect(originOf(url, { order: 2 })).not.toEqual(first);
	expect(originOf(url, { order: 1 }, false)).not.toEqual(first);
});
