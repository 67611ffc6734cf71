/** The folders of the nodes, the lowest layer first: each imports only from the layers below it, types included. */
const LAYERS = [
	'shared',
	'n8n',
	'secrets',
	'errors',
	'parameters',
	'transport',
	'messages',
	'images',
	'sends',
	'(operations|events)',
	'execution',
];

const NODES = '^nodes/MessagingAccount';

const layers = LAYERS.map((layer, i) => ({
	name: `${layer} imports only from lower layers`,
	severity: 'error',
	from: { path: `${NODES}/${layer}/` },
	to: { path: `${NODES}/`, pathNot: `${NODES}/(${LAYERS.slice(0, i + 1).join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		...layers,
		{
			name: 'execution gets values, and reads no parameters',
			severity: 'error',
			from: { path: `${NODES}/execution/` },
			to: { path: `${NODES}/parameters/` },
		},
		{
			name: 'operations and events do not know each other',
			severity: 'error',
			from: { path: `${NODES}/(operations|events)/` },
			to: { path: `${NODES}/(operations|events)/`, pathNot: `${NODES}/$1/` },
		},
		{
			name: 'every folder has a layer',
			severity: 'error',
			from: {},
			to: { path: `${NODES}/[^/]+/`, pathNot: `${NODES}/(${LAYERS.join('|')})/` },
		},
		{
			name: 'no circular imports',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		{
			name: 'the credential uses only the transport',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: '^nodes/', pathNot: `${NODES}/transport/` },
		},
		{
			name: 'what is published imports nothing else',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { pathNot: '^(nodes|credentials)/|^crypto$|/n8n-workflow/' },
		},
		{
			name: 'every property draws its cases as test/support/fastCheck.ts says',
			severity: 'error',
			from: { path: '^test/', pathNot: '^test/support/fastCheck' },
			to: { path: 'fast-check', dependencyTypesNot: ['type-only'] },
		},
		{
			name: 'tools know neither the demo nor the tests',
			severity: 'error',
			from: { path: '^tools/' },
			to: { path: '^(demo|test)/' },
		},
		{
			name: 'demo and tests do not know each other',
			severity: 'error',
			from: { path: '^(demo|test)/' },
			to: { path: '^(demo|test)/', pathNot: '^$1/' },
		},
		{
			name: 'every import is found',
			severity: 'error',
			// This one imports n8n's configuration by a name that only `exports` has.
			from: { pathNot: '^eslint.config.mjs$' },
			to: { couldNotResolve: true },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		tsConfig: { fileName: 'tsconfig.json' },
		// Types included.
		tsPreCompilationDeps: true,
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['require', 'node', 'types', 'default'],
		},
	},
};
