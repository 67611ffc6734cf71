import { createHash } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** What is stored: for an item the fingerprint of its request, and behind it the message's id as JSON, once it has one. */
interface Stored {
	round: number;
	items: Record<string, string>;
}

/** What is known of the send of one item. Each call is stored at once. */
export interface SendRecord {
	/** What an earlier try of the same send came to: the id of its message, or nothing certain. */
	earlier: { id: string | number } | 'unknown' | undefined;
	/** To be called before the request leaves: until its outcome is certain, it is unknown. */
	begin(): void;
	sent(id: string | number): void;
	notSent(): void;
}

/** Enough to tell whether the request of one item was changed; kept short, because it is stored for every item. */
const FINGERPRINT_LENGTH = 8;

/**
 * What the node has sent in this execution, in the node's own context: n8n stores it with the execution, so it is there
 * when n8n runs the node again under "Retry On Fail" or "Retry execution". It belongs to one round of a loop: a round
 * that is over never runs again.
 *
 * What must stay true at any moment, because n8n may be stopped at any moment: whatever the service can have is in it.
 */
export class SendMemory {
	private readonly items: Stored['items'];

	/** n8n counts each try of a tool as a round of its own; there the request itself tells what belongs together. */
	private readonly isTool: boolean;

	constructor(context: IExecuteFunctions) {
		this.isTool = context.getNode().type.endsWith('Tool');
		const round = this.isTool ? 0 : (context.getWorkflowDataProxy(0).$runIndex as number);
		const ofNode = context.getContext('node') as { sends?: Stored };
		if (ofNode.sends?.round !== round) ofNode.sends = { round, items: {} };
		this.items = ofNode.sends.items;
	}

	/** @param request its body: an item whose number, image or caption was changed is another send */
	recordOf(itemIndex: number, request: IDataObject): SendRecord {
		const { items, isTool } = this;
		const fingerprint = fingerprintOf(request);
		const key = isTool ? fingerprint : String(itemIndex);
		return {
			earlier: readStored(items[key], fingerprint),
			begin() {
				items[key] = fingerprint;
			},
			sent(id) {
				// An agent that calls a tool once more after a success means to send once more.
				if (isTool) delete items[key];
				else items[key] = `${fingerprint}${JSON.stringify(id)}`;
			},
			notSent() {
				delete items[key];
			},
		};
	}
}

function fingerprintOf(request: IDataObject): string {
	const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64');
	return digest.slice(0, FINGERPRINT_LENGTH);
}

function readStored(stored: string | undefined, fingerprint: string): SendRecord['earlier'] {
	if (!stored?.startsWith(fingerprint)) return undefined;
	const id = stored.slice(FINGERPRINT_LENGTH);
	return id === '' ? 'unknown' : { id: JSON.parse(id) as string | number };
}
