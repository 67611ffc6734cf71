/** What a rule finds wrong before a publication, as sentences. */
export type Findings = string[];

/** The relevant part of package.json. */
export interface Manifest {
	name: string;
	version: string;
	keywords?: string[];
	license?: string;
	files?: string[];
	dependencies?: object;
	optionalDependencies?: object;
	bundleDependencies?: unknown;
	bundledDependencies?: unknown;
	peerDependencies?: object;
	scripts?: Record<string, string>;
	n8n?: { strict?: boolean; nodes?: string[]; credentials?: string[] };
}

/** A larger tarball probably contains files that n8n does not load. */
const MAX_BYTES = 90_000;

/** n8n finds community nodes in npm's registry by it. */
const FOUND_BY = 'n8n-community-node-package';

/** npm runs these scripts when somebody installs the package. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/** n8n's rules for verified packages: what it looks for, no dependencies, and no code that runs during the installation. */
export function manifestFindings(manifest: Manifest): Findings {
	const dependencies = { ...manifest.dependencies, ...manifest.optionalDependencies };
	const scripts = INSTALL_SCRIPTS.filter((name) => manifest.scripts?.[name]);
	return [
		...(manifest.keywords?.includes(FOUND_BY)
			? []
			: [`package.json: the keyword ${FOUND_BY} is missing.`]),
		...(manifest.license === 'MIT' ? [] : ['package.json: "license" must be MIT.']),
		...Object.keys(dependencies).map(
			(name) => `package.json: ${name} is a runtime dependency, which is not allowed.`,
		),
		...(manifest.bundleDependencies || manifest.bundledDependencies
			? ['package.json: it bundles dependencies.']
			: []),
		...(JSON.stringify(manifest.peerDependencies) === '{"n8n-workflow":"*"}'
			? []
			: ['package.json: the only peer dependency must be "n8n-workflow": "*".']),
		...(JSON.stringify(manifest.files) === '["dist"]'
			? []
			: ['package.json: "files" must be ["dist"].']),
		...(manifest.n8n?.strict === true ? [] : ['package.json: "n8n.strict" must be true.']),
		...scripts.map((name) => `package.json: the script "${name}" runs during the installation.`),
	];
}

/**
 * The tarball may contain only the files that npm always adds, and those that n8n loads.
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
			.map((file) => `${file} would be published, but n8n does not load it.`),
		...needed
			.filter((file) => !files.includes(file))
			.map((file) => `${file} is missing from what would be published.`),
	];
}

export function sizeFindings(bytes: number): Findings {
	if (bytes <= MAX_BYTES) return [];
	return [`The tarball has ${bytes} bytes, more than ${MAX_BYTES}. Which files are new?`];
}

/**
 * @param lock of package-lock.json
 * @param tag to publish; undefined for a mere check
 */
export function versionFindings(
	{ version }: Manifest,
	lock: Pick<Manifest, 'version'>,
	tag: string | undefined,
): Findings {
	return [
		// npm publishes prereleases only with the name of a dist-tag.
		...(/^\d+\.\d+\.\d+$/.test(version)
			? []
			: [`package.json: ${version} is not a version like 1.2.3.`]),
		...(lock.version === version
			? []
			: [`package-lock.json has version ${lock.version}, package.json ${version}.`]),
		...(tag === undefined || tag === version
			? []
			: [`The tag is ${tag}, but the version in package.json is ${version}.`]),
	];
}

/** The first entry must be for this version, and must not be empty. */
export function changelogFindings(changelog: string, version: string): Findings {
	const [, newest, entry] = /^## (\S+)[^\n]*\n(.*?)(?=^## |$(?![^]))/ms.exec(changelog) ?? [];
	if (newest !== version) {
		return [`CHANGELOG.md: the first entry is for ${newest ?? 'no version'}, not for ${version}.`];
	}
	return /^- \S/m.test(entry) ? [] : [`CHANGELOG.md: the entry for ${version} is empty.`];
}

/** The anchors of a Markdown file's headings, as GitHub names them. */
export function listAnchors(text: string): string[] {
	return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

/**
 * Checks the links within the project in a Markdown file.
 *
 * @param file its name, for the findings
 * @param anchorsOf returns the anchors of another file, by its path relative to this one; undefined if there is no such file or
 * folder
 */
export function linkFindings(
	file: string,
	text: string,
	anchorsOf: (path: string) => string[] | undefined,
): Findings {
	const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
	return targets
		.filter((target) => !/^[a-z]+:/.test(target))
		.filter((target) => {
			const [path, anchor] = target.split('#');
			const anchors = path === '' ? listAnchors(text) : anchorsOf(path);
			return !anchors || (anchor !== undefined && !anchors.includes(anchor));
		})
		.map((target) => `${file}: the link to ${target} leads nowhere.`);
}

/**
 * Third-party actions must be pinned to a commit, because tags can be moved.
 *
 * @param file its name, for the findings
 */
export function actionFindings(file: string, workflow: string): Findings {
	return [...workflow.matchAll(/^\s*(?:- )?uses:\s*(\S+)/gm)]
		.map(([, action]) => action)
		.filter((action) => !action.startsWith('./') && !/@[0-9a-f]{40}$/.test(action))
		.map((action) => `${file}: ${action} is not pinned to a commit.`);
}

/**
 * Finds placeholder addresses, which must be replaced before the first publication.
 *
 * @param published the contents of published files, by name
 */
export function placeholderFindings(published: Record<string, string>): Findings {
	return Object.entries(published)
		.filter(([, text]) => /[/@][\w.-]*\bexample\.(com|org|net)\b/.test(text))
		.map(([file]) => `${file} contains a placeholder address at example.com.`);
}
