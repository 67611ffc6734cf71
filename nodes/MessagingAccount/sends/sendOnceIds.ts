import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ProcessedData, toSureKeys } from '../n8n/processedData';
import { quote } from '../parameters/plainValue';
import { getField } from '../shared/fields';
import { mayBeSent, type Send, toIdKey } from './attempt';

const IDS_NEEDED =
	"Check it, then try again. The ID of 'Send Once per ID' may be stored already: later executions then skip it.";
const IDS_FAILED =
	'Some IDs of this execution may be missing: later executions may send these images again.';

const IDS_FULL =
	"The record of 'Send Once per ID' is full: it keeps the last 50,000 IDs, and older ones were dropped. An image with such an ID would be sent again.";
const FIXED_ID =
	"All items were skipped: 'Send Once per ID' is the same text for every item, so only the first one is ever sent. Enter an expression that gives each image an ID of its own, e.g. {{ $json.orderNumber }}.";

/** The most IDs to keep: every record is full in the end. */
const MAX_IDS = 50_000;
const KEYS_PER_ID = 3;

const toSentKey = (send: Send) => `sent:${toIdKey(send)}`;

/** An item with the same ID as an earlier item with another recipient. */
export type SharedId = Pick<Send, 'id' | 'itemIndex'>;

/** Describes the items that may have been skipped by mistake; undefined if there are none. */
export function describeSameIds([first, ...more]: SharedId[]): string | undefined {
	if (!first) return undefined;
	const items = more.length === 0 ? '1 item was' : `${more.length + 1} items were`;
	return `${items} skipped because an earlier item with another recipient has the same ID, e.g. item ${first.itemIndex}: ${quote(String(first.id))}`;
}

/**
 * "Send Once per ID", an idempotency key: only one of all items with the same ID is sent, in all executions.
 *
 * This must always be true: an ID is on record from before the request until it is certain that nothing was sent, and as sent only if the
 * image certainly was. A send keeps its ID while it waits, except in an outage: another process may write back a released one, which then
 * counts as used up.
 */
export class SendOnceIds {
	private readonly record: ProcessedData;
	private skippedCount = 0;
	/** The last send in this run, by ID. */
	private readonly last = new Map<string, Send>();
	/** The items that were skipped because of one with another recipient. */
	private readonly shared: SharedId[] = [];

	constructor(private readonly context: IExecuteFunctions) {
		// The IDs of a long list must not push out one another, neither now nor before the list is executed again.
		const room = KEYS_PER_ID * context.getInputData().length;
		const maxKeys = KEYS_PER_ID * MAX_IDS;
		this.record = new ProcessedData(context, 'node', maxKeys, room, IDS_NEEDED, IDS_FAILED);
	}

	/**
	 * Claims the ID of a send. Call this in the order of the items: those with the same ID take turns.
	 * @returns a function that does the work on the send when its turn has come
	 */
	claim(send: Send) {
		const key = toIdKey(send);
		const previous = this.last.get(key);
		this.last.set(key, send);
		let end!: () => void;
		const ended = new Promise<void>((resolve) => (end = resolve));
		Object.assign(send, { previous, ended });
		// It is most probably skipped, and only keeps its place.
		if (previous) send.outcome = { is: 'notSent' };
		return async (work: () => Promise<INodeExecutionData[]>) => {
			await send.previous?.ended;
			send.usedBy ??= send.previous?.usedBy;
			send.previous = undefined;
			try {
				return await work();
			} finally {
				const outcome = mayBeSent(send.outcome) ? send.outcome : send.earlierOutcome;
				const isSent = outcome?.is === 'sent';
				if (outcome) send.usedBy ??= { first: send, isSent };
				if (isSent) this.record.addSoon(toSureKeys(toSentKey(send)));
				send.ended = undefined;
				end();
			}
		};
	}

	/** Gives back an ID that an earlier attempt at this very send has reserved: it is not used up, although earlier items were skipped. */
	reclaim(send: Send): void {
		const first = send.usedBy?.first;
		const isOwn = first && send.earlierOutcome?.is === 'unknown' && !mayBeSent(first.outcome);
		if (isOwn) send.usedBy = undefined;
	}

	/** Reserves the IDs of sends that are about to begin. The sends whose IDs are used up then have `usedBy`. @throws DatabaseError */
	async reserve(sends: Send[]): Promise<void> {
		const open = sends.filter(({ id, isReserved }) => id !== undefined && isReserved !== true);
		if (open.length === 0) return;
		const added = await this.record.add(open.map(toIdKey));
		const isNew = (send: Send) => added.has(toIdKey(send));
		for (const send of open.filter(isNew)) send.isReserved = true;
		const known = open.filter((one) => !isNew(one));
		const sent = await this.record.findSure(known.map(toSentKey));
		for (const send of known) {
			const isSent = sent.has(toSentKey(send));
			// After an earlier attempt at this very send, the reservation is its own.
			const isOwn = send.isReserved === 'maybe' || send.earlierOutcome !== undefined;
			send.isReserved = isOwn && !isSent;
			if (!send.isReserved) send.usedBy = { first: send, isSent };
		}
	}

	/** Uses up the IDs of sends that count as sent or unknown without a request: no later execution may send under them. @throws DatabaseError */
	async useUp(sends: Send[]): Promise<void> {
		const used = sends.filter(
			({ id, earlierOutcome }) => id !== undefined && mayBeSent(earlierOutcome),
		);
		const isSent = ({ earlierOutcome }: Send) => earlierOutcome?.is === 'sent';
		const keys = used.flatMap((one) => [
			toIdKey(one),
			...(isSent(one) ? toSureKeys(toSentKey(one)) : []),
		]);
		if (keys.length > 0) await this.record.add(keys);
	}

	/** Releases the IDs of sends that were not made, unless an earlier attempt may have been. @throws DatabaseError */
	async release(sends: Send[]): Promise<void> {
		const reserved = sends.filter((one) => one.isReserved && !one.earlierOutcome);
		// Before the removal: after it, another execution may reserve the ID, and a second removal would release that.
		for (const send of reserved) send.isReserved = false;
		await this.record.remove(reserved.map(toIdKey)).catch((error: unknown) => {
			for (const send of reserved) send.isReserved = 'maybe';
			throw error;
		});
	}

	/** Returns the output of an item whose ID is used up. */
	skip({ id, itemIndex, recipient, usedBy }: Send): INodeExecutionData[] {
		this.skippedCount++;
		if (usedBy && usedBy.first.recipient !== recipient) this.shared.push({ id, itemIndex });
		const delivery = usedBy?.isSent ? {} : { delivery: 'unknown' };
		return [{ json: { skipped: true, sendOnceId: id, reason: 'id', ...delivery } }];
	}

	/** Returns the hints to show. Call this when all sends have ended. */
	async finish(): Promise<string[]> {
		if (this.last.size === 0) return [];
		// A failure does no harm: the IDs are on record already.
		const isFull = await this.record.isFull().catch(() => false);
		const areAllSkipped = this.skippedCount === this.context.getInputData().length;
		const entered = getField(this.context.getNode().parameters, 'options.sendOnceId');
		const isFixed = areAllSkipped && !String(entered).startsWith('=');
		const same = describeSameIds(this.shared) ?? [];
		return [same, isFull ? IDS_FULL : [], isFixed ? FIXED_ID : []].flat();
	}
}
