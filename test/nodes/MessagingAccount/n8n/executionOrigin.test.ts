import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { getExecutionOrigin } from '../../../../nodes/MessagingAccount/n8n/executionOrigin';

/** A retry may run the node between again, which then returns something else. */
let editCount = 0;

/** The part of n8n that is used: a workflow of a trigger, a node, and the tested node. */
function createContext(
	resumeUrl: string,
	triggered: IDataObject = {},
	isExecuted = true,
	executionId?: string,
) {
	const parents: Record<string, string[]> = {
		Tested: ['Edit Fields', 'Webhook'],
		'Edit Fields': ['Webhook'],
		Webhook: [],
	};
	return {
		getExecutionId: () => executionId,
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
	} as unknown as IExecuteFunctions;
}

const originOf = (...args: Parameters<typeof createContext>) =>
	getExecutionOrigin(createContext(...args));

test('is the secret in the address for resuming, whatever the execution and the trigger', () => {
	const first = originOf('http://n8n/webhook-waiting/1?signature=a');
	expect(first.isUnique).toBe(true);
	expect(first.key).not.toContain('a?');
	expect(originOf('http://n8n/webhook-waiting/2?signature=a', { b: 1 })).toEqual(first);
	expect(originOf('http://n8n/webhook-waiting/1?signature=b')).not.toEqual(first);
});

test('without one, is what the trigger returned', () => {
	const url = 'http://n8n/webhook-waiting/1';
	const first = originOf(url, { order: 1 });
	expect(first.isUnique).toBe(false);
	expect(originOf('http://n8n/webhook-waiting/2', { order: 1 })).toEqual(first);
	expect(originOf(url, { order: 2 })).not.toEqual(first);
	expect(originOf(url, { order: 1 }, false)).not.toEqual(first);
});

test("in n8n's new engine, is the execution's ID, which a retry does not inherit", () => {
	const originIn = (executionId: string, signature: string) =>
		originOf(`http://n8n/webhook-waiting/1?signature=${signature}`, {}, true, executionId);
	const first = originIn('0199b3c2-7d1e-7a40-9c55-3f1d2a6b8e90', 'a');
	expect(first).toMatchObject({ isUnique: true, isInherited: false });
	expect(originIn('0199b3c2-7d1e-7a40-9c55-3f1d2a6b8e90', 'b')).toEqual(first);
	expect(originIn('0199b3c2-7d1e-7a40-9c55-3f1d2a6b8e91', 'a').key).not.toBe(first.key);
	expect(originIn('1', 'a')).toMatchObject({ isUnique: true, isInherited: true });
});
