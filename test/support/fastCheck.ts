import fc from 'fast-check';

import { version } from '../../package.json';
import { IS_NIGHT } from './testSize';

/**
 * By day, properties draw the same cases for everybody until the next release, so that a change cannot fail because of what it does
 * not concern. At night they draw other ones each time; a history that fails becomes a fixed one.
 */
const SEED = Number(version.replaceAll('.', ''));

/** `TEST_REPLAY={"seed":1,"path":"2:0"}` replays what a failed property printed. */
const replay = JSON.parse(process.env.TEST_REPLAY ?? '{}') as { seed?: number; path?: string };

fc.configureGlobal({ ...(!IS_NIGHT && { seed: SEED }), ...replay });

/** What an arbitrary draws. */
export type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

export default fc;
