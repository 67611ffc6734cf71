const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/i;

/** Whether an address leads to the machine, or the container, that uses it. */
export function isLoopback(url: string): boolean {
	return LOOPBACK.test(new URL(url).hostname);
}
