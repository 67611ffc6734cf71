import { createHash } from 'node:crypto';

/** 60 bits: among 1,000 of them, one in a thousand million million messages is taken for another one. */
const HASH_LENGTH = 10;

export function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, HASH_LENGTH);
}
