import type { IExecuteFunctions } from 'n8n-workflow';

/** What all runs of the node in an execution share. */
interface Usage {
	/** Begins with the first send: then, the count includes those of earlier attempts. */
	counting?: Promise<void>;
	/** The number of sends that were made or may have been. */
	count: number;
	inProgress: number;
	/** Those that may be left if one in progress turns out not to be made. */
	readonly waiting: Array<() => void>;
}

/** Those of executions in this process, by the node's context: an agent makes several calls at the same time. */
const usages = new WeakMap<object, Usage>();

/**
 * "Max Sends per Execution". This must always be true: the sends of this execution that were made or may have been, and those in progress,
 * are never more than the limit.
 */
export class SendLimit {
	private readonly usage: Usage;

	/** @param countMade called once, when earlier attempts are known */
	constructor(
		context: IExecuteFunctions,
		private readonly max: number,
		private readonly countMade: () => Promise<number>,
	) {
		const nodeContext = context.getContext('node');
		this.usage = usages.get(nodeContext) ?? { count: 0, inProgress: 0, waiting: [] };
		usages.set(nodeContext, this.usage);
	}

	/** The number of sends that may begin. */
	get left(): number {
		return this.max - this.usage.count - this.usage.inProgress;
	}

	/** Takes one of the sends, if need be once others turn out not to be made. @returns false if none is left @throws DatabaseError */
	async take(): Promise<boolean> {
		await (this.usage.counting ??= this.count());
		while (this.left <= 0 && this.usage.inProgress > 0)
			await new Promise<void>((resolve) => this.usage.waiting.push(resolve));
		if (this.left <= 0) return false;
		this.usage.inProgress++;
		return true;
	}

	private async count(): Promise<void> {
		try {
			this.usage.count = await this.countMade();
		} catch (error) {
			this.usage.counting = undefined;
			throw error as Error;
		}
	}

	/** Call this when the send has ended. @param isMade whether it was made, or may have been */
	end(isMade: boolean): void {
		this.usage.inProgress--;
		if (isMade) this.usage.count++;
		for (const go of this.usage.waiting.splice(0)) go();
	}
}
