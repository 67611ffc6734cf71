import { pause } from '../pause';
import { ServiceFailure } from './errors';

const MOST_TRIES = 3;

/** The upper end of the wait before the second try; it doubles with each further one. */
const FIRST_BACK_OFF_MS = 1000;

/** A service that asks for more gets no further try: it would come too early. */
const LONGEST_WAIT_MS = 60_000;

/** Nothing new may start any more: the execution was canceled, or another item has failed with On Error "Stop". */
export class NotStarted extends Error {
	constructor() {
		super('The execution was canceled before this item');
	}
}

/**
 * How long to wait before another try: what the service asks for, else exponential back-off with full jitter.
 *
 * @param tries made so far
 * @param isSend whether the request reaches a person
 * @param random from 0 up to 1
 * @returns ms; undefined where there is to be no other try
 */
export function waitBeforeNextTry(
	{ tryAgain, retryAfter }: Pick<ServiceFailure, 'tryAgain' | 'retryAfter'>,
	tries: number,
	isSend: boolean,
	random: number,
): number | undefined {
	const isWorthIt = tryAgain === 'always' || (tryAgain === 'reads' && !isSend);
	if (!isWorthIt || tries >= MOST_TRIES) return undefined;
	const wait = retryAfter ?? random * FIRST_BACK_OFF_MS * 2 ** (tries - 1);
	return wait > LONGEST_WAIT_MS ? undefined : wait;
}

/**
 * Makes a request as often as it is worth it.
 *
 * @param attempt makes it once; may throw NotStarted
 * @param halt ends the waiting between two tries: then the last failure stands
 * @param longestWait ms for which there is time: a wait as long as that is not begun, and the last failure stands
 * @throws ServiceFailure of the last try, or what else `attempt` throws
 */
export async function inTries<T>(
	attempt: () => Promise<T>,
	{
		isSend,
		halt,
		longestWait = () => Infinity,
	}: { isSend: boolean; halt?: AbortSignal; longestWait?: () => number },
): Promise<T> {
	let failure: ServiceFailure | undefined;
	for (let tries = 1; ; tries++) {
		try {
			return await attempt();
		} catch (error) {
			if (!(error instanceof ServiceFailure)) {
				throw error instanceof NotStarted && failure ? failure : error;
			}
			failure = error;
			if (tries > 1) failure.notes.push(`Tried ${tries} times.`);
			const wait = waitBeforeNextTry(failure, tries, isSend, Math.random());
			if (wait === undefined || wait >= longestWait()) throw failure;
			if (!(await isSleptOut(wait, halt))) throw failure;
		}
	}
}

/** @returns false where the sleep was cut short, or is not worth to begin */
export async function isSleptOut(ms: number, halt?: AbortSignal): Promise<boolean> {
	if (ms > 0 && !halt?.aborted) await pause(ms, halt).catch(() => {});
	return !halt?.aborted;
}
