import { parseArgs } from 'node:util';

/** Flags of both `npm run demo` and `npm run dev`: what each does, by its name without the dashes. */
export const COMMON_FLAGS = {
	fresh: "begin anew: first remove n8n's workflows, credentials and executions",
	'no-open': 'do not open the page in the browser',
};

/**
 * Reads the command line. If it asks for help or has an unknown flag, prints a text and exits the process.
 *
 * @param script the npm script, e.g. `demo`
 * @param flags what each does, by its name without the dashes
 */
export function readFlags<Name extends string>(
	script: string,
	flags: Record<Name, string>,
): Record<Name, boolean> {
	const texts = Object.entries<string>({ ...flags, help: 'print this' });
	const option = { type: 'boolean', default: false } as const;
	const options = Object.fromEntries(texts.map(([name]) => [name, option]));
	try {
		const { values } = parseArgs({ options });
		if (!values.help) return values as Record<Name, boolean>;
	} catch (error) {
		const help = `npm run ${script} -- --help`;
		console.error(`${(error as Error).message}. '${help}' lists all flags.`);
		process.exit(1);
	}
	const lines = texts.map(([name, text]) => `  --${name.padEnd(8)} ${text}`);
	console.log([`Usage: npm run ${script} -- [FLAG…]`, '', ...lines].join('\n'));
	process.exit(0);
}
