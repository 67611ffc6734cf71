import type { INode } from 'n8n-workflow';

import { hash } from '../shared/hash';

/** Creates the keys of an execution and its retries, but for those of attempts. @param origin what an execution and its retries have in common @param equal the names of all nodes that may send in them */
export function createLineageKeys({ id, name }: INode, origin: string, equal: string[]) {
	const create = (...parts: Array<string | number>) => [id, origin, ...parts].join(':');
	return {
		create,
		/** Added by each call of a look-up, and removed with the keys that were not there. If it stays, a look-up was interrupted. */
		lookUp: create('look-up'),
		/**
		 * Keys without the ID of the node, which changes if the node is deleted and pasted back: of its name, of any node that sends in these
		 * executions, and of all nodes that may.
		 */
		nodes: [
			[hash(name), origin, 'name'].join(':'),
			[origin, 'any'].join(':'),
			[origin, 'nodes', hash(equal.join())].join(':'),
		],
		execution: (number: number) => create('execution', number),
		/**
		 * The owner and, before it, a witness. Each write adds both again, and another process can only overwrite or write back both. So
		 * where only the owner is missing, a later execution has removed it. A look-up of that execution could be written back.
		 */
		owners: (number: number) => [create('witness', number), create('owner', number)],
		/** The key that is there if the execution is no retry, although there was an equal one before. */
		fresh: (number: number) => create('fresh', number),
		/** The key that is there if a run of the node has put something on record. */
		run: (number: number, run: number) => create('run', number, run),
	};
}
