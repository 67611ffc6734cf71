import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { getExecutionOrigin } from '../../../../nodes/MessagingAccount/n8n/executionOrigin';

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
