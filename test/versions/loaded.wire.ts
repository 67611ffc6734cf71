/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests are told by the environment which version they run on */
const { TEST_N8N_CORE_VERSION: core, TEST_N8N_WORKFLOW_VERSION: workflow } = process.env;

/** Else a mistake in the settings would have every version's tests run on the same one. */
(core ? test : test.skip)('what is loaded is the version that was asked for', () => {
	expect(require.resolve('n8n-core')).toContain(`n8n-core@${core}`);
	expect(require.resolve('n8n-workflow')).toContain(`n8n-workflow@${workflow}`);
});
