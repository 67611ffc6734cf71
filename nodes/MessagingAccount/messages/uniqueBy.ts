/** Returns the first item of each key, in order. */
export function uniqueBy<T>(items: T[], getKey: (item: T) => string): T[] {
	const seen = new Set<string>();
	return items.filter((item) => {
		const key = getKey(item);
		return !seen.has(key) && seen.add(key);
	});
}
