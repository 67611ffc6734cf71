import { type ProcessedData, toSureKey, toSureKeys } from '../../n8n/processedData';
import type { ExecutionKeys } from './executionKeys';

/** Creates what n8n stores of an execution among its retries, in the node's context. */
export const createStoredExecution = () => ({
	/** Of this execution, from 1; 0 before it is opened. Until it is on record, another one may take it. */
	number: 0,
	/** Whether it is on record with this number. */
	isOnRecord: false,
	/** The numbers of those on record that the send log does not know, because n8n crashed, or another retry ran or runs. */
	notInLog: [] as number[],
	/** Whether nobody knows what one of them has sent: its keys were removed, or the node was replaced. */
	hasLost: false,
	/** The number of runs of the node that put something on record in all of these executions. */
	runs: 0,
	/** The number of runs that have not ended. */
	openRuns: 0,
});
export type StoredExecution = ReturnType<typeof createStoredExecution>;

/**
 * Gives executions that retry one another their numbers, in the order in which they reach the node, and fences off those before: one that
 * n8n shows as ended, and that still runs, must stop once a retry of it has begun. Without a secret, a later execution may be no retry.
 *
 * This must always be true: no two of them have the same number, and none has that of one whose keys are lost. Only the latest one may send.
 */
export class ExecutionNumbers {
	/** Whether no node of these executions is on record yet. If one is, names are not listed again: a new node may be in the place of one that has sent. */
	private isFirstNode = true;

	constructor(
		private readonly data: ProcessedData,
		private readonly keys: ExecutionKeys,
		private readonly stored: StoredExecution,
	) {}

	/**
	 * Puts an execution on record under the next free number, and fences off those before it that the log does not know.
	 * @example of three retries of execution 1, the first gets 2 and fences off 1; the second gets 3, for 2 is taken, and fences off 1 and 2
	 */
	async take(isRetry: boolean): Promise<void> {
		const { data, keys, stored } = this;
		// It is no retry, but there was an equal execution before: for its retries, only later ones count.
		const isFresh = !keys.hasSecret && !isRetry;
		const wanted = stored.number;
		stored.isOnRecord = false;
		const isLost = !isFresh && (await this.hasLostKeys(wanted));
		stored.hasLost ||= isLost;
		// The number of a lost one stays free, so that others see this, too.
		const first = wanted + (isLost ? 1 : 0);
		const number = await this.takeFrom(first);
		const fence = keys.fence(number);
		await data.add([...fence, ...(isFresh ? toSureKeys(keys.fresh(number)) : [])], fence);
		const notInLog = isFresh ? [] : await this.fenceOffOthers(wanted - 1, first, number);
		Object.assign(stored, { number, notInLog, isOnRecord: true });
	}

	/** Returns the keys of an execution and its node, for one write: without the node's, a new node in its place would find nothing. */
	listOwnKeys(number: number): string[] {
		const { allListed, execution, nodes } = this.keys;
		const listed = this.isFirstNode ? allListed : [];
		return toSureKeys(execution(number), nodes.name, nodes.any, ...listed);
	}

	/**
	 * Whether keys that a retry needs are lost: see the first row that fits.
	 *
	 * | on record | what happened | lost |
	 * | --- | --- | --- |
	 * | the number that the retry would have | another retry has taken it | no |
	 * | the next number | this one ended after its retry had begun | yes |
	 * | the previous number | n8n crashed | no |
	 * | the node's name | the node was deleted and pasted back: it has another ID | yes |
	 * | nodes that can send, without its name | the node is a new one, or had another name | yes |
	 * | nothing, in a record that is nearly full | n8n dropped it | yes |
	 * | nothing, in any other | it ended, and the log knows all | no |
	 */
	private async hasLostKeys(wanted: number): Promise<boolean> {
		const { execution, hasSecret, nodes } = this.keys;
		const executions = numbersFrom(wanted - 1, 3).map(execution);
		const found = await this.data.findSure([...executions, ...Object.values(nodes)]);
		this.isFirstNode = !found.has(nodes.any);
		const [hasPrevious, hasThis, hasNext] = executions.map((key) => found.has(key));
		if (hasThis) return false;
		if (hasNext) return true;
		if (hasPrevious) return false;
		if (found.has(nodes.name) || (found.has(nodes.any) && !found.has(nodes.listed))) return true;
		return hasSecret && (await this.data.mayHaveDropped());
	}

	/** Puts the first free number on record. Its owner follows once it is ours: that of an execution that was fenced off must not come back. */
	private async takeFrom(first: number): Promise<number> {
		for (let number = await this.skipTaken(first); ; number++) {
			const added = await this.data.add(this.listOwnKeys(number));
			if (added.has(toSureKey(this.keys.execution(number)))) return number;
		}
	}

	/** Skips numbers that are taken, in blocks of 1, 2, 4, … Without a secret, there may be many. */
	private async skipTaken(number: number, count = 1): Promise<number> {
		if (this.keys.hasSecret) return number;
		const taken = await this.data.find(numbersFrom(number, count).map(this.keys.execution));
		const next = number + taken.size;
		return taken.size < count ? next : await this.skipTaken(next, 2 * count);
	}

	/**
	 * Fences off others, and returns those that the log may not know. Without a secret, it only returns those since the last that was no retry.
	 *
	 * | execution | fenced off | returned |
	 * | --- | --- | --- |
	 * | the previous one | yes | if it went on after n8n had saved its log |
	 * | not in the log, or it took a number meanwhile, from `first` on | yes | yes |
	 * | a retry of this one that has begun already | no | yes |
	 */
	private async fenceOffOthers(previous: number, first: number, number: number) {
		const { data, stored } = this;
		const { execution, fence, fresh, hasSecret, run } = this.keys;
		const notInLog = new Set([...stored.notInLog, ...numbersFrom(first, number - first)]);
		// It was free: an open run of an earlier execution has put nothing on record under it.
		notInLog.delete(number);
		if (hasSecret) {
			const owners = [previous, ...notInLog].map((one) => fence(one)[1]);
			await data.remove(owners);
			data.removeSoon(owners);
		}
		const runNotInLog = run(previous, stored.runs + 1);
		if (previous > 0 && (await data.find([runNotInLog])).size > 0) notInLog.add(previous);
		const others = [...notInLog];
		if (!hasSecret) {
			const found = await data.findSure(others.map(fresh));
			const lastFresh = others.filter((one) => found.has(fresh(one)));
			return others.filter((one) => one >= Math.max(0, ...lastFresh));
		}
		// That retry began before the owner of this one was on record, so it could not remove it.
		const isOvertaken = (await data.findSure([execution(number + 1)])).size > 0;
		return isOvertaken ? [...others, number + 1] : others;
	}
}

/** @example numbersFrom(3, 2) // [3, 4] */
export const numbersFrom = (first: number, length: number) =>
	Array.from({ length }, (_, i) => first + i);
