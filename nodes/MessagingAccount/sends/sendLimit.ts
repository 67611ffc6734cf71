import type { IExecuteFunctions } from 'n8n-workflow';

/** The limits of executions in this process, by the node's context: all runs share one, of a loop or of an agent that makes several calls at a time. */
const limits = new WeakMap<object, SendLimit>();

export function openLimit(context: IExecuteFunctions): SendLimit {
	const nodeContext = context.getContext('node');
	const limit = limits.get(nodeContext) ?? new SendLimit();
	limits.set(nodeContext, limit);
	return limit;
}

/**
 * "Max Sends per Execution". This must always be true: the sends of this execution that were made or may have been, and those in progress,
 * are never more than the limit, which each run has of its own.
 */
export class SendLimit {
	/** Begins with the first send: then, the count includes those of earlier attempts. */
	private counting?: Promise<void>;
	/** The number of sends that were made or may have been. */
	private made = 0;
	private inProgress = 0;
	/** Those that may be left if one in progress turns out not to be made. */
	private readonly waiting: Array<() => void> = [];

	/** Returns the number of sends that may begin. */
	countLeft(max: number): number {
		return max - this.made - this.inProgress;
	}

	/**
	 * Takes one of the sends, if need be once others turn out not to be made. @param countMade called once, when earlier attempts are known
	 * @returns false if none is left @throws DatabaseError
	 */
	async take(max: number, countMade: () => Promise<number>): Promise<boolean> {
		this.counting ??= countMade().then((made) => void (this.made = made));
		await this.counting.catch((error: Error) => {
			this.counting = undefined;
			throw error;
		});
		while (this.countLeft(max) <= 0 && this.inProgress > 0)
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		if (this.countLeft(max) <= 0) return false;
		this.inProgress++;
		return true;
	}

	/** Call this when the send has ended. @param isMade whether it was made, or may have been */
	end(isMade: boolean): void {
		this.inProgress--;
		if (isMade) this.made++;
		for (const go of this.waiting.splice(0)) go();
	}
}
