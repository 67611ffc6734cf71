import type { IDataObject } from 'n8n-workflow';

/** An invariant: something that must not be true, whatever has happened. */
export function never(isTrue: boolean, what: string): void {
	if (isTrue) throw new Error(what);
}

export type Result = 'sent' | 'unknown' | 'notSent' | 'skipped' | 'changed';

export function resultOf({ id, sent, skipped, reason, error }: IDataObject): Result {
	if (skipped) return reason === 'changed' ? 'changed' : 'skipped';
	if (error) return (error as { delivery: 'unknown' | 'notSent' }).delivery;
	never(!(id ?? sent), 'an item came out with neither an id nor an error');
	return 'sent';
}
