/* eslint-disable @n8n/community-nodes/no-restricted-globals -- environment variables mark mutation runs and other versions of n8n */

/** A mutation run repeats the tests for every mutant, so it needs few cases and short timeouts. */
export const IS_MUTATION_RUN = process.env.TEST_MUTATION !== undefined;

/** The same tests, on a version of n8n other than that of the dev dependencies. */
const IS_OTHER_VERSION = process.env.TEST_N8N_CORE !== undefined;

/** Returns how many of `count` cases to try: all, or fewer where the same tests run many times. */
export function caseCount(count: number): number {
	if (IS_MUTATION_RUN) return count / 50;
	return IS_OTHER_VERSION ? count / 10 : count;
}
