import { type ProcessedData, toSureKey, toSureKeys } from '../n8n/processedData';
import type { ExecutionKeys } from './executionKeys';

type Loss = 'pasted' | 'ended' | 'replaced' | 'dropped';

/**
 * Finds the number of an execution among those that retry one another. They are numbered from 1, in the order in which they reach the node.
 *
 * This must always be true: no two of them have the same number, and none has that of one whose keys are lost. All promises may reject with
 * a DatabaseError.
 */
export class ExecutionNumber {
	constructor(
		private readonly data: ProcessedData,
		private readonly keys: ExecutionKeys,
	) {}

	/**
	 * Returns why keys that a retry needs are lost; undefined if they are not. @param number the one that it would have
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
	async findLoss(number: number): Promise<Loss | undefined> {
		const { data, keys } = this;
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

	/**
	 * Takes the first free number. @param add adds keys under a number, and returns those that were there
	 * @param isFresh whether the execution is no retry, but there was an equal one before
	 */
	async take(
		first: number,
		isFresh: boolean,
		add: (number: number, keys: string[]) => Promise<Set<string>>,
	): Promise<number> {
		const { keys } = this;
		const isTaken = async (number: number) => {
			const known = await add(number, isFresh ? toSureKeys(keys.fresh(number)) : []);
			return known.has(toSureKey(keys.execution(number)));
		};
		let number = keys.isUnique ? first : await this.skipTaken(first);
		while (await isTaken(number)) number++;
		return number;
	}

	/** Skips numbers in blocks of 1, 2, 4, …, because equal executions can be many. */
	private async skipTaken(number: number, count = 1): Promise<number> {
		const taken = await this.data.find(numbersFrom(number, count).map(this.keys.execution));
		const next = number + taken.size;
		return taken.size < count ? next : await this.skipTaken(next, 2 * count);
	}

	/** Returns those that a retry continues: of equal executions, only the last one that was no retry counts, and its retries. */
	async sinceLastFresh(numbers: number[]): Promise<number[]> {
		const { fresh, isUnique } = this.keys;
		if (isUnique) return numbers;
		const found = await this.data.findSure(numbers.map(fresh));
		const last = Math.max(0, ...numbers.filter((one) => found.has(fresh(one))));
		return numbers.filter((one) => one >= last);
	}
}

/** @example numbersFrom(3, 2) // [3, 4] */
export const numbersFrom = (first: number, length: number) =>
	Array.from({ length }, (_, i) => first + i);
