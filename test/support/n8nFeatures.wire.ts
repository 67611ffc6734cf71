import { N8N_FEATURES } from './n8nFeatures';

/** Otherwise a feature that is no longer detected would silently disable tests. */
(process.env.TEST_N8N_CORE ? test.skip : test)('the installed n8n has all features', () => {
	expect(Object.entries(N8N_FEATURES).filter(([, isThere]) => !isThere)).toEqual([]);
});
