import { sleep } from './sleep';

/** How many characters are read before n8n may do something else: some milliseconds. */
export const STEP_LENGTH = 256 * 1024;

/**
 * Creates the function to call in each round of a long calculation, with its work: as much as reading so many characters. If it
 * returns something, await it: n8n does its other work meanwhile. For a short calculation, it never does.
 */
export function createPauses(): (work: number) => Promise<void> | undefined {
	let done = 0;
	return (work) => {
		done += work;
		if (done <= STEP_LENGTH) return undefined;
		done = 0;
		return sleep(0);
	};
}
