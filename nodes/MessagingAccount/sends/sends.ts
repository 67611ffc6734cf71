import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ReadParameter } from '../itemParameters';
import { ServiceFailure } from '../service/errors';
import { inTries, NotStarted } from '../service/tries';
import { IdRecord, type RecordFailure } from './idRecord';
import { SendMemory, type SendRecord } from './memory';
import { readSendOptions, type SendOnceId } from './options';
import { Pace } from './pace';

/** Makes the request of one item, once. */
export type Attempt = () => Promise<INodeExecutionData[]>;

/** The sends of one run of the node: nobody gets a message twice, whatever becomes of a request. */
export class Sends {
	private readonly memory: SendMemory;

	private readonly pace: Pace;

	private readonly idRecord: IdRecord;

	/** What earlier items of this run have as "Send Once per ID". */
	private readonly takenIds = new Set<string>();

	/**
	 * @param delay ms between the starts of two sends
	 * @param halt nothing new starts once it is aborted
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly readParameter: ReadParameter,
		delay: number,
		private readonly halt: AbortSignal,
	) {
		this.memory = new SendMemory(context);
		this.pace = new Pace(delay, halt);
		this.idRecord = new IdRecord(context);
	}

	/**
	 * Plans the send of one item. To be called in the order of the items: of two with the same ID the second is skipped.
	 *
	 * @param request the body of its request
	 * @param steps `open` makes ready to send: what it throws has sent nothing. `send` makes the request, once.
	 * @returns what carries out the plan; throws ServiceFailure, NotStarted, or what `open` throws
	 * @throws InvalidInput where an option cannot be used
	 */
	plan(
		itemIndex: number,
		request: IDataObject,
		{ open, send }: { open: () => Promise<unknown>; send: Attempt },
	): Attempt {
		const { resendUncertain, sendOnceId } = readSendOptions(this.readParameter, itemIndex);
		const record = this.memory.recordOf(itemIndex, request);
		const isTaken = sendOnceId !== undefined && this.takenIds.has(String(sendOnceId));
		if (sendOnceId !== undefined) this.takenIds.add(String(sendOnceId));

		return async () => {
			const { earlier } = record;
			if (earlier && 'id' in earlier) return [{ json: { id: earlier.id } }];
			if (earlier && 'unknownAfter' in earlier && !resendUncertain) {
				throw stillUnknown(earlier.unknownAfter);
			}
			if (isTaken) return skipped(sendOnceId);
			await open();
			const items = await inTries(async () => await this.send(record, sendOnceId, send), {
				isSend: true,
				halt: this.halt,
			});
			return items ?? skipped(sendOnceId);
		};
	}

	/** To be called when all sends are over. */
	async end(): Promise<void> {
		try {
			await this.idRecord.settle();
		} catch (error) {
			// The sends are what they are: none of them failed by it.
			this.context.logger.warn(
				`${(error as Error).message}. Some IDs of this execution may not be on it: a later execution would send them again.`,
			);
		}
	}

	/**
	 * What there is to say of an item that failed: what kept it from its request says nothing of an earlier try.
	 *
	 * @param error any
	 */
	inViewOfEarlier(itemIndex: number, error: unknown): unknown {
		if (error instanceof ServiceFailure || !this.memory.mayHaveSent(itemIndex)) return error;
		const { message, description } = error as { message: string; description?: string | null };
		return new ServiceFailure(message, {
			description: [description, EARLIER_MAY_HAVE_SENT].filter(Boolean).join(' '),
			ending: 'unusable',
		});
	}

	/**
	 * Sends once, when it is its turn.
	 *
	 * @returns undefined where its ID is on record: nothing was sent then
	 */
	private async send(
		record: SendRecord,
		id: SendOnceId | undefined,
		attempt: Attempt,
	): Promise<INodeExecutionData[] | undefined> {
		const isStarted = await this.pace.inTurn(async () => {
			const isNew = id === undefined || (await this.idRecord.add(id));
			// After an earlier try of this very send the entry is its own.
			if (!isNew && !record.earlier) return false;
			// Something else may have failed while the ID was recorded.
			if (this.halt.aborted) {
				if (isNew && id !== undefined) await this.idRecord.takeBack(id);
				throw new NotStarted();
			}
			record.begin();
			return true;
		});
		if (!isStarted) return undefined;
		try {
			const items = await attempt();
			record.sent(items[0].json.id as string | number);
			return items;
		} catch (error) {
			const failure = error instanceof ServiceFailure ? error : unforeseen(error);
			await this.conclude(record, id, failure);
			throw failure;
		}
	}

	private async conclude(
		record: SendRecord,
		id: SendOnceId | undefined,
		failure: ServiceFailure,
	): Promise<void> {
		const { earlier } = record;
		if (failure.delivery === 'unknown') return record.unknown(failure.reason);
		if (earlier && 'unknownAfter' in earlier) {
			failure.delivery = 'unknown';
			failure.notes.push(EARLIER_MAY_HAVE_SENT);
			return record.unknown(earlier.unknownAfter);
		}
		record.notSent();
		try {
			if (id !== undefined) await this.idRecord.takeBack(id);
		} catch (error) {
			record.notSentIdKept();
			failure.notes.push(`${(error as Error).message}. ${(error as RecordFailure).description}`);
		}
	}
}

const EARLIER_MAY_HAVE_SENT = 'This try sent nothing, but an earlier one may have.';

function skipped(sendOnceId: SendOnceId | undefined): INodeExecutionData[] {
	return [{ json: { skipped: true, sendOnceId } }];
}

function stillUnknown(unknownAfter: string): ServiceFailure {
	return new ServiceFailure(
		`An earlier try of this item ended without a clear answer (${unknownAfter})`,
		{
			description:
				"Nothing was sent this time. With the option 'Resend When Uncertain' it would be, at the risk of a second message.",
			ending: 'unusable',
		},
	);
}

/** A send that has left is never taken for one that has not, whatever goes wrong behind it. */
function unforeseen(error: unknown): ServiceFailure {
	return new ServiceFailure('The send ended in a way that nobody foresaw', {
		description: `What n8n reports: ${(error as Error).name}.`,
		ending: 'unusable',
	});
}
