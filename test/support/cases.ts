/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests are told by the environment how much is to be tried */

/** There the tests run for every mutant: a few cases and short time-outs have to be enough. */
export const IS_MUTATION_RUN = process.env.TEST_MUTATION !== undefined;

/** How many cases to try of those that there are in other runs. */
export function cases(count: number): number {
	return IS_MUTATION_RUN ? count / 50 : count;
}
