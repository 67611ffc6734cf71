import { N8N_CORES } from '../../tools/n8n/versions';

const version = N8N_CORES.find(({ core }) => core === process.env.TEST_N8N_CORE);

/** Otherwise a wrong setting could run the tests on the same version every time. */
(version ? test : test.skip)('the requested versions are loaded', () => {
	expect(require.resolve('n8n-core')).toContain(`n8n-core@${version?.core}`);
	expect(require.resolve('n8n-workflow')).toContain(`n8n-workflow@${version?.workflow}`);
});
