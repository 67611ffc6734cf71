/** A version of n8n's execution engine, with the version of n8n-workflow that it depends on. */
export interface Core {
	core: string;
	workflow: string;
}

/** From the oldest n8n still in use (1.123.50 contains the first one) to the newest that can be installed. */
export const CORES: Core[] = [
	{ core: '1.122.28', workflow: '1.120.14' },
	{ core: '2.0.0', workflow: '2.0.0' },
	{ core: '2.20.0', workflow: '2.20.0' },
	{ core: '2.30.4', workflow: '2.30.2' },
	{ core: '2.41.1', workflow: '2.41.0' },
];

/** Complete n8n installs: the oldest and the newest version. `npm run test:n8n` runs the one in between. */
export const N8NS = ['1.123.50', '2.41.1'];
