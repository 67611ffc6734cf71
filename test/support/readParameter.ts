import type { ParameterReader } from '../../nodes/MessagingAccount/parameters/parameterReader';

/** Makes a parameter reader of a function, for tests of code that takes one. */
export function createReader(
	read: (name: string, itemIndex: number, fallback?: unknown) => unknown,
	parts: ReturnType<ParameterReader['readWithParts']>['parts'] = [],
): ParameterReader {
	const readWithParts = (name: string, itemIndex: number) => ({
		value: read(name, itemIndex, ''),
		entered: '',
		parts,
	});
	return { read, readWithParts };
}
