const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/i;

/** Whether an address leads to the machine, or the container, that uses it. */
export const isLoopback = (url: string) => LOOPBACK.test(new URL(url).hostname);
