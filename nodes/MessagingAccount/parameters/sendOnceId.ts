import type { INode } from 'n8n-workflow';

import { cleanText, quote } from './plainValue';
import type { SendOnceId } from './sendOptions';

/** Returns the key of an ID. IDs that look the same have the same key. */
export function toIdKey(id: SendOnceId): string {
	return `id:${cleanText(String(id)).normalize('NFC')}`;
}

/** An item with the same ID as an earlier item with another recipient. */
export interface SharedId {
	id: SendOnceId;
	itemIndex: number;
}

/** Describes the items that may have been skipped by mistake; undefined if there are none. */
export function describeSharedIds([first, ...more]: SharedId[]): string | undefined {
	if (!first) return undefined;
	const items = more.length === 0 ? '1 item was' : `${more.length + 1} items were`;
	return `${items} skipped because an earlier item with another recipient has the same ID, e.g. item ${first.itemIndex}: ${quote(String(first.id))}`;
}

const IDS_FULL =
	"The record of 'Send Once per ID' is full: it keeps the last 50,000 IDs, and older ones were dropped. An image with such an ID would be sent again.";

const FIXED_ID =
	"All items were skipped: 'Send Once per ID' is the same text for every item, so only the first one is ever sent. Enter an expression that gives each image an ID of its own, e.g. {{ $json.orderNumber }}.";

/** Returns the hints to show after the sends. */
export function describeIds(
	shared: SharedId[],
	isFull: boolean,
	areAllSkipped: boolean,
	{ parameters }: INode,
): string[] {
	const { options } = parameters as { options?: { sendOnceId?: unknown } };
	const isExpression = String(options?.sendOnceId).startsWith('=');
	const isFixed = areAllSkipped && !isExpression;
	return [describeSharedIds(shared) ?? [], isFull ? IDS_FULL : [], isFixed ? FIXED_ID : []].flat();
}
