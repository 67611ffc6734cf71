import type { IExecuteFunctions } from 'n8n-workflow';

import { mayBeSent } from './attempt';
import type { SendLog } from './sendLog';

/** What all runs of the node in an execution share. */
interface Made {
	/** The number of sends that were made or may have been; undefined until it is known. */
	count?: number;
	inProgress: number;
	/** Those that may be left if one in progress turns out not to be made. */
	readonly waiting: Array<() => void>;
}

export const createMade = (): Made => ({ inProgress: 0, waiting: [] });

/** Those of executions in this process, by the node's context: an agent makes several calls at the same time. */
const madeIn = new WeakMap<object, Made>();

export function openSendLimit(context: IExecuteFunctions, max: number, log: SendLog): SendLimit {
	const nodeContext = context.getContext('node');
	const made = madeIn.get(nodeContext) ?? createMade();
	madeIn.set(nodeContext, made);
	return new SendLimit(max, made, () => log.list().filter((one) => mayBeSent(one.outcome)).length);
}

/**
 * "Max Sends per Execution". This must always be true: the sends of this execution that were made or may have been, and those in progress,
 * are never more than the limit.
 */
export class SendLimit {
	/** @param countMade called once, when earlier attempts are known */
	constructor(
		private readonly max: number,
		private readonly made: Made,
		private readonly countMade: () => number,
	) {}

	/** The number of sends that may begin. */
	get left(): number {
		return this.max - (this.made.count ?? 0) - this.made.inProgress;
	}

	/** Takes one of the sends. While others are in progress, it waits: they may turn out not to be made. @returns false if none is left */
	async take(): Promise<boolean> {
		if (this.max < Infinity) this.made.count ??= this.countMade();
		while (this.left <= 0 && this.made.inProgress > 0)
			await new Promise<void>((resolve) => this.made.waiting.push(resolve));
		if (this.left <= 0) return false;
		this.made.inProgress++;
		return true;
	}

	/** Call this when the send has ended. @param isMade whether it was made, or may have been */
	end(isMade: boolean): void {
		this.made.inProgress--;
		if (isMade) this.made.count = (this.made.count ?? 0) + 1;
		for (const go of this.made.waiting.splice(0)) go();
	}
}
