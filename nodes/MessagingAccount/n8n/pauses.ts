import { sleep } from './sleep';

/** The number of characters to read before n8n gets its turn: some milliseconds of work. */
export const STEP_LENGTH = 256 * 1024;

/** Creates a function to call in each round of a calculation, with the characters read. If it returns a promise, await it: n8n's turn. */
export function createPauses(): (work: number) => Promise<void> | undefined {
	let done = 0;
	return (work) => {
		done += work;
		if (done <= STEP_LENGTH) return undefined;
		done = 0;
		return sleep(0);
	};
}
