import config from '../eslint.config.mjs';
import { linearRegularExpressions } from './eslint/linearRegularExpressions.js';
import { noContextCast } from './eslint/noContextCast.js';

/**
 * What `npm run lint` checks: n8n's rules, which its strict mode allows nobody to change (eslint.config.mjs), in nodes and
 * credentials also those of this project, and elsewhere without those that make no sense outside n8n.
 */
export default [
	// What is installed there, and Stryker's copy of the code.
	{ ignores: ['.local/'] },
	...config,
	{
		files: ['{nodes,credentials}/**/*.ts'],
		languageOptions: { parserOptions: { projectService: true } },
		plugins: {
			project: {
				rules: {
					'linear-regular-expressions': linearRegularExpressions,
					'no-context-cast': noContextCast,
				},
			},
		},
		rules: {
			'project/linear-regular-expressions': 'error',
			'project/no-context-cast': 'error',
			'no-restricted-syntax': [
				'error',
				{
					selector:
						'AssignmentExpression[operator=/^(\\?\\?|\\|\\|)=$/] > MemberExpression[computed=true].left',
					message:
						'Use a Map, or Object.create(null): a name from outside, e.g. __proto__, finds what every object has.',
				},
			],
		},
	},
	{
		// They run in Node.js, and consist of what n8n forbids to nodes, e.g. files and processes.
		files: ['{bench,demo,test,tools}/**/*.ts'],
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
