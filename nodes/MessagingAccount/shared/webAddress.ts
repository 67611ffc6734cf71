/** Whether a text is an absolute http or https address that can be requested. Of `https:///api`, a URL would take `api` for the host. */
export const isWebAddress = (text: string) =>
	/^https?:\/\/[^\s/\\?#.]/i.test(text) && URL.canParse(text);

/** Whether an address begins with two schemes, e.g. `https://https://`, also without a colon. `http` may be the name of a host with a port. */
export const hasTwoSchemes = (address: string) => /^https?:?\/*https?(:\/|\/\/)/i.test(address);

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/i;

/** Whether an address leads to the machine, or the container, that uses it. */
export const isLoopback = (url: string) => LOOPBACK.test(new URL(url).hostname);
