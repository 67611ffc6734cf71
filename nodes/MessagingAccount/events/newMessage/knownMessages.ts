import { createKey, getId, getKey, type IdField } from './messageId';
import { sortOldestFirst } from './messageOrder';
import type { PollState } from './pollState';

/**
 * Creates the function that tells known messages from new ones.
 *
 * @param pages with every message that it will be called with
 */
export function createKnownMatcher(
	pages: unknown[][],
	state: PollState | undefined,
	idField: IdField,
): (message: unknown) => boolean {
	const known = new Set(state?.known);
	if (state && state.idField !== idField) {
		// Messages known by their old key become known by the new one. If several share an old key, the oldest one does.
		const oldKeys = new Set(known);
		for (const message of sortOldestFirst(pages, state.newestFirst)) {
			// If the host has moved the ID, the old field is gone and its value is in the new one.
			const id = getId(message, state.idField) ?? getId(message, idField) ?? '';
			const isKnown =
				oldKeys.delete(getKey(message, state.idField)) ||
				oldKeys.delete(createKey(id, state.idField));
			if (isKnown) known.add(getKey(message, idField));
		}
	}
	return (message) => known.has(getKey(message, idField));
}
