/** Whether a text is an absolute http or https address that can be requested. */
export const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);

/** Whether an address begins with two schemes, e.g. `https://https://`, also without a colon. `http` may be the name of a host with a port. */
export const hasTwoSchemes = (address: string) => /^https?:?\/*https?(:\/|\/\/)/i.test(address);
