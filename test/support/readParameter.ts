import type { ReadParameter } from '../../nodes/MessagingAccount/parameters/parameterReader';

/** Makes a parameter reader of a function, for tests of code that takes one. */
export function createReader(
	read: (name: string, itemIndex: number, fallback?: unknown) => unknown,
	parts: ReturnType<ReadParameter['withParts']>['parts'] = [],
): ReadParameter {
	const withParts = (name: string, itemIndex: number) => ({
		value: read(name, itemIndex, ''),
		entered: '',
		parts,
		evaluate: () => undefined,
	});
	return Object.assign(read, { withParts });
}
