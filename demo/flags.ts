/** What each flag does, by its name without the dashes. */
export type Flags<Name extends string> = Record<Name, string>;

const HELP: Flags<'help'> = { help: 'print this' };

/** Flags of both `npm run demo` and `npm run dev`. */
export const COMMON_FLAGS: Flags<'fresh' | 'no-open'> = {
	fresh: "begin anew: first remove n8n's workflows, credentials and executions",
	'no-open': 'do not open the page in the browser',
};

/**
 * Reads the command line. If it asks for help or has an unknown flag, prints a text and exits the process.
 *
 * @param script the npm script, e.g. `demo`
 */
export function readFlags<Name extends string>(
	script: string,
	flags: Flags<Name>,
): Set<Name | 'help'> {
	const all = { ...flags, ...HELP };
	const { given, unknown } = parseFlags(all, process.argv.slice(2));
	if (unknown !== undefined) {
		const help = `npm run ${script} -- --help`;
		console.error(`'npm run ${script}' has no flag '${unknown}'. '${help}' lists its flags.`);
		process.exit(1);
	}
	if (given.has('help')) {
		console.log(usage(script, all));
		process.exit(0);
	}
	return given;
}

/**
 * @param args e.g. `['--once']`
 * @returns the flags among the arguments, and the first argument that is none
 */
export function parseFlags<Name extends string>(
	flags: Flags<Name>,
	args: string[],
): { given: Set<Name>; unknown?: string } {
	const names = Object.keys(flags) as Name[];
	return {
		given: new Set(names.filter((name) => args.includes(`--${name}`))),
		unknown: args.find((arg) => !names.some((name) => arg === `--${name}`)),
	};
}

/** The text for `--help`. */
export function usage(script: string, flags: Flags<string>): string {
	const names = Object.keys(flags).map((name) => `--${name}`);
	const width = Math.max(...names.map((name) => name.length));
	const lines = Object.values(flags).map((text, i) => `  ${names[i].padEnd(width)}  ${text}`);
	return [`Usage: npm run ${script} -- [FLAG…]`, '', ...lines].join('\n');
}
