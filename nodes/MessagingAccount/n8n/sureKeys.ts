import type { ProcessedData } from './processedData';

export const toSureKey = (key: string) => `${key}:sure`;

/** Returns two keys for each fact that must not be misread: a look-up that a crash interrupts leaves only the first one. */
export function toSureKeys(...keys: string[]): string[] {
	return keys.flatMap((key) => [key, toSureKey(key)]);
}

/** Returns the keys that are there with their second ones. @throws DatabaseError */
export async function findSure(data: ProcessedData, keys: string[]) {
	const found = await data.find(keys);
	const seconds = await data.find([...found].map(toSureKey));
	return new Set(keys.filter((key) => seconds.has(toSureKey(key))));
}
