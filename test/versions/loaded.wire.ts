/* eslint-disable @n8n/community-nodes/no-restricted-globals -- environment variables select the version */
const { TEST_N8N_CORE_VERSION: core, TEST_N8N_WORKFLOW_VERSION: workflow } = process.env;

/** Otherwise a wrong setting could run the tests on the same version every time. */
(core ? test : test.skip)('the requested versions are loaded', () => {
	expect(require.resolve('n8n-core')).toContain(`n8n-core@${core}`);
	expect(require.resolve('n8n-workflow')).toContain(`n8n-workflow@${workflow}`);
});
