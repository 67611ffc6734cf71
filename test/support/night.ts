import { IS_NIGHT } from './cases';

/** For tests that start an n8n of their own. CONTRIBUTING.md names those that find the same defects by day. */
export const describeAtNight = IS_NIGHT ? describe : describe.skip;

export const testAtNight = IS_NIGHT ? test : test.skip;

/** Returns all variants of such a test at night, and by day only the first one. */
export function variants<T>(all: T[]): T[] {
	return IS_NIGHT ? all : all.slice(0, 1);
}
