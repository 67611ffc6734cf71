import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ProcessedData, toSureKeys } from '../n8n/processedData';
import { getField } from '../shared/fields';
import { createSkipped, type Send } from './send';

const IDS_NEEDED =
	'Check the database, then execute the workflow again. If the item is then skipped although its image did not arrive, send it from your phone.';
const IDS_FAILED =
	'Some IDs of this execution may be missing: later executions may send these images again.';

const IDS_FULL =
	"The record of 'Send Once per ID' is full: it keeps the last 50,000 IDs, and older ones were dropped. An image with such an ID would be sent again: leave old rows out of your list.";
const FIXED_ID =
	"All items were skipped: 'Send Once per ID' is the same text for every item, so only the first one is ever sent. Enter an expression that gives each image an ID of its own, e.g. spring {{ $json.phone }}, and leave out whoever has the image: with a new ID, it is sent again.";

/** The most IDs to keep: every record is full in the end. */
const MAX_IDS = 50_000;
const KEYS_PER_ID = 3;
export const MAX_ID_KEYS = KEYS_PER_ID * MAX_IDS;

const toSentKey = (idKey: string) => `sent:${idKey}`;

/** Describes items skipped for the ID of an earlier one with another recipient. It is logged, so without the ID: that may hold a number. */
export function describeSameIds([first, ...more]: Array<Pick<Send, 'itemIndex'>>) {
	if (!first) return undefined;
	const items = more.length === 0 ? '1 item' : `${more.length + 1} items`;
	return `Skipped because an earlier item with another recipient has the same ID: ${items}, e.g. item ${first.itemIndex}. If nobody has the images yet, give each one an ID of its own. Otherwise, put these in a list of their own, with other IDs: with new IDs for the full list, everybody gets the image again.`;
}

/** How an ID was used up: certainly for a sent image, perhaps in this run, or found on record, but not as sent. */
interface Use {
	is: 'sent' | 'unknown' | 'found';
	/** Of the item in this run that used it, or found it used. */
	recipientHash: string;
}

/**
 * "Send Once per ID", an idempotency key: only one of all items with the same ID is sent, in all executions, unless two processes reserve it
 * in the same milliseconds (docs/queue-mode.md). What is sent without an ID does not concern this class.
 *
 * This must always be true: an ID is on record from before the request until it is certain that nothing was sent, and as sent only if the
 * image certainly was.
 */
export class SendOnceIds {
	private readonly data: ProcessedData;
	/** The first send of this run, by ID. */
	private readonly firsts = new Map<string, Send>();
	/** The sends whose IDs are on record for them. */
	private readonly reserved = new Set<Send>();
	/** The IDs that may be on record for this run still: a call that released them has failed. */
	private readonly doubtful = new Set<string>();
	private readonly uses = new Map<string, Use>();
	private readonly skipped: Send[] = [];
	/** Those of which it is known whether their IDs were on record as sent. */
	private readonly lookedUp = new Set<Send>();

	constructor(context: IExecuteFunctions) {
		// The IDs of a long list must not push out one another, neither now nor before the list is executed again.
		const room = KEYS_PER_ID * context.getInputData().length;
		this.data = new ProcessedData(context, { node: MAX_ID_KEYS }, IDS_NEEDED, IDS_FAILED, room);
	}

	/** Adds a send of this run. Call this in the order of the items. */
	add(send: Send): void {
		const { idKey } = send;
		if (idKey !== undefined && !this.firsts.has(idKey)) this.firsts.set(idKey, send);
	}

	/** Whether an earlier item of this run has the same ID: then it is most probably skipped. */
	isRepeated({ idKey, itemIndex }: Send): boolean {
		return idKey !== undefined && this.firsts.get(idKey)?.itemIndex !== itemIndex;
	}

	/** Whether its ID is on record for this send, if it has one. */
	isReserved(send: Send): boolean {
		return send.idKey === undefined || this.reserved.has(send);
	}

	/** Whether nobody knows yet if an image was sent under its ID, if it has one. */
	isUndecided(send: Send): boolean {
		return !this.isReserved(send) && !this.lookedUp.has(send);
	}

	/** Returns how many of these sends have an ID on record for them. There are few: see `BatchSizes`. */
	countReserved(sends: Set<Send>): number {
		return [...this.reserved].filter((one) => sends.has(one)).length;
	}

	/**
	 * Whether the ID of a send is used up. So is one that was reserved ahead before a crash: it has no attempt of its own, and even Resend
	 * When Uncertain does not send it. @param mayHaveReserved whether an earlier attempt at this very send may have reserved it
	 */
	isUsed(send: Send, mayHaveReserved: boolean): boolean {
		const use = this.useOf(send);
		return use !== undefined && !(mayHaveReserved && use.is === 'found');
	}

