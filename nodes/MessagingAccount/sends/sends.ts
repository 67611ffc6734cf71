import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ServiceFailure } from '../service/failures';
import { inTries, NotStarted } from '../service/tries';
import { recordId, takeBackId } from './idRecord';
import { SendMemory, type SendRecord } from './memory';
import { readSendOptions, type SendOnceId } from './options';
import { Pace } from './pace';

/** Makes the request of one item, once. */
export type Attempt = () => Promise<INodeExecutionData[]>;

/** The sends of one run of the node: nobody gets a message twice, whatever becomes of a request. */
export class Sends {
	private readonly memory: SendMemory;

	private readonly pace: Pace;

	/** What earlier items of this run have as "Send Once per ID". */
	private readonly takenIds = new Set<string>();

	/**
	 * @param delay ms between the starts of two sends
	 * @param halt nothing new starts once it is aborted
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		delay: number,
		private readonly halt: AbortSignal,
	) {
		this.memory = new SendMemory(context);
		this.pace = new Pace(delay, halt);
	}

	/**
	 * Plans the send of one item. To be called in the order of the items: of two with the same ID the second is skipped.
	 *
	 * @param request the body of its request
	 * @param open makes ready to send; what it throws has sent nothing
	 * @returns what carries out the plan; throws ServiceFailure, NotStarted, or what `open` throws
	 * @throws InvalidInput where an option cannot be used
	 */
	plan(itemIndex: number, request: IDataObject, open: () => Promise<Attempt>): Attempt {
		const { resendUncertain, sendOnceId } = readSendOptions(this.context, itemIndex);
		const record = this.memory.recordOf(itemIndex, request);
		const isTaken = sendOnceId !== undefined && this.takenIds.has(String(sendOnceId));
		if (sendOnceId !== undefined) this.takenIds.add(String(sendOnceId));

		return async () => {
			if (typeof record.earlier === 'object') return [{ json: { id: record.earlier.id } }];
			if (record.earlier === 'unknown' && !resendUncertain) throw stillUnknown();
			const isSent = !isTaken && (await this.send(record, sendOnceId, await open()));
			return isSent || [{ json: { skipped: true, sendOnceId } }];
		};
	}

	/** @returns false where its ID is on record: nothing was sent then */
	private async send(
		record: SendRecord,
		sendOnceId: SendOnceId | undefined,
		attempt: Attempt,
	): Promise<INodeExecutionData[] | false> {
		const isResend = record.earlier === 'unknown';
		// The ID of what is sent once more is on record since the earlier try, and has to stay there.
		const id = isResend ? undefined : sendOnceId;
		let isStarted = false;
		const start = async () => {
			if (isStarted) return true;
			if (id !== undefined && !(await this.record(id))) return false;
			isStarted = true;
			record.begin();
			return true;
		};
		try {
			const items = await inTries(
				async () => (await this.pace.inTurn(start)) && (await attempt()),
				{ isSend: true, halt: this.halt },
			);
			if (items) record.sent(items[0].json.id as string | number);
			return items;
		} catch (error) {
			const failure = error instanceof ServiceFailure ? error : unforeseen(error);
			if (isStarted && failure.delivery === 'notSent') {
				if (isResend) keepUncertain(failure);
				else await this.forget(record, id, failure);
			}
			throw isStarted ? failure : error;
		}
	}

	private async record(id: SendOnceId): Promise<boolean> {
		if (!(await recordId(this.context, id))) return false;
		if (!this.halt.aborted) return true;
		await takeBackId(this.context, id);
		throw new NotStarted();
	}

	private async forget(
		record: SendRecord,
		id: SendOnceId | undefined,
		failure: ServiceFailure,
	): Promise<void> {
		record.notSent();
		try {
			if (id !== undefined) await takeBackId(this.context, id);
		} catch {
			failure.notes.push(
				"n8n could not take its ID from the record of 'Send Once per ID': with this ID it will be skipped from now on.",
			);
		}
	}
}

function stillUnknown(): ServiceFailure {
	return new ServiceFailure('An earlier try of this item ended without a clear answer', {
		description:
			"Nothing was sent this time. With the option 'Resend When Uncertain' it would be, at the risk of a second message.",
		ending: { code: undefined },
	});
}

function unforeseen(error: unknown): ServiceFailure {
	return new ServiceFailure('The send ended in a way that nobody foresaw', {
		description: `What n8n reports: ${(error as Error).name}.`,
		ending: { code: undefined },
	});
}

function keepUncertain(failure: ServiceFailure): void {
	failure.delivery = 'unknown';
	failure.notes.push('This try sent nothing, but an earlier one may have.');
}
