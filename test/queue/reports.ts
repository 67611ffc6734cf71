import type { IDataObject } from 'n8n-workflow';

import { startScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { NODE } from '../support/webhookWorkflow';
import { createNode } from '../support/workflow';

/** What comes out of the tested node, for executions that n8n does not keep. */
export type Reports = Awaited<ReturnType<typeof startReports>>;

/** Starts a server that gets the reports. */
export async function startReports() {
	const server = await startScriptedServer();
	server.respondWith({ body: {} });
	const node = createNode('Report', {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		executeOnce: true,
		parameters: {
			method: 'POST',
			url: server.url,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ JSON.stringify({ items: $('${NODE}').all().map(({ json }) => json) }) }}`,
			options: {},
		},
	});
	return {
		/** Reports all items of the tested node, in the order of executions. To run after it. */
		node,
		/** Waits until this many executions have reported, and returns the items of the last one. */
		async waitFor(executions: number) {
			const { requests } = server;
			const isReported = () => requests.length >= executions;
			await waitUntil(`the report of ${executions} executions`, isReported, N8N_LIMIT_MS);
			return (requests.at(-1)!.body as { items: IDataObject[] }).items;
		},
		close: async () => await server.close(),
	};
}
