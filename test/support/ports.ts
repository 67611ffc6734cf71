import { randomInt } from 'node:crypto';

import { getPortPromise } from 'portfinder';

/**
 * Above the ports of well-known programs and those that `fetch` refuses, of which 10080 is the last, and below the range for
 * outgoing connections.
 */
const MIN_PORT = 10_081;
const MAX_PORT = 30_000;

/** Returns a port at which to start looking for a free one. It is random, so parallel tests do not find the same one. */
export const randomPort = (): number => randomInt(MIN_PORT, MAX_PORT);

/** Finds a free port of the loopback interface. */
export const findFreePort = async (): Promise<number> =>
	await getPortPromise({ host: '127.0.0.1', port: randomPort() });
