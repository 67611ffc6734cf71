import type { IExecuteFunctions } from 'n8n-workflow';

import { getRunIndex } from '../n8n/executions';
import { showHint } from '../n8n/notify';
import { type SendPlan, toIdKey } from '../sends/send';
import { describeSameIds } from '../sends/sendOnceIds';

/** What one round of a loop would send: how many, and the recipient of the first item with an ID, by ID. */
type Round = { count: number; recipients: Map<string, string> };

/** The rounds of an execution, by the node's context. */
const roundsOf = new WeakMap<object, Map<unknown, Round>>();

/** Describes the sends that one run of the node would make. IDs of other executions are not looked up: that would store them. */
export class DryRun {
	/** The items that would be skipped because of one with another recipient. */
	private readonly sameIds: Array<{ itemIndex: number }> = [];
	private readonly rounds: Map<unknown, Round>;
	private readonly round: Round = { count: 0, recipients: new Map() };

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly maxSends: number,
	) {
		const nodeContext = context.getContext('node');
		this.rounds = roundsOf.get(nodeContext) ?? new Map<unknown, Round>();
		roundsOf.set(nodeContext, this.rounds);
		// With Retry On Fail, n8n repeats a round. Calls of a tool at the same time may have the same number.
		this.rounds.set(context.getNode().retryOnFail ? getRunIndex(context) : this.round, this.round);
	}

	/** Returns the output of one item. Call this in the order of the items. */
	describe(itemIndex: number, { message, preview, sendOnceId: id }: SendPlan) {
		const rounds = [...this.rounds.values()];
		const isOneLeft = rounds.reduce((sum, one) => sum + one.count, 0) < this.maxSends;
		const key = id === undefined ? '' : toIdKey(id, message);
		const first = rounds.find(({ recipients }) => recipients.has(key))?.recipients.get(key);
		if (key && isOneLeft) this.round.recipients.set(key, first ?? message.recipient);
		if (first === undefined) this.round.count++;
		else if (first !== message.recipient) this.sameIds.push({ itemIndex });
		const limited = isOneLeft ? {} : { skipped: true, reason: 'limit' };
		const skipped = first === undefined ? limited : { skipped: true, reason: 'id' };
		const ofId = id === undefined ? {} : { sendOnceId: id };
		return [{ json: { dryRun: true, ...skipped, ...preview, ...ofId } }];
	}

	finish(): void {
		const ids =
			this.round.recipients.size > 0 ? ' IDs that earlier executions used are not looked up.' : '';
		const hints = [`'Dry Run' is on: nothing was sent.${ids}`, describeSameIds(this.sameIds)];
		for (const message of hints) if (message) showHint(this.context, message);
	}
}
