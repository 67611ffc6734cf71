import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { hash } from '../shared/hash';
import { isToolNode } from '../shared/isToolNode';
import { INTERRUPTED, type Outcome } from './outcome';

/**
 * For each item, or each call of a tool: the two fingerprints of its send, followed by its outcome as JSON. The outcome is the
 * id of the message, a list with the reason why it is unknown, `false` if its "Send Once per ID" is still reserved, or nothing
 * while the send is in progress.
 */
interface StoredLog {
	round: number;
	items: Record<string, string>;
}

const FINGERPRINT_LENGTH = 8;

/**
 * The send log as versions up to 0.2.0 stored it in the node's context, so that their executions can be retried. It is only
 * read.
 */
export class EarlierSendLog {
	private readonly items: StoredLog['items'];

	private readonly isEmpty: boolean;

	constructor(
		private readonly context: IExecuteFunctions,
		round: number,
	) {
		const { sends } = context.getContext('node') as { sends?: StoredLog };
		this.items = sends?.round === round ? sends.items : {};
		this.isEmpty = Object.keys(this.items).length === 0;
	}

	/** Whether an attempt at an item may have sent something, even with a different number or image. */
	mayHaveSent(itemIndex: number): boolean {
		const stored = this.items[itemIndex];
		return stored !== undefined && !('idReserved' in parseOutcome(stored));
	}

	find(itemIndex: number, request: IDataObject): { outcome: Outcome } | undefined {
		if (this.isEmpty) return undefined;
		const node = this.context.getNode();
		const { json } = this.context.getInputData()[itemIndex];
		const input = JSON.stringify(isToolNode(node) ? { ...json, toolCallId: undefined } : json);
		// Those that came later.
		const others = { options: undefined, imageSource: undefined };
		const entered = JSON.stringify({ ...node.parameters, ...others });
		const source = hash(`${entered}${input}${String(request.number)}`, FINGERPRINT_LENGTH);
		const content = hash(JSON.stringify(request), FINGERPRINT_LENGTH);
		// A tool's send had its source as key.
		const stored = this.items[itemIndex] ?? this.items[source] ?? '';
		const isSame = stored.startsWith(source) || stored.startsWith(content, FINGERPRINT_LENGTH);
		return isSame ? { outcome: parseOutcome(stored) } : undefined;
	}
}

function parseOutcome(stored: string): Outcome {
	const outcome = stored.slice(2 * FINGERPRINT_LENGTH);
	if (outcome === '') return INTERRUPTED;
	const value = JSON.parse(outcome) as string | number | [string] | false;
	if (value === false) return { idReserved: true };
	return Array.isArray(value) ? { unknownReason: value[0] } : { id: value };
}
