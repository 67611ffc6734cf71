import type { ProcessedData } from '../n8n/processedData';
import type { ExecutionKeys } from './executionKeys';

/*
 * Executions that retry one another are numbered from 1, in the order in which they reach the node.
 *
 * This must always be true: no two of them have the same number, and none has that of one whose keys are lost. All promises may reject with
 * a DatabaseError.
 */

/**
 * Returns why keys that a retry needs are lost; undefined if they are not. @param number the one that the retry would have
 *
 * | on record, of the previous, this and the next number, and of the nodes | what happened | lost |
 * | --- | --- | --- |
 * | the node's name, neither the previous number nor this one | the node was deleted and pasted back: it has another ID | pasted |
 * | the next number, not this one | this one ended after its retry had begun | ended |
 * | the previous number or this one | n8n crashed, or it is the next retry | – |
 * | no number, and only nodes of other names | the node is a new one, or had another name | replaced |
 * | nothing, in a record that is nearly full | n8n dropped it | dropped |
 * | nothing, in any other | it ended, and the log knows all | – |
 */
export async function findLoss(data: ProcessedData, keys: ExecutionKeys, number: number) {
	const executions = numbersFrom(number - 1, 3).map(keys.execution);
	const found = await data.findSure([...executions, ...keys.nodes]);
	const [hasPrevious, hasThis, hasNext] = executions.map((key) => found.has(key));
	const [hasName, hasAnyNode, hasSameNodes] = keys.nodes.map((key) => found.has(key));
	if (hasName && !hasPrevious && !hasThis) return 'pasted';
	if (hasNext && !hasThis) return 'ended';
	if (hasPrevious || hasThis) return undefined;
	if (hasAnyNode && !hasSameNodes) return 'replaced';
	return keys.isUnique && (await data.mayHaveDropped()) ? 'dropped' : undefined;
}

/** Skips numbers that are taken, in blocks of 1, 2, 4, … Without a secret, there may be many. */
export async function skipTaken(
	data: ProcessedData,
	keys: ExecutionKeys,
	number: number,
	count = 1,
): Promise<number> {
	if (keys.isUnique) return number;
	const taken = await data.find(numbersFrom(number, count).map(keys.execution));
	const next = number + taken.size;
	return taken.size < count ? next : await skipTaken(data, keys, next, 2 * count);
}

/** Returns those that a retry continues: of equal executions, only the last one that was no retry counts, and its retries. */
export async function sinceLastFresh(data: ProcessedData, keys: ExecutionKeys, numbers: number[]) {
	if (keys.isUnique) return numbers;
	const found = await data.findSure(numbers.map(keys.fresh));
	const last = Math.max(0, ...numbers.filter((one) => found.has(keys.fresh(one))));
	return numbers.filter((one) => one >= last);
}

/** @example numbersFrom(3, 2) // [3, 4] */
export const numbersFrom = (first: number, length: number) =>
	Array.from({ length }, (_, i) => first + i);
