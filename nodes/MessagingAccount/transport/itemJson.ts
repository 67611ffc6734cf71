import type { IDataObject } from 'n8n-workflow';

import { createYielder, STEP_LENGTH, VALUE_WORK } from '../n8n/yieldToEventLoop';
import { type Account, redactItemValue } from '../secrets/account';
import { isObject } from '../shared/fields';

/**
 * Makes a parsed body safe for n8n's items, in place. It masks the account's secrets wherever the service repeats them, and removes fields
 * named `__proto__`, which n8n would make the prototype of an item. It puts an underscore before the names `$error` and `$json`, because
 * n8n takes an item with both for a failed one, and discards all its fields. It renames nested fields, too: a later node may make an item
 * of them. A large body is read in steps, between which n8n does its other work. A small one waits for nothing.
 */
export async function sanitizeForItems(body: unknown, { secrets }: Account): Promise<unknown> {
	const { inItems } = secrets;
	const isLong = (text: string) => text.length > STEP_LENGTH;
	const yieldToEventLoop = createYielder();
	const whole = [body];
	/** Lists and objects, each with the name of its field. Those inside them are added on the way. */
	const found: Array<{ values: object; field: string }> = [{ values: whole, field: '' }];
	for (const { values, field } of found) {
		const isList = Array.isArray(values);
		const fields = values as Record<string, unknown>;
		for (const name of Object.keys(fields)) {
			const value = fields[name];
			const text = typeof value === 'string' ? value : '';
			const pause = yieldToEventLoop(2 * VALUE_WORK + name.length + text.length);
			// To await what is no promise would take longer than all else.
			if (pause) await pause;
			const ownField = isList ? field : name;
			if (typeof value === 'object' && value !== null)
				found.push({ values: value, field: ownField });
			const safeValue = isLong(text)
				? await inItems.maskInSteps(text)
				: redactItemValue(value, secrets, ownField);
			let safeName = name;
			if (!isList)
				safeName = toSafeName(
					isLong(name) ? await inItems.maskInSteps(name) : inItems.mask(name),
					fields,
				);
			if (name === '__proto__' || safeName !== name) delete fields[name];
			if (name !== '__proto__') fields[safeName] = safeValue;
		}
	}
	return whole[0];
}

/** Returns a name that n8n does not use itself, nor the response. */
function toSafeName(name: string, fields: Record<string, unknown>): string {
	if (!['$error', '$json'].includes(name)) return name;
	let safeName = `_${name}`;
	while (safeName in fields) safeName = `_${safeName}`;
	return safeName;
}

/** Returns a message as an item's `json`. One that an item cannot hold, or n8n would take for a failed item, becomes `{ value }`. */
export function toItemJson(message: unknown): IDataObject {
	// Because of these fields alone, n8n would route an item to the error output, and merge the input item into it.
	const isOfError = (field: string) => /^(error|message|details)$/.test(field);
	const isItem = isObject(message) && !(message.error && Object.keys(message).every(isOfError));
	return isItem ? message : { value: message as IDataObject['value'] };
}
