import {
	createIdKey,
	createIdReader,
	createKey,
	type IdField,
	type KeyedMessage,
} from '../../messages/messageKey';
import { sortOldestFirst } from './diffMessages';
import type { PollState } from './pollState';

/**
 * Returns the state for another ID field: what is listed and known by its old key becomes known by its new one. If several
 * messages share an old key, only the oldest one does, because the others may be new.
 */
export function changeIdField(
	state: PollState,
	pages: KeyedMessage[][],
	idField: IdField,
): PollState {
	if (state.idField === idField) return state;
	const readOldId = createIdReader(state.idField);
	const readNewId = createIdReader(idField);
	const newKeys = new Map<string, string>();
	for (const { message, key } of sortOldestFirst(pages, state.order)) {
		// If the host has moved the ID, the old field is gone and its value is in the new one.
		const oldId = readOldId(message) ?? readNewId(message) ?? '';
		const oldKeys = [
			createKey(message, state.idField, readOldId(message)),
			createIdKey(oldId, state.idField),
		];
		for (const oldKey of oldKeys) if (!newKeys.has(oldKey)) newKeys.set(oldKey, key);
	}
	return { ...state, idField, known: state.known.map((key) => newKeys.get(key) ?? key) };
}
