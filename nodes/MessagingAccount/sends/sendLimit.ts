import type { IExecuteFunctions } from 'n8n-workflow';

import { mayBeSent } from './attempt';
import type { SendLog } from './sendLog';

/** What all runs of the node in an execution share. */
interface Usage {
	/** The number of sends that were made or may have been; undefined until it is known. */
	count?: number;
	inProgress: number;
	/** Those that may be left if one in progress turns out not to be made. */
	readonly waiting: Array<() => void>;
}

export const createUsage = (): Usage => ({ inProgress: 0, waiting: [] });

/** Those of executions in this process, by the node's context: an agent makes several calls at the same time. */
const usages = new WeakMap<object, Usage>();

export function openSendLimit(context: IExecuteFunctions, max: number, log: SendLog): SendLimit {
	const nodeContext = context.getContext('node');
	const usage = usages.get(nodeContext) ?? createUsage();
	usages.set(nodeContext, usage);
	return new SendLimit(max, usage, () => log.list().filter((one) => mayBeSent(one.outcome)).length);
}

/**
 * "Max Sends per Execution". This must always be true: the sends of this execution that were made or may have been, and those in progress,
 * are never more than the limit.
 */
export class SendLimit {
	/** @param countMade called once, when earlier attempts are known */
	constructor(
		private readonly max: number,
		private readonly usage: Usage,
		private readonly countMade: () => number,
	) {}

	/** The number of sends that may begin. */
	get left(): number {
		return this.max - (this.usage.count ?? 0) - this.usage.inProgress;
	}

	/** Takes one of the sends. While others are in progress, it waits: they may turn out not to be made. @returns false if none is left */
	async take(): Promise<boolean> {
		this.usage.count ??= this.countMade();
		while (this.left <= 0 && this.usage.inProgress > 0)
			await new Promise<void>((resolve) => this.usage.waiting.push(resolve));
		if (this.left <= 0) return false;
		this.usage.inProgress++;
		return true;
	}

	/** Call this when the send has ended. @param isMade whether it was made, or may have been */
	end(isMade: boolean): void {
		this.usage.inProgress--;
		if (isMade) this.usage.count! += 1;
		for (const go of this.usage.waiting.splice(0)) go();
	}
}
