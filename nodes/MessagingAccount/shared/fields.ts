import type { IDataObject } from 'n8n-workflow';

export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the names that lead to a field. One at the top may have dots itself. */
export const toPath = (message: unknown, field: string) =>
	Object.hasOwn(Object(message), field) ? [field] : field.split('.');

/** Returns the value at a path in a message, an item or the like; undefined if there is none. */
export function getField(message: unknown, path: string | string[]): unknown {
	if (typeof path === 'string') return getField(message, toPath(message, path));
	let value = message;
	for (const name of path) {
		if (typeof value !== 'object' || !Object.hasOwn(value ?? {}, name)) return undefined;
		value = (value as Record<string, unknown>)[name];
	}
	return value;
}

/** Returns a copy with these fields only, nested as before, including those inside lists. Missing fields are left out. */
export function pickFields(value: unknown, paths: string[][]): IDataObject {
	const names = [...new Set(paths.map(([name]) => name))];
	const picked = names.map((name) => {
		const field = getField(value, [name]);
		const rests = paths.filter((path) => path[0] === name).map((path) => path.slice(1));
		if (field === undefined || rests.some((rest) => rest.length === 0)) return [name, field];
		if (Array.isArray(field)) return [name, field.map((entry) => pickFields(entry, rests))];
		const nested = pickFields(field, rests);
		return [name, Object.keys(nested).length > 0 ? nested : undefined];
	});
	return Object.fromEntries(picked.filter(([, field]) => field !== undefined)) as IDataObject;
}

/** The most fields of a message that are looked at: it may have thousands. */
export const MAX_FIELDS = 100;

/** A longer name is that of no field to look at: it would be stored, and shown in the log. */
const MAX_NAME_LENGTH = 100;

/** The names listed so far: to list those of an object with thousands takes ms, several times per message. */
const listedNames = new WeakMap<object, string[]>();

export function listOwnFields(value: unknown, prefix = ''): Array<[path: string, value: unknown]> {
	if (typeof value !== 'object' || value === null) return [];
	const isShort = (name: string) => name.length <= MAX_NAME_LENGTH;
	const names = listedNames.get(value) ?? Object.keys(value).slice(0, MAX_FIELDS).filter(isShort);
	listedNames.set(value, names);
	return names.map((name) => [`${prefix}${name}`, (value as Record<string, unknown>)[name]]);
}

/** Lists the first fields of a message, at the top level and one level down. */
export function listFields(message: unknown): Array<[path: string, value: unknown]> {
	const fields: Array<[string, unknown]> = [];
	for (const one of listOwnFields(message))
		if (fields.length < MAX_FIELDS) fields.push(one, ...listOwnFields(one[1], `${one[0]}.`));
	return fields.slice(0, MAX_FIELDS);
}

/** Lists the fields of a message, at the top level and one level down, whose values are neither objects, lists nor null. */
export const listPlainFields = (message: unknown) =>
	listFields(message).filter(([, value]) => typeof value !== 'object');

/** Whether a value takes more characters than this in JSON for sure. To write it, only to measure it, may take long. */
export function isLongerThan(value: unknown, length: number): boolean {
	const values = [value];
	let count = 0;
	while (values.length > 0 && count <= length) {
		const one = values.pop();
		const inner = typeof one === 'object' ? Object.values(one ?? {}) : [];
		count += typeof one === 'string' ? one.length : 1 + inner.length;
		if (count > length) break;
		if (isObject(one)) for (const name of Object.keys(one)) count += name.length;
		for (const next of inner) values.push(next);
	}
	return count > length;
}
