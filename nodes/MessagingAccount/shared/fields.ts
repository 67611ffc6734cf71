/** Returns the value of a field of a message, an item or the like; undefined if it has none there. */
export function getField(message: unknown, path: string | string[]): unknown {
	let value = message;
	for (const name of typeof path === 'string' ? path.split('.') : path) {
		if (typeof value !== 'object' || value === null) return undefined;
		value = (value as Record<string, unknown>)[name];
	}
	return value;
}

/** Lists the fields of a message, at the top level and one level down, whose values are neither objects nor lists. */
export function listPlainFields(message: unknown): Array<[path: string, value: unknown]> {
	return listFields(message)
		.flatMap((field) =>
			typeof field[1] === 'object' ? listFields(field[1], `${field[0]}.`) : [field],
		)
		.filter(([, value]) => typeof value !== 'object');
}

function listFields(value: unknown, prefix = ''): Array<[path: string, value: unknown]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).map(([name, field]) => [`${prefix}${name}`, field]);
}
