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
	/** Lists and objects whose contents are not yet safe, each with the name of its field. */
	const found: Array<{ values: Record<string, unknown>; field: string }> = [];
	const yieldToEventLoop = createYielder();
	const isLong = (text: string) => text.length > STEP_LENGTH;
	const { inItems } = secrets;
	const mask = (text: string) => (isLong(text) ? inItems.maskInSteps(text) : inItems.mask(text));

	/** Returns a value that is safe except for its contents; a promise only of a long text. */
	const sanitize = (value: unknown, field: string): unknown => {
		if (typeof value === 'object' && value !== null)
			found.push({ values: value as Record<string, unknown>, field });
		if (typeof value === 'string' && isLong(value)) return inItems.maskInSteps(value);
		const isPlain = typeof value === 'string' || typeof value === 'number';
		return isPlain ? redactItemValue(value, secrets, field) : value;
	};

	const safeBody = await sanitize(body, '');
	for (let container = found.pop(); container; container = found.pop()) {
		const { values, field } = container;
		const isList = Array.isArray(values);
		for (const name of Object.keys(values)) {
			const text = typeof values[name] === 'string' ? values[name] : '';
			const pause = yieldToEventLoop(2 * VALUE_WORK + name.length + text.length);
			if (pause) await pause;
			const value = sanitize(values[name], isList ? field : name);
			// For all others, a wait would take longer than they do.
			const safeValue: unknown = value instanceof Promise ? await value : value;
			const masked = isList ? name : mask(name);
			const safeName = toSafeName(masked instanceof Promise ? await masked : masked, values);
			if (name === '__proto__' || safeName !== name) delete values[name];
			if (name !== '__proto__') values[safeName] = safeValue;
		}
	}
	return safeBody;
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
