import { N8N_FEATURES } from './n8nFeatures';

/** Otherwise a feature that is no longer detected would silently disable tests. */
(process.env.TEST_N8N_CORE ? test.skip : test)(
	'the n8n version of the dev dependencies has all features',
	() => {
		expect(N8N_FEATURES).toEqual({
			failureHint: true,
			pollBudget: true,
			resumeToken: true,
			executionFinish: true,
			filesAsValues: true,
		});
	},
);
