import { createHash } from 'node:crypto';

/** The length in characters of 6 bits: a text collides with one of 1,000 others with a probability of 1 in 10^15. */
const USUAL_LENGTH = 10;

/** Returns a hash, which identifies a text without storing it. @param length in characters of 6 bits */
export function hash(text: string, length = USUAL_LENGTH): string {
	return createHash('sha256').update(text).digest('base64').slice(0, length);
}
