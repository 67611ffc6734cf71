import type { ReadParameter } from '../../nodes/MessagingAccount/parameters/parameterReader';

/** Makes a parameter reader of a function, for tests of code that takes one. */
export function createReader(
	read: (name: string, itemIndex: number, fallback?: unknown) => unknown,
	{ textAround }: { textAround?: string } = {},
): ReadParameter {
	return Object.assign(read, { getTextAround: () => textAround });
}
