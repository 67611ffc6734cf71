import type { IExecuteFunctions } from 'n8n-workflow';

import { showHint } from '../n8n/plainText';
import { type Send, toIdKey } from '../sends/send';
import type { SendPlan } from '../sends/sender';
import { describeSameIds } from '../sends/sendOnceIds';

/** Describes the sends that one run of the node would make. IDs of other executions are not looked up: that would store them. */
export class DryRun {
	/** The recipient of the first item with an ID, by ID. */
	private readonly recipients = new Map<string, string>();
	/** The items that would be skipped because of one with another recipient. */
	private readonly sameIds: Array<Pick<Send, 'id' | 'itemIndex'>> = [];

	/** The number of sends that "Max Sends per Execution" leaves. */
	left = Infinity;

	constructor(private readonly context: IExecuteFunctions) {}

	/** Returns the output of one item. Call this in the order of the items. */
	describe(itemIndex: number, { message, preview, sendOnceId: id }: SendPlan) {
		const { recipient } = message;
		const limited = this.left > 0 ? {} : { skipped: true, reason: 'limit' };
		if (id === undefined) {
			this.left--;
			return [{ json: { dryRun: true, ...limited, ...preview } }];
		}
		const key = toIdKey(id, message);
		const first = this.recipients.get(key);
		this.recipients.set(key, first ?? recipient);
		if (first !== undefined && first !== recipient) this.sameIds.push({ id, itemIndex });
		const skipped = first === undefined ? limited : { skipped: true, reason: 'id' };
		if (first === undefined) this.left--;
		return [{ json: { dryRun: true, ...skipped, ...preview, sendOnceId: id } }];
	}

	/** Shows the hints. Call this at the end. */
	finish(): void {
		const ids =
			this.recipients.size > 0 ? ' IDs that earlier executions used are not looked up.' : '';
		const hints = [`'Dry Run' is on: nothing was sent.${ids}`, describeSameIds(this.sameIds)];
		for (const message of hints) if (message) showHint(this.context, message);
	}
}
