/** Of these, mutants are made. */
const MUTATED = /^(nodes|credentials)\/.*\.ts$/;

/** What is wrong with the files that somebody has named: a sentence; undefined where nothing is. */
export function refusal(named: string[], exists: (file: string) => boolean): string | undefined {
	const missing = named.filter((file) => !exists(file));
	if (missing.length > 0) return `There is no ${missing.join(', ')}.`;
	const others = named.filter((file) => !MUTATED.test(file));
	if (others.length > 0) {
		return `Mutants are made of the .ts files in nodes and credentials, not of ${others.join(', ')}.`;
	}
	return undefined;
}

/** Of all files that have changed those that mutants are made of. */
export function mutatedAmong(changed: string[]): string[] {
	return changed.filter((file) => MUTATED.test(file));
}
