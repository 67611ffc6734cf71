/** A mutation run repeats the tests for every mutant, so it needs few cases. */
const IS_MUTATION_RUN = process.env.TEST_MUTATION !== undefined;

/** The same tests, on a version of n8n other than that of the dev dependencies. */
export const IS_OTHER_VERSION = process.env.TEST_N8N_CORE !== undefined;

/** `TEST_SIZE=night`: nobody waits for the tests. */
export const IS_NIGHT = process.env.TEST_SIZE === 'night';

/** Of a test that takes long at night: 20,000 histories, or a list of 10,000 at a simulated service. */
export const NIGHT_TIMEOUT_MS = 3_600_000;

/** How many times as many cases are tried at night. */
const NIGHT_FACTOR = 5;

/**
 * Returns how many of `count` cases to try: more at night, and fewer where the same tests run many times.
 *
 * @param byDay the share of them that every change has to pass
 */
export function caseCount(count: number, byDay = 0.5): number {
	if (IS_MUTATION_RUN) return count / 50;
	if (IS_OTHER_VERSION) return count / 10;
	return count * (IS_NIGHT ? NIGHT_FACTOR : byDay);
}

/** For tests that start an n8n of their own. CONTRIBUTING.md names those that find the same defects by day. */
export const testAtNight = IS_NIGHT ? test : test.skip;

/** Returns all variants of such a test at night, and by day only the first one. */
export const variants = <T>(all: T[]): T[] => (IS_NIGHT ? all : all.slice(0, 1));
