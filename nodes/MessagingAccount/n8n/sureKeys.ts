import type { ProcessedData } from './processedData';

export const toSureKey = (key: string) => `${key}:sure`;

/** For facts that must not be read wrongly: a look-up that a crash interrupts leaves the first of the two keys behind. */
export function toSureKeys(...keys: string[]): string[] {
	return keys.flatMap((key) => [key, toSureKey(key)]);
}

/** Returns those keys that are there with their second ones. @throws DatabaseError */
export async function findSure(data: ProcessedData, keys: string[]) {
	const found = await data.find(keys);
	const seconds = await data.find([...found].map(toSureKey));
	return new Set(keys.filter((key) => seconds.has(toSureKey(key))));
}
