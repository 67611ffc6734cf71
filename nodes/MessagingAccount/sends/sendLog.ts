import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { hash } from '../shared/hash';
import { isToolNode } from '../shared/isToolNode';

/**
 * Stored in the node's context. For each item: the two fingerprints of its send, followed by its outcome as JSON. The
 * outcome is the id of the message, a list with the reason why it is unknown, `false` if nothing was sent but its "Send
 * Once per ID" is still reserved, or nothing while the send is in progress.
 */
interface StoredLog {
	round: number;
	items: Record<string, string>;
}

/** The outcome of an earlier attempt at the same send. */
export type PreviousAttempt =
	| { id: string | number }
	| { unknownReason: string }
	/** Not sent. Its ID is still reserved, for this very send. */
	| { idReserved: true }
	| undefined;

/** The log entry of one item. Each call changes what is stored at once. */
export interface SendLogEntry {
	readonly previous: PreviousAttempt;
	/** Call this before the request is made: until the outcome is certain, it is unknown. */
	begin(): void;
	sent(id: string | number): void;
	/** @param reason a few words */
	unknown(reason: string): void;
	notSent(): void;
	/** Not sent, and its ID could not be released: the next attempt at this send may use it. */
	notSentIdReserved(): void;
}

/** Enough to notice a changed send; short, because two fingerprints are stored for every item. */
const FINGERPRINT_LENGTH = 8;

/**
 * What the node sent in this execution. It is in the node's context, which n8n stores with the execution, so it is still
 * there when n8n runs the node again because of "Retry On Fail" or "Retry execution". It belongs to one round of a loop: a
 * finished round never runs again.
 *
 * n8n may stop at any moment, so this must always be true: every send that the service may have carried out is in the log,
 * except successful calls of a tool.
 */
export class SendLog {
	private readonly items: StoredLog['items'];

	/** The parameters as entered, with their expressions. */
	private readonly rawParameters: string;

	private readonly inputs: IDataObject[];

	/** n8n counts each call of a tool as a round of its own, so for tools the send itself is the key. */
	private readonly isTool: boolean;

	constructor(context: IExecuteFunctions) {
		const node = context.getNode();
		this.rawParameters = JSON.stringify({ ...node.parameters, options: undefined });
		this.isTool = isToolNode(node);
		// n8n adds the id of the call to a tool's input, and it differs for each call.
		this.inputs = context
			.getInputData()
			.map(({ json }) => (this.isTool ? { ...json, toolCallId: undefined } : json));
		const round = this.isTool ? 0 : (context.getWorkflowDataProxy(0).$runIndex as number);
		const nodeContext = context.getContext('node') as { sends?: StoredLog };
		if (nodeContext.sends?.round !== round) nodeContext.sends = { round, items: {} };
		this.items = nodeContext.sends.items;
	}

	/**
	 * Whether an earlier attempt of an item may have sent something, even with a different number or image. For a tool: whether
	 * any call may have.
	 */
	mayHaveSent(itemIndex: number): boolean {
		const outcomes = this.isTool ? Object.values(this.items) : [this.items[itemIndex]];
		return outcomes.some(
			(stored) => stored !== undefined && !('idReserved' in parseOutcome(stored)),
		);
	}

	/**
	 * Returns the log entry of an item. The send counts as the same as before if its request is the same, or if its number
	 * and the source of everything else are: a caption with the current time differs each time, though nobody changed it.
	 *
	 * @param request its body
	 */
	entryFor(itemIndex: number, request: IDataObject): SendLogEntry {
		const { items, isTool } = this;
		const input = JSON.stringify(this.inputs[itemIndex]);
		const source = hash(
			`${this.rawParameters}${input}${String(request.number)}`,
			FINGERPRINT_LENGTH,
		);
		const content = hash(JSON.stringify(request), FINGERPRINT_LENGTH);
		const key = isTool ? source : String(itemIndex);
		const store = (outcome: unknown) => {
			// With join, because a string built with `+` keeps its parts and takes 2.5 times the memory.
			items[key] = [source, content, outcome === undefined ? '' : JSON.stringify(outcome)].join('');
		};
		const stored = items[key];
		let previous: PreviousAttempt = isSameSend(stored, source, content)
			? parseOutcome(stored)
			: undefined;
		return {
			get previous() {
				return previous;
			},
			begin: () => store(undefined),
			sent(id: string | number) {
				// An agent that calls a tool again after a success wants to send again.
				if (isTool) delete items[key];
				else store(id);
			},
			unknown: (reason) => store([reason]),
			notSent() {
				delete items[key];
			},
			notSentIdReserved() {
				store(false);
				previous = { idReserved: true };
			},
		};
	}
}

function isSameSend(stored: string | undefined, source: string, content: string): stored is string {
	if (stored === undefined) return false;
	return stored.startsWith(source) || stored.startsWith(content, FINGERPRINT_LENGTH);
}

function parseOutcome(stored: string): NonNullable<PreviousAttempt> {
	const outcome = stored.slice(2 * FINGERPRINT_LENGTH);
	if (outcome === '') return { unknownReason: 'it was interrupted' };
	const value = JSON.parse(outcome) as string | number | [string] | false;
	if (value === false) return { idReserved: true };
	return Array.isArray(value) ? { unknownReason: value[0] } : { id: value };
}
