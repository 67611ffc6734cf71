/** Groups items by key, in the order in which the keys first occur. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
	const groups = new Map<K, T[]>();
	for (const item of items) {
		const key = keyOf(item);
		if (!groups.has(key)) groups.set(key, []);
		groups.get(key)!.push(item);
	}
	return groups;
}
