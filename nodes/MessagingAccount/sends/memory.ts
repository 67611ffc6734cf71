import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { shortHash } from '../shortHash';
import { isTool } from '../tool';

/**
 * What is stored: for an item the two fingerprints of its send, and behind them as JSON what became of it: the id of the
 * message, a list with the reason why that is unknown, `false` where it was not sent and its "Send Once per ID" is on
 * n8n's record all the same, or nothing as long as it is under way.
 */
interface Stored {
	round: number;
	items: Record<string, string>;
}

/** What an earlier try of the same send came to. */
export type Earlier =
	| { id: string | number }
	| { unknownAfter: string }
	/** Not sent. Its ID stayed on n8n's record, and is this send's own. */
	| { keptId: true }
	| undefined;

/** What is known of the send of one item. Each call is stored at once. */
export interface SendRecord {
	readonly earlier: Earlier;
	/** To be called before the request leaves: until its outcome is certain, it is unknown. */
	begin(): void;
	sent(id: string | number): void;
	/** @param reason a few words */
	unknown(reason: string): void;
	notSent(): void;
	/** Not sent, and its ID could not be taken from n8n's record: another try of this send need not mind it there. */
	notSentIdKept(): void;
}

/** Enough to tell whether the send of one item was changed; kept short, because it is stored for every item. */
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

	/** The parameters as they were entered, with their expressions. */
	private readonly entered: string;

	private readonly inputs: IDataObject[];

	/** n8n counts each try of a tool as a round of its own; there the send itself tells what belongs together. */
	private readonly isTool: boolean;

	constructor(context: IExecuteFunctions) {
		const node = context.getNode();
		this.entered = JSON.stringify({ ...node.parameters, options: undefined });
		this.isTool = isTool(node);
		// n8n adds to the input of a tool the id of the call, which is another one each time.
		this.inputs = context
			.getInputData()
			.map(({ json }) => (this.isTool ? { ...json, toolCallId: undefined } : json));
		const round = this.isTool ? 0 : (context.getWorkflowDataProxy(0).$runIndex as number);
		const ofNode = context.getContext('node') as { sends?: Stored };
		if (ofNode.sends?.round !== round) ofNode.sends = { round, items: {} };
		this.items = ofNode.sends.items;
	}

	/**
	 * Whether an earlier try of an item may have sent something, also if it was another number or image then. For a tool:
	 * whether any call may have.
	 */
	mayHaveSent(itemIndex: number): boolean {
		const ofItem = this.isTool ? Object.values(this.items) : [this.items[itemIndex]];
		return ofItem.some((stored) => stored !== undefined && !('keptId' in readOutcome(stored)));
	}

	/**
	 * An item is the same send as before as long as its request is the same, or its number and what the rest is made from:
	 * a caption with the time of day in it is another text each time, and still nothing that anybody has changed.
	 *
	 * @param request its body
	 */
	recordOf(itemIndex: number, request: IDataObject): SendRecord {
		const { items, isTool } = this;
		const input = JSON.stringify(this.inputs[itemIndex]);
		const source = shortHash(
			`${this.entered}${input}${String(request.number)}`,
			FINGERPRINT_LENGTH,
		);
		const content = shortHash(JSON.stringify(request), FINGERPRINT_LENGTH);
		const key = isTool ? source : String(itemIndex);
		const store = (outcome: unknown) => {
			// Joined, because what `+` gives keeps its parts, in two and a half times the memory.
			items[key] = [source, content, outcome === undefined ? '' : JSON.stringify(outcome)].join('');
		};
		const stored = items[key];
		let earlier: Earlier = isSame(stored, source, content) ? readOutcome(stored) : undefined;
		return {
			get earlier() {
				return earlier;
			},
			begin: () => store(undefined),
			sent(id: string | number) {
				// An agent that calls a tool once more after a success means to send once more.
				if (isTool) delete items[key];
				else store(id);
			},
			unknown: (reason) => store([reason]),
			notSent() {
				delete items[key];
			},
			notSentIdKept() {
				store(false);
				earlier = { keptId: true };
			},
		};
	}
}

function isSame(stored: string | undefined, source: string, content: string): stored is string {
	if (stored === undefined) return false;
	return stored.startsWith(source) || stored.startsWith(content, FINGERPRINT_LENGTH);
}

function readOutcome(stored: string): NonNullable<Earlier> {
	const outcome = stored.slice(2 * FINGERPRINT_LENGTH);
	if (outcome === '') return { unknownAfter: 'it was cut short' };
	const value = JSON.parse(outcome) as string | number | [string] | false;
	if (value === false) return { keptId: true };
	return Array.isArray(value) ? { unknownAfter: value[0] } : { id: value };
}
