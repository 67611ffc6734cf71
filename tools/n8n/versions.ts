/**
 * The n8n of the demo, the tests and the bench: the newest one that can be installed. On 2026-11-23, 2.41.3 could not: it
 * depends on n8n-core 2.41.2 and 20 more versions that are not in npm's registry.
 */
export const N8N_VERSION = '2.41.1';

/** The packed package also runs on these: on the oldest n8n still in use for every change, on one in between at night. */
export const OTHER_N8N_VERSIONS = ['1.123.50', '2.39.10'];

/** A version of n8n's execution engine, with the version of n8n-workflow that it depends on. */
export interface N8nCore {
	core: string;
	workflow: string;
}

/**
 * From the engine of the oldest n8n (1.123.50 contains the first one), on which every change is tested, to the newest that can
 * be installed, which is a dev dependency. Those in between are for the night.
 */
export const N8N_CORES: N8nCore[] = [
	{ core: '1.122.28', workflow: '1.120.14' },
	{ core: '2.0.0', workflow: '2.0.0' },
	{ core: '2.20.0', workflow: '2.20.0' },
	{ core: '2.31.2', workflow: '2.31.2' },
	{ core: '2.41.1', workflow: '2.41.0' },
];