	/**
	 * Reserves the IDs of the first sends that are about to begin. One that is on record already is used up, unless it is from an earlier
	 * attempt at this send, or from a call of this run that failed, and not there as sent. Of many, those that were sent are looked up before:
	 * a reserved ID stays if n8n stops.
	 * @param most how many to reserve @param mayHaveReserved as for `isUsed` @throws DatabaseError
	 */
	async reserve(sends: Send[], most: number, mayHaveReserved: (send: Send) => boolean) {
		if (sends.length > most) await this.findSent(sends);
		const toReserve = sends.filter((send) => this.useOf(send)?.is !== 'sent').slice(0, most);
		if (toReserve.length === 0) return;
		// Taken out meanwhile, so that no release removes them.
		const ofFailedCalls = keysOf(toReserve).filter((key) => this.doubtful.delete(key));
		const added = await this.doubtfulIfFails(ofFailedCalls, this.data.add(keysOf(toReserve)));
		for (const send of toReserve) if (added.has(send.idKey!)) this.reserved.add(send);
		const taken = toReserve.filter(({ idKey }) => !added.has(idKey!));
		// On record from a call of this run that failed.
		const ours = ofFailedCalls.filter((key) => !added.has(key));
		await this.doubtfulIfFails(ours, this.findSent(taken));
		for (const send of taken) {
			const { idKey = '', recipientHash } = send;
			if (this.useOf(send)?.is === 'sent') continue;
			if (ours.includes(idKey) || mayHaveReserved(send)) this.reserved.add(send);
			else this.uses.set(idKey, { recipientHash, is: 'found' });
		}
	}

	/** Returns those whose IDs are on record, but not for this run, each with whether as sent. @throws DatabaseError */
	async findUsed(sends: Send[]): Promise<Map<Send, 'sent' | 'used'>> {
		const others = sends.filter((send) => !this.reserved.has(send));
		const used = await this.data.find(keysOf(others));
		const sent = await this.data.findSure([...used].map(toSentKey));
		const found = others.filter(({ idKey }) => used.has(idKey!));
		return new Map(found.map((one) => [one, sent.has(toSentKey(one.idKey!)) ? 'sent' : 'used']));
	}

	/** Notes which IDs are on record as sent. @throws DatabaseError */
	async findSent(sends: Send[]): Promise<void> {
		const sent = await this.data.findSure(keysOf(sends).map(toSentKey));
		for (const send of sends) {
			const { idKey = '', recipientHash } = send;
			this.lookedUp.add(send);
			if (sent.has(toSentKey(idKey))) this.uses.set(idKey, { recipientHash, is: 'sent' });
		}
	}

	/** Notes that a send was made, or may have been. */
	noteUse(send: Send, isSent: boolean): void {
		const { idKey, recipientHash } = send;
		this.reserved.delete(send);
		if (idKey === undefined || this.useOf(send)?.is === 'sent') return;
		this.uses.set(idKey, { recipientHash, is: isSent ? 'sent' : 'unknown' });
		if (isSent) this.data.addSoon(toSureKeys(toSentKey(idKey)));
	}

	/** Uses up the IDs of sends that count as sent or unknown without a request: no later execution may send under them. @throws DatabaseError */
	async storeUses(sends: Send[], isSent: (send: Send) => boolean): Promise<void> {
		const sent = keysOf(sends.filter(isSent)).map(toSentKey);
		const keys = [...keysOf(sends), ...toSureKeys(...sent)];
		// A reserved one stays on record.
		for (const send of sends) this.reserved.delete(send);
		if (keys.length > 0) await this.data.add(keys);
	}

	/** Releases the IDs of sends that were not made, and those that it could not release before. @throws DatabaseError */
	async release(sends: Iterable<Send> = this.reserved): Promise<void> {
		const released = keysOf([...sends].filter((send) => this.reserved.delete(send)));
		const keys = [...released, ...this.doubtful];
		// Before the removal: after it, another execution may reserve an ID, and a second removal would release that.
		this.doubtful.clear();
		if (keys.length === 0) return;
		await this.doubtfulIfFails(keys, this.data.remove(keys));
	}

	/** Returns the output of an item whose ID is used up. */
	skip(send: Send): INodeExecutionData[] {
		this.skipped.push(send);
		return createSkipped(send, 'id', this.useOf(send)?.is === 'sent');
	}

	/** Returns the hints to show. Call this when all sends have ended. */
	async finish(context: IExecuteFunctions): Promise<string[]> {
		if (this.firsts.size === 0) return [];
		// A failure does no harm in both cases: the IDs are on record already.
		await this.data.flush().catch(() => {});
		const isFull = await this.data.isFull().catch(() => false);
		const areAllSkipped = this.skipped.length === context.getInputData().length;
		const entered = getField(context.getNode().parameters, 'options.sendOnceId');
		const isFixed = areAllSkipped && !String(entered).startsWith('=');
		const isOther = (send: Send) => this.useOf(send)?.recipientHash !== send.recipientHash;
		const same = describeSameIds(this.skipped.filter(isOther)) ?? [];
		return [same, isFull ? IDS_FULL : [], isFixed ? FIXED_ID : []].flat();
	}

	private useOf({ idKey = '' }: Send): Use | undefined {
		return this.uses.get(idKey);
	}

	/** Notes, if a call fails, that these IDs may be on record still. */
	private async doubtfulIfFails<T>(keys: string[], call: Promise<T>): Promise<T> {
		return await call.catch((error: Error) => {
			for (const key of keys) this.doubtful.add(key);
			throw error;
		});
	}
}

const keysOf = (sends: Send[]) => sends.flatMap(({ idKey }) => idKey ?? []);
