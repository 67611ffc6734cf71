import { randomInt } from 'node:crypto';

import { getPortPromise } from 'portfinder';

/** Above what well-known programs have, and below what systems give to outgoing connections. */
const LOWEST = 10_000;
const HIGHEST = 30_000;

/** Where to look for free ports: elsewhere each time, so that tests that start at once do not find the same ones. */
export function anyPort(): number {
	return randomInt(LOWEST, HIGHEST);
}

/** A port of the loopback interface that is free. */
export async function freePort(): Promise<number> {
	return await getPortPromise({ host: '127.0.0.1', port: anyPort() });
}
