import { type ProcessedData, toSureKey, toSureKeys } from '../../n8n/processedData';
import type { ExecutionKeys } from './executionKeys';

/**
 * The numbers of executions that retry one another, from 1, in the order in which they reach the node, and the fence that stops one that
 * n8n shows as ended, and that still runs, once a retry of it has begun.
 *
 * This must always be true: no two of them have the same number, and none has that of one whose keys are lost. Only the latest one may send.
 * Without a secret, nothing is fenced off: a later execution may be equal, and no retry. All promises may reject with a DatabaseError.
 */
export class ExecutionNumbers {
	/** Whether no node of these executions is on record yet. If one is, names are not listed again: a new node may be in the place of one that has sent. */
	private isFirstNode = true;

	constructor(
		private readonly data: ProcessedData,
		private readonly keys: ExecutionKeys,
	) {}

	/**
	 * Whether keys that a retry needs are lost: see the first row that fits. @param number the one that the retry would have
	 *
	 * | on record | what happened | lost |
	 * | --- | --- | --- |
	 * | this number | another retry has taken it | no |
	 * | the next number | this one ended after its retry had begun | yes |
	 * | the previous number | n8n crashed | no |
	 * | the node's name | the node was deleted and pasted back: it has another ID | yes |
	 * | nodes that can send, without its name | the node is a new one, or had another name | yes |
	 * | nothing, in a record that is nearly full | n8n dropped it | yes |
	 * | nothing, in any other | it ended, and the log knows all | no |
	 */
	async hasLostKeys(number: number): Promise<boolean> {
		const { execution, hasSecret, nodes } = this.keys;
		const executions = numbersFrom(number - 1, 3).map(execution);
		const found = await this.data.findSure([...executions, ...Object.values(nodes)]);
		this.isFirstNode = !found.has(nodes.any);
		const [hasPrevious, hasThis, hasNext] = executions.map((key) => found.has(key));
		if (hasThis) return false;
		if (hasNext) return true;
		if (hasPrevious) return false;
		if (found.has(nodes.name) || (found.has(nodes.any) && !found.has(nodes.listed))) return true;
		return hasSecret && (await this.data.mayHaveDropped());
	}

	/**
	 * Puts the first number that is free on record, from this one on, and returns it. One that is taken gets no owner: that of an execution
	 * that was fenced off must not come back.
	 */
	async takeFrom(first: number): Promise<number> {
		for (let number = await this.skipTaken(first); ; number++) {
			const added = await this.data.add(this.listOwnKeys(number));
			if (added.has(toSureKey(this.keys.execution(number)))) return number;
		}
	}

	/** Returns the keys of an execution and its node, for one write: without the node's, a new node in its place would find nothing. */
	listOwnKeys(number: number): string[] {
		const { allListed, execution, nodes } = this.keys;
		const listed = this.isFirstNode ? allListed : [];
		return toSureKeys(execution(number), nodes.name, nodes.any, ...listed);
	}

	/** Skips numbers that are taken, in blocks of 1, 2, 4, … Without a secret, there may be many. */
	private async skipTaken(number: number, count = 1): Promise<number> {
		if (this.keys.hasSecret) return number;
		const taken = await this.data.find(numbersFrom(number, count).map(this.keys.execution));
		const next = number + taken.size;
		return taken.size < count ? next : await this.skipTaken(next, 2 * count);
	}

	/** Returns those that a retry continues: of equal executions, only the last one that was no retry counts, and its retries. */
	async sinceLastFresh(numbers: number[]): Promise<number[]> {
		const { fresh, hasSecret } = this.keys;
		if (hasSecret) return numbers;
		const found = await this.data.findSure(numbers.map(fresh));
		const last = Math.max(0, ...numbers.filter((one) => found.has(fresh(one))));
		return numbers.filter((one) => one >= last);
	}

	/** Fences executions off, now and again if another process writes their owners back. */
	async fenceOff(numbers: number[]): Promise<void> {
		if (!this.keys.hasSecret) return;
		const owners = numbers.map((number) => this.keys.fence(number)[1]);
		await this.data.remove(owners);
		this.data.removeSoon(owners);
	}

	/**
	 * Whether a retry has fenced an execution off. Each of its writes adds witness and owner again. A look-up of the retry's own key would not
	 * do: another process could write it back. @param known the keys that were on record before a write of the execution
	 *
	 * | of these, on record | what happened |
	 * | --- | --- |
	 * | both | nothing |
	 * | neither | another process has overwritten the record, or it is the first write |
	 * | the witness | a retry has removed the owner |
	 */
	isFencedOff(number: number, known: Set<string>): boolean {
		const [witness, owner] = this.keys.fence(number);
		return this.keys.hasSecret && known.has(witness) && !known.has(owner);
	}

	/** Whether a retry has begun before the owner of this execution was on record, so that it could not remove it. */
	async isOvertaken(number: number): Promise<boolean> {
		const { execution, hasSecret } = this.keys;
		return hasSecret && (await this.data.findSure([execution(number + 1)])).size > 0;
	}
}

/** @example numbersFrom(3, 2) // [3, 4] */
export const numbersFrom = (first: number, length: number) =>
	Array.from({ length }, (_, i) => first + i);
