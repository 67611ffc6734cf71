/** Files to mutate. */
const MUTATED = /^(nodes|credentials)\/.*\.ts$/;

/** Returns a sentence about files that cannot be mutated; undefined if all of them can. */
export function findInvalidFiles(
	named: string[],
	exists: (file: string) => boolean,
): string | undefined {
	const missing = named.filter((file) => !exists(file));
	if (missing.length > 0) return `There is no ${missing.join(', ')}.`;
	const others = named.filter((file) => !MUTATED.test(file));
	if (others.length > 0) {
		return `Mutants are made of the .ts files in nodes and credentials, not of ${others.join(', ')}.`;
	}
	return undefined;
}

/** Returns those of the changed files that can be mutated. */
export function filterMutated(changed: string[]): string[] {
	return changed.filter((file) => MUTATED.test(file));
}
