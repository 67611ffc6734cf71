/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests are told by the environment which version they run on */
import { KNOWS } from './knows';

/** Else what n8n no longer tells would only make the tests expect less. */
(process.env.TEST_N8N_CORE ? test.skip : test)(
	'the n8n of the development dependencies knows all',
	() => {
		expect(KNOWS).toEqual({ failureHint: true, pollBudget: true });
	},
);
