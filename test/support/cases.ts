/* eslint-disable @n8n/community-nodes/no-restricted-globals -- an environment variable marks mutation runs */

/** A mutation run repeats the tests for every mutant, so it needs few cases and short timeouts. */
export const IS_MUTATION_RUN = process.env.TEST_MUTATION !== undefined;

/** Returns how many of `count` cases to try: all, or only a few in a mutation run. */
export function caseCount(count: number): number {
	return IS_MUTATION_RUN ? count / 50 : count;
}
