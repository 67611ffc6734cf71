import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { hash } from '../shared/hash';
import { isToolNode } from '../shared/isToolNode';
import { INTERRUPTED, isUnknown, type Outcome } from './outcome';

/**
 * For each item, or each call of a tool: the two fingerprints of its send, followed by its outcome as JSON. The outcome is the
 * id of the message, a list with the reason why it is unknown, `false` if its "Send Once per ID" is still reserved, or nothing
 * while the send is in progress. Calls of a tool that were successful are not in it.
 */
interface StoredLog {
	round: number;
	items: Record<string, string>;
}

const FINGERPRINT_LENGTH = 8;

/**
 * The send log as version 0.1.0 stored it in the node's context, so that its executions can be retried. It is only read.
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

	/** For a tool: whether the outcome of any call is unknown. */
	hasUncertainCall(): boolean {
		return Object.values(this.items).some((stored) => isUnknown(parseOutcome(stored)));
	}

	/** @param request its number, image and caption, in this order */
	find(itemIndex: number, request: IDataObject): { outcome: Outcome } | undefined {
		if (this.isEmpty) return undefined;
		const entered = readDigits(this.context.getNodeParameter('number', itemIndex));
		const numbers = [...new Set([String(request.number), entered])];
		const [stored] = numbers.flatMap(
			(number) => this.findStored(itemIndex, { ...request, number }) ?? [],
		);
		return stored === undefined ? undefined : { outcome: parseOutcome(stored) };
	}

	private findStored(itemIndex: number, request: IDataObject): string | undefined {
		const node = this.context.getNode();
		const isTool = isToolNode(node);
		const { json } = this.context.getInputData()[itemIndex];
		const input = JSON.stringify(isTool ? { ...json, toolCallId: undefined } : json);
		// Those that came later.
		const others = { options: undefined, imageSource: undefined };
		const entered = JSON.stringify({ ...node.parameters, ...others });
		const source = hash(`${entered}${input}${String(request.number)}`, FINGERPRINT_LENGTH);
		const content = hash(JSON.stringify(request), FINGERPRINT_LENGTH);
		// The items of a tool say nothing: each call has one.
		const candidates = isTool ? Object.values(this.items) : [this.items[itemIndex] ?? ''];
		return candidates.find(
			(stored) => stored.startsWith(source) || stored.startsWith(content, FINGERPRINT_LENGTH),
		);
	}
}

/** Returns a number as version 0.1.0 read it: with 00 in front and with the (0) behind a country code. */
function readDigits(value: unknown): string {
	return String(value)
		.trim()
		.replace(/[+().\p{Zs}-]/gu, '');
}

function parseOutcome(stored: string): Outcome {
	const outcome = stored.slice(2 * FINGERPRINT_LENGTH);
	if (outcome === '') return INTERRUPTED;
	const value = JSON.parse(outcome) as string | number | [string] | false;
	if (value === false) return { idReserved: true };
	return Array.isArray(value) ? { unknownReason: value[0] } : { id: value };
}
