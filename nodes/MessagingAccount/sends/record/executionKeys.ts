import type { IExecuteFunctions } from 'n8n-workflow';

import { getExecutionOrigin, listEqualNodes } from '../../n8n/executions';
import { hash } from '../../shared/hash';

export type ExecutionKeys = ReturnType<typeof createExecutionKeys>;

/**
 * Creates the keys of an execution and its retries, but for those of attempts.
 * @example keys.run(2, 1) // '<ID of the node>:<origin>:run:2:1', of the first run in the first retry
 */
export function createExecutionKeys(context: IExecuteFunctions) {
	const { id, name } = context.getNode();
	const { key: origin, hasSecret } = getExecutionOrigin(context);
	const listed = (one: string) => [hash(one), origin, 'listed'].join(':');
	const create = (...parts: Array<string | number>) => [id, origin, ...parts].join(':');
	return {
		/** Whether no other start has the same keys. Without a secret, all executions with the same data of the trigger have. */
		hasSecret,
		create,
		/** Added by each call of a look-up, and removed with the keys that were not there. If it stays, a look-up was interrupted. */
		lookUp: create('look-up'),
		/** Of this node's name, and of any node that sends: without the ID of the node, which changes if the node is deleted and pasted back. */
		nodes: {
			name: [hash(name), origin, 'name'].join(':'),
			any: [origin, 'any'].join(':'),
			/** The first node that sends puts it on record for all that may: `allListed`. */
			listed: listed(name),
		},
		allListed: listEqualNodes(context).map(listed),
		execution: (number: number) => create('execution', number),
		/** The witness and, behind it, the owner: see `ExecutionRecord.addAttempts`. */
		fence: (number: number) => [create('witness', number), create('owner', number)],
		/** That the execution is no retry, although there was an equal one before. */
		fresh: (number: number) => create('fresh', number),
		/** That a run of the node has put something on record. */
		run: (number: number, run: number) => create('run', number, run),
	};
}
