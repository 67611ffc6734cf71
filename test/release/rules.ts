/** What is looked at before the package is published. Each rule gives what is wrong, in sentences; none where all is well. */
export type Findings = string[];

/** As much of package.json as matters here. */
export interface Manifest {
	name: string;
	version: string;
	files?: string[];
	dependencies?: object;
	optionalDependencies?: object;
	bundleDependencies?: unknown;
	bundledDependencies?: unknown;
	peerDependencies?: object;
	scripts?: Record<string, string>;
	n8n?: { strict?: boolean; nodes?: string[]; credentials?: string[] };
}

/** Above it something has come in that n8n need not load. */
const MOST_BYTES = 60_000;

/** npm runs these on the machine of whoever installs the package. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/** n8n's rules for a package that it verifies: nothing comes with it, and nothing runs when it is installed. */
export function manifestFindings(manifest: Manifest): Findings {
	const brought = { ...manifest.dependencies, ...manifest.optionalDependencies };
	const scripts = INSTALL_SCRIPTS.filter((name) => manifest.scripts?.[name]);
	return [
		...Object.keys(brought).map(
			(name) => `package.json: ${name} is a runtime dependency. The package has none.`,
		),
		...(manifest.bundleDependencies || manifest.bundledDependencies
			? ['package.json: it bundles dependencies.']
			: []),
		...(JSON.stringify(manifest.peerDependencies) === '{"n8n-workflow":"*"}'
			? []
			: ['package.json: the one peer dependency is "n8n-workflow": "*".']),
		...(JSON.stringify(manifest.files) === '["dist"]'
			? []
			: ['package.json: "files" is to be ["dist"].']),
		...(manifest.n8n?.strict === true ? [] : ['package.json: "n8n.strict" is to be true.']),
		...scripts.map((name) => `package.json: the script "${name}" runs when it is installed.`),
	];
}

/**
 * What is in the tarball: what npm puts into every one, and what n8n loads.
 *
 * @param files as tar lists them, e.g. `package/dist/nodes/…`
 */
export function contentFindings(files: string[], { n8n = {} }: Manifest): Findings {
	const { nodes = [], credentials = [] } = n8n;
	const needed = [
		...['package.json', 'README.md', 'LICENSE', ...nodes, ...credentials],
		...nodes.map((node) => node.replace(/\.js$/, '.json')),
	].map((file) => `package/${file}`);
	const allowed =
		/^package\/(package\.json|README\.md|LICENSE|dist\/(nodes|credentials)\/.*\.(js|json|svg))$/;
	return [
		...files
			.filter((file) => !allowed.test(file))
			.map((file) => `${file} would be published, and is nothing that n8n loads.`),
		...needed
			.filter((file) => !files.includes(file))
			.map((file) => `${file} is missing from what would be published.`),
	];
}

export function sizeFindings(bytes: number): Findings {
	if (bytes <= MOST_BYTES) return [];
	return [`The tarball has ${bytes} bytes, more than ${MOST_BYTES}: what has come in?`];
}

/**
 * @param lock of package-lock.json
 * @param tag that is published; undefined where it is only a check
 */
export function versionFindings(
	{ version }: Manifest,
	lock: Pick<Manifest, 'version'>,
	tag: string | undefined,
): Findings {
	return [
		// npm publishes no other kind without being told a name for it.
		...(/^\d+\.\d+\.\d+$/.test(version)
			? []
			: [`package.json: ${version} is no version such as 1.2.3.`]),
		...(lock.version === version
			? []
			: [`package-lock.json has version ${lock.version}, package.json ${version}.`]),
		...(tag === undefined || tag === version
			? []
			: [`The tag is ${tag}, and the version in package.json ${version}.`]),
	];
}

/** The newest version stands first, and says something. */
export function changelogFindings(changelog: string, version: string): Findings {
	const [, newest, entry] = /^## (\S+)[^\n]*\n(.*?)(?=^## |$(?![^]))/ms.exec(changelog) ?? [];
	if (newest !== version) {
		return [`CHANGELOG.md: the first entry is for ${newest ?? 'no version'}, not for ${version}.`];
	}
	return /^- \S/m.test(entry) ? [] : [`CHANGELOG.md: the entry for ${version} says nothing.`];
}

/**
 * Links within the project, of one of the texts at its top.
 *
 * @param file its name, for the finding
 * @param exists tells whether there is such a file, by its path from the top of the project
 */
export function linkFindings(
	file: string,
	text: string,
	exists: (path: string) => boolean,
): Findings {
	const anchors = new Set(
		[...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
			heading
				.toLowerCase()
				.replace(/[^\p{L}\p{N}\s_-]/gu, '')
				.replaceAll(' ', '-'),
		),
	);
	const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
	return targets
		.filter((target) => !/^[a-z]+:/.test(target))
		.filter((target) =>
			target.startsWith('#') ? !anchors.has(target.slice(1)) : !exists(target.split('#')[0]),
		)
		.map((target) => `${file}: the link to ${target} leads nowhere.`);
}

/**
 * An action of somebody else is taken by its commit: a tag can be moved.
 *
 * @param file its name, for the finding
 */
export function actionFindings(file: string, workflow: string): Findings {
	return [...workflow.matchAll(/^\s*(?:- )?uses:\s*(\S+)/gm)]
		.map(([, action]) => action)
		.filter((action) => !action.startsWith('./') && !/@[0-9a-f]{40}$/.test(action))
		.map((action) => `${file}: ${action} is not pinned to a commit.`);
}

/**
 * Addresses that stand in for the real ones until the package has a public home.
 *
 * @param published the files that name it, by their names
 */
export function placeholderFindings(published: Record<string, string>): Findings {
	return Object.entries(published)
		.filter(([, text]) => /[/@][\w.-]*\bexample\.(com|org|net)\b/.test(text))
		.map(([file]) => `${file} has an address at example.com that stands in for the real one.`);
}
