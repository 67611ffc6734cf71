import config from '../eslint.config.mjs';

/**
 * Tests, tools and the demo run in Node.js instead of in n8n: what n8n's rules forbid to nodes, e.g. files and processes, is
 * what they are made of. n8n's strict mode allows no change to the configuration of the nodes, so each of these folders has
 * its own, and `npm run lint` tells ESLint to look for it.
 */
export default [
	// Without those of the folders `nodes` and `credentials`, which would match test/nodes here.
	...config.filter(({ files = [] }) => !files.some((pattern) => pattern.startsWith('./'))),
	{
		files: ['**/*.ts'],
		rules: {
			'@n8n/community-nodes/no-dangerous-functions': 'off',
			'@n8n/community-nodes/no-hardcoded-secrets': 'off',
			'@n8n/community-nodes/no-restricted-globals': 'off',
			'@n8n/community-nodes/no-restricted-imports': 'off',
			'@n8n/community-nodes/require-node-api-error': 'off',
			'no-console': 'off',
		},
	},
];
