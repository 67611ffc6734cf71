import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { ReadParameter } from '../parameters/parameterReader';
import { readSendOptions } from '../parameters/sendOptions';
import { toKeys } from './sendOnceIds';

/** Tells what one run of the node would send. IDs that other executions have used are not looked up: that would store them. */
export class DryRun {
	/** IDs of the items so far. */
	private readonly ids = new Set<string>();

	constructor(private readonly readParameter: ReadParameter) {}

	/**
	 * Returns the output of one item. Call this in the order of the items.
	 *
	 * @param preview of its request
	 * @throws InvalidInputError if an option cannot be used
	 */
	describe(itemIndex: number, preview: IDataObject): INodeExecutionData[] {
		const { sendOnceId } = readSendOptions(this.readParameter, itemIndex);
		if (sendOnceId === undefined) return [{ json: { dryRun: true, ...preview } }];
		const [id] = toKeys(sendOnceId);
		const isSkipped = this.ids.has(id);
		this.ids.add(id);
		return [{ json: { dryRun: true, ...(isSkipped ? { skipped: true } : preview), sendOnceId } }];
	}
}
