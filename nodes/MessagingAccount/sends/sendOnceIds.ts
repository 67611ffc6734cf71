import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ProcessedData } from '../n8n/processedData';
import type { SendOnceId } from '../parameters/sendOptions';
import { quote } from '../parameters/plainValue';
import { mayBeSent, type Send } from './send';

/** As many as n8n's Remove Duplicates keeps. Every record of IDs is full in the end. */
const MAX_IDS = 10_000;

const IDS_FAILED =
	'Some IDs of this execution may be missing: later executions may send these images again.';

const IDS_NEEDED =
	"Check it, then try again. The ID of 'Send Once per ID' may be stored already: later executions then skip it.";

/** The ID of one item. */
export interface Claim {
	id: SendOnceId;
	send: Send;
	/** That of the item before in this run with the same ID. */
	earlier?: Claim;
	/** Resolves when the work on the item has ended; undefined from then on. */
	ended?: Promise<void>;
	end(): void;
	/** If the ID is used up, so that others are skipped: the first item of this run that has it, and whether it was sent for certain. */
	use?: { first: Send; isSent: boolean };
}

/**
 * "Send Once per ID": of all items with the same ID, one is sent, in all executions.
 *
 * This must always be true: an ID is on record from before the request until it is certain that nothing was sent. And as long as
 * it is not certain that the image was sent, a mark is on record with it.
 */
export class SendOnceIds {
	/** If another process undoes a release, the ID is skipped later, and nobody gets a message twice. */
	private readonly record: ProcessedData;

	/** By ID: that of its last item in this run. */
	private readonly claims = new Map<string, Claim>();

	/** Skipped because of an item with another recipient. */
	readonly shared: SharedId[] = [];

	constructor(context: IExecuteFunctions) {
		this.record = new ProcessedData(context, 'node', MAX_IDS, IDS_NEEDED, IDS_FAILED);
	}

	/** Call this in the order of the items: those with the same ID take turns. */
	claim(id: SendOnceId, send: Send): Claim {
		const [key] = toIdKeys(id);
		let end!: Claim['end'];
		const ended = new Promise<void>((resolve) => (end = resolve));
		const claim: Claim = { id, send, earlier: this.claims.get(key), ended, end };
		this.claims.set(key, claim);
		return claim;
	}

	/** Does the work on an item when its turn has come. */
	async takeTurn(claim: Claim, work: () => Promise<INodeExecutionData[]>) {
		await claim.earlier?.ended;
		claim.use = claim.earlier?.use;
		claim.earlier = undefined;
		const { send } = claim;
		const result = work();
		const isSent = await result.then(Boolean, () => false);
		// An earlier attempt may have sent something, or has reserved the ID for the next one.
		if (mayBeSent(send.fate) || send.earlier) claim.use ??= { first: send, isSent };
		const mark = toMark(claim.id);
		if (claim.use?.isSent) this.record.removeSoon([mark], mark);
		else this.record.releaseRoom(mark);
		claim.ended = undefined;
		claim.end();
		return await result;
	}

	/**
	 * Call this just before a request is made.
	 *
	 * @returns whether the item may be sent; if not, its claim has the reason
	 * @throws DatabaseError
	 */
	async reserve(claim: Claim): Promise<boolean> {
		const keys = toIdKeys(claim.id);
		const mark = toMark(claim.id);
		// It must not take the place of an ID.
		this.record.keepRoom(mark, () => 1);
		const added = await this.record.add([...keys, mark]);
		// After an earlier attempt of this very send, the reservation is its own.
		if (claim.send.earlier || keys.every((key) => added.has(key))) return true;
		claim.use = { first: claim.send, isSent: added.has(mark) };
		return false;
	}

	/** Call this if nothing was sent. @throws DatabaseError */
	async release({ id }: Claim): Promise<void> {
		await this.record.remove([...toIdKeys(id), toMark(id)]);
	}

	/** Returns the output of an item whose claim is used up. */
	skip(claim: Claim): INodeExecutionData[] {
		const { id, send, use } = claim;
		const { itemIndex, recipient } = send;
		if (use && use.first.recipient !== recipient) this.shared.push({ id, itemIndex });
		const delivery = use?.isSent ? {} : { delivery: 'unknown' };
		return [{ json: { skipped: true, sendOnceId: id, ...delivery } }];
	}

	/**
	 * Call this when all sends have ended.
	 *
	 * @returns whether n8n may have dropped the oldest IDs
	 * @throws DatabaseError
	 */
	async finish(): Promise<boolean> {
		if (this.claims.size === 0) return false;
		await this.record.settle([...this.claims.values()].flatMap(({ id }) => toIdKeys(id)));
		return await this.record.isFull();
	}
}

/** An item with the ID of an earlier one with another recipient. */
export interface SharedId {
	id: SendOnceId;
	itemIndex: number;
}

/** Says which items may have been skipped by mistake; undefined if there are none. */
export function describeSharedIds([first, ...more]: SharedId[]): string | undefined {
	if (!first) return undefined;
	const items = more.length === 0 ? '1 item was' : `${more.length + 1} items were`;
	return `${items} skipped because an earlier item with another recipient has the same ID, e.g. item ${first.itemIndex}: ${quote(String(first.id))}`;
}

/** Those that say the same have the same first key. The second one is as entered, if there is white space around it: version 1.0.0 stored that. */
export function toIdKeys(id: SendOnceId): string[] {
	return [...new Set([String(id).trim(), String(id)])];
}

/** No ID looks like this. */
function toMark(id: SendOnceId): string {
	return `${toIdKeys(id)[0]}\nunknown`;
}
