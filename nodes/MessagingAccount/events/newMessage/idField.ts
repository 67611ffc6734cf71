import { InvalidInputError } from '../../errors/errorClasses';
import { createIdReader, type IdField } from '../../messages/messageKey';
import { MAX_COMPARED } from '../../messages/messageOrder';
import { MAX_FIELDS } from '../../shared/fields';
import { ID_NAMES, listIdFields } from '../../shared/idFieldNames';
import { toPlainName } from '../../shared/names';
import { countShared, findSharedIds, makeUnique } from './sharedIds';

/** The number of messages on a page with which a field was not found by chance. */
const ENOUGH = 10;

export interface ChosenIdField {
	field: IdField;
	/** The largest number of messages on one page that had their IDs in it, up to `ENOUGH`. */
	evidence: number;
	/** The number of messages of the page that differ from another one with the same ID. */
	shared: number;
}

/**
 * Chooses the field of the messages' IDs, which docs/api.md does not specify: the one that the user set, or that was found before, or now.
 * A field found before is given up for one that identifies more messages of this page, if these are no fewer than it was found on, or if
 * messages of this page share IDs in it. If messages share an ID although they differ, more fields are added to distinguish them.
 * @param configuredField empty if the user set none @param isProven whether earlier messages had an ID in it
 * @throws InvalidInputError if it is not, and no message has one
 */
export function chooseIdField(
	messages: unknown[],
	configuredField: IdField,
	before: Pick<ChosenIdField, 'field' | 'evidence'> = { field: '', evidence: 0 },
	isProven = false,
): ChosenIdField {
	if (configuredField !== '') return checkConfigured(messages, configuredField, isProven);
	const compared = messages.slice(0, MAX_COMPARED);
	const countBefore = countIds(compared, before.field);
	const found = countBefore === compared.length ? before.field : findIdField(compared);
	const countFound = countIds(compared, found);
	const isBetter =
		countFound > countBefore &&
		(countFound >= before.evidence || findSharedIds(messages, before.field).length > 0);
	const field = makeUnique(messages, isBetter ? found : before.field);
	const evidenceNow = Math.min(countIds(compared, field), ENOUGH);
	const evidence = isBetter ? evidenceNow : Math.max(before.evidence, evidenceNow);
	return { field, evidence, shared: countShared(messages, field) };
}

function checkConfigured(messages: unknown[], field: IdField, isProven: boolean): ChosenIdField {
	// Notices may be all that is listed for a time. With IDs elsewhere, the service has moved the field.
	const mayLackIds = messages.length === 0 || (isProven && findIdField(messages) === '');
	if (!mayLackIds && countIds(messages, field) === 0)
		throw new InvalidInputError(
			`No message has an ID in '${field}', the 'Message ID Field'`,
			'Remove the option to detect the field automatically, or enter its name as it appears in the messages, e.g. id or message.id.',
		);
	return { field, evidence: 0, shared: countShared(messages, field) };
}

/** Returns the usual field with the most different IDs, but never one with the same ID in all messages; empty if there is none. */
function findIdField(messages: unknown[]): IdField {
	const fields = [...new Set(messages.flatMap(listIdFields))].slice(0, MAX_FIELDS);
	const counted = fields.map((field) => {
		const path = field.split('.');
		const count = countIds(messages, field);
		const isSameInAll = count === 1 && !isOneMessage(messages, field);
		const rarity = path.length * ID_NAMES.length + ID_NAMES.indexOf(toPlainName(path.at(-1)!));
		return { field, count: isSameInAll ? 0 : count, rarity };
	});
	const [best] = counted.sort((a, b) => b.count - a.count || a.rarity - b.rarity);
	return best && best.count > 0 ? best.field : '';
}

/** Whether the messages that have an ID are one, which is listed several times. Ten are compared: to read many may take long. */
function isOneMessage(messages: unknown[], field: IdField): boolean {
	const readId = createIdReader(field);
	const withId = messages.filter((one) => readId(one) !== undefined).slice(0, ENOUGH);
	return new Set(withId.map((one) => JSON.stringify(one))).size === 1;
}

const countIds = (messages: unknown[], field: IdField) =>
	new Set(messages.map(createIdReader(field)).filter((id) => id !== undefined)).size;
