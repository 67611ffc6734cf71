import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ReadParameter } from '../parameters/parameterReader';
import { readSendOptions } from '../parameters/sendOptions';
import { describeSharedIds, type SharedId, toIdKey } from '../parameters/sendOnceId';

/** Describes the sends that one run of the node would make. IDs of other executions are not looked up: that would store them. */
export class DryRun {
	/** The recipient of the first item with an ID, by ID. */
	private readonly recipients = new Map<string, string>();

	/** The items that would be skipped because of one with another recipient. */
	private readonly shared: SharedId[] = [];

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly readParameter: ReadParameter,
	) {}

	/**
	 * Returns the output of one item. Call this in the order of the items.
	 *
	 * @param preview of its request
	 * @throws InvalidInputError if an option cannot be used
	 */
	describe(itemIndex: number, recipient: string, preview: IDataObject): INodeExecutionData[] {
		const { sendOnceId: id } = readSendOptions(this.readParameter, itemIndex, recipient);
		if (id === undefined) return [{ json: { dryRun: true, ...preview } }];
		const key = toIdKey(id);
		const first = this.recipients.get(key);
		this.recipients.set(key, first ?? recipient);
		if (first !== undefined && first !== recipient) this.shared.push({ id, itemIndex });
		const skipped = first === undefined ? {} : { skipped: true };
		return [{ json: { dryRun: true, ...skipped, ...preview, sendOnceId: id } }];
	}

	/** Shows the hints. Call this at the end. */
	finish(): void {
		const hints = ["'Dry Run' is on: nothing was sent.", describeSharedIds(this.shared)];
		for (const message of hints) {
			if (message) this.context.addExecutionHints({ message, location: 'outputPane' });
		}
	}
}
