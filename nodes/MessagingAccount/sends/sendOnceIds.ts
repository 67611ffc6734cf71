import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { IDS_FAILED, IDS_NEEDED } from '../errors/databaseErrors';
import { ProcessedData } from '../n8n/processedData';
import { findSure, toSureKeys } from '../n8n/sureKeys';
import { describeIds, type SharedId, toIdKey } from '../parameters/sendOnceId';
import type { SendOnceId } from '../parameters/sendOptions';
import { mayBeSent, type Claim, type Send } from './attempt';

/** The most IDs to keep: every record is full in the end. */
const MAX_IDS = 50_000;
const KEYS_PER_ID = 3;
/** Returns the key that makes it certain that the image was sent. */
const toSentKey = ({ id }: Claim) => `sent:${toIdKey(id)}`;

/**
 * "Send Once per ID", an idempotency key: only one of all items with the same ID is sent, in all executions.
 *
 * This must always be true: an ID is on record from before the request until it is certain that nothing was sent. It is on record as sent
 * only if the image was certainly sent. A send keeps its ID while it waits: another process may write back a released ID, and the send
 * would find it used up.
 */
export class SendOnceIds {
	private readonly record: ProcessedData;
	private skippedCount = 0;

	/** The claim of the last item in this run, by ID. */
	private readonly claims = new Map<string, Claim>();

	/** The items that were skipped because of one with another recipient. */
	private readonly shared: SharedId[] = [];

	constructor(private readonly context: IExecuteFunctions) {
		// The IDs of a long list must not push out one another, neither now nor before the list is executed again.
		const room = KEYS_PER_ID * context.getInputData().length;
		const texts = [IDS_NEEDED, IDS_FAILED] as const;
		this.record = new ProcessedData(context, 'node', KEYS_PER_ID * MAX_IDS, room, ...texts);
	}

	/** Claims an ID for a send. Call this in the order of the items: those with the same ID take turns. */
	claim(id: SendOnceId, send: Send): Claim {
		const key = toIdKey(id);
		let end!: Claim['end'];
		const ended = new Promise<void>((resolve) => (end = resolve));
		const claim: Claim = { id, send, previous: this.claims.get(key), ended, end };
		this.claims.set(key, claim);
		return claim;
	}

	/** Does the work on an item when its turn has come. */
	async takeTurn(claim: Claim, work: () => Promise<INodeExecutionData[]>) {
		await claim.previous?.ended;
		const { send, previous } = claim;
		claim.usedBy ??= previous?.usedBy;
		claim.previous = undefined;
		try {
			return await work();
		} finally {
			const outcome = mayBeSent(send.outcome) ? send.outcome : send.earlierOutcome;
			const isSent = outcome?.is === 'sent';
			if (outcome) claim.usedBy ??= { first: send, isSent };
			if (isSent) this.record.addSoon(toSureKeys(toSentKey(claim)));
			claim.ended = undefined;
			claim.end();
		}
	}

	/** Gives back an ID that an earlier attempt at this very send has reserved: it is not used up, although earlier items were skipped. */
	reclaim({ claim, earlierOutcome }: Send): void {
		const first = claim?.usedBy?.first;
		const isOwn = first && earlierOutcome?.is === 'unknown' && !mayBeSent(first.outcome);
		if (isOwn) claim.usedBy = undefined;
	}

	/** Reserves the IDs of sends that are about to begin. The claims to IDs that are used up then have `usedBy`. @throws DatabaseError */
	async reserve(sends: Send[]): Promise<void> {
		const claims = sends.flatMap(({ claim }) =>
			claim && claim.isReserved !== true ? [claim] : [],
		);
		if (claims.length === 0) return;
		const added = await this.record.add(claims.map(({ id }) => toIdKey(id)));
		const isNew = ({ id }: Claim) => added.has(toIdKey(id));
		for (const claim of claims.filter(isNew)) claim.isReserved = true;
		const known = claims.filter((one) => !isNew(one));
		const sent = await findSure(this.record, known.map(toSentKey));
		for (const claim of known) {
			const isSent = sent.has(toSentKey(claim));
			// After an earlier attempt at this very send, the reservation is its own.
			const isOwn = claim.isReserved === 'maybe' || claim.send.earlierOutcome !== undefined;
			claim.isReserved = isOwn && !isSent;
			if (!claim.isReserved) claim.usedBy = { first: claim.send, isSent };
		}
	}

	/** Releases the IDs of sends that were not made, unless an earlier attempt may have been. @throws DatabaseError */
	async release(sends: Send[]): Promise<void> {
		const isOpen = ({ claim, earlierOutcome }: Send) => claim?.isReserved && !earlierOutcome;
		const reserved = sends.filter(isOpen).map(({ claim }) => claim!);
		// Before the removal: after it, another execution may reserve the ID, and a second removal would release that.
		for (const claim of reserved) claim.isReserved = false;
		await this.record.remove(reserved.map(({ id }) => toIdKey(id))).catch((error: unknown) => {
			for (const claim of reserved) claim.isReserved = 'maybe';
			throw error;
		});
	}

	/** Returns the output of an item whose ID is used up. */
	skip({ id, send, usedBy }: Claim): INodeExecutionData[] {
		const { itemIndex, recipient } = send;
		this.skippedCount++;
		if (usedBy && usedBy.first.recipient !== recipient) this.shared.push({ id, itemIndex });
		const delivery = usedBy?.isSent ? {} : { delivery: 'unknown' };
		return [{ json: { skipped: true, sendOnceId: id, ...delivery } }];
	}

	/** Returns the hints to show. Call this when all sends have ended. */
	async finish(): Promise<string[]> {
		if (this.claims.size === 0) return [];
		// A failure does no harm: the IDs are on record already.
		const isFull = await this.record.isFull().catch(() => false);
		const areAllSkipped = this.skippedCount === this.context.getInputData().length;
		return describeIds(this.shared, isFull, areAllSkipped, this.context.getNode());
	}
}
