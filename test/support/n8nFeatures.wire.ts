/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests are told by the environment which version they run on */
import { N8N_FEATURES } from './n8nFeatures';

/** Else what n8n no longer tells would only make the tests expect less. */
(process.env.TEST_N8N_CORE ? test.skip : test)(
	'the n8n of the development dependencies knows all',
	() => {
		expect(N8N_FEATURES).toEqual({ failureHint: true, pollBudget: true });
	},
);
