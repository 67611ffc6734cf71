import { sleep } from './sleep';

/** The number of characters to read before n8n gets its turn: some milliseconds of work. */
export const STEP_LENGTH = 256 * 1024;

/** What a value of a response counts as, besides its own characters: to read it takes as long as some text. */
export const VALUE_WORK = 32;

/**
 * Creates a function that lets n8n do its other work during a long calculation. Call it in each round with the characters read, and await
 * the promise that it returns in some rounds.
 * @example const yieldToEventLoop = createYielder(); for (const text of texts) await yieldToEventLoop(text.length);
 */
export function createYielder(): (work: number) => Promise<void> | undefined {
	let done = 0;
	return (work) => {
		done += work;
		if (done <= STEP_LENGTH) return undefined;
		done = 0;
		return sleep(0);
	};
}
