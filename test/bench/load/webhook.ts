/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- the token is only valid for the embedded service */
import type { INode } from 'n8n-workflow';

import { startService, type EmbeddedService } from '../../../tools/embeddedService/service';
import type { N8nRest } from '../../../tools/n8n/rest';
import { saveCredential } from '../../n8n/realN8n';
import { waitUntil } from '../../support/waitUntil';
import { createNode, publishWorkflow } from '../../support/workflow';
import type { BenchNode } from '../contenders';

/** Nobody waits so long for an answer, except on a busy machine. */
const TIMEOUT_MS = 240_000;

const CREDENTIAL = { clientId: 'load-client', token: 'load-token-0123456789' };

export async function startLinkedService(): Promise<EmbeddedService> {
	const service = await startService(CREDENTIAL);
	service.account.scan(service.account.qrText);
	return service;
}

/** A published workflow that a webhook starts. */
export interface Webhook {
	workflowId: string;
	/** Starts it, and returns the HTTP status of the answer, which n8n gives when the last node has finished. */
	call(body: object): Promise<number>;
}

/**
 * Publishes a workflow and waits until n8n has registered its webhook.
 *
 * @param sender the last node
 * @param between nodes before it
 * @param firstBody of the calls until then
 */
export async function publishWebhook(
	rest: N8nRest,
	service: EmbeddedService,
	sender: BenchNode,
	between: INode[],
	firstBody: object,
): Promise<Webhook> {
	const credentials = await saveCredential(rest, { baseUrl: service.url, ...CREDENTIAL });
	const { id } = await publishWorkflow(rest, 'Load', [
		createNode('Webhook', {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: 'load',
			parameters: { httpMethod: 'POST', path: 'load', responseMode: 'lastNode', options: {} },
		}),
		...between,
		createNode('Send', { ...sender, credentials }),
	]);
	const call = async (body: object) => {
		const response = await fetch(`${rest.url}/webhook/load`, {
			method: 'POST',
			// n8n may close a kept-alive connection at the very moment a call reuses it.
			headers: { 'content-type': 'application/json', connection: 'close' },
			body: JSON.stringify(body),
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		await response.arrayBuffer();
		return response.status;
	};
	await waitUntil(async () => (await call(firstBody)) !== 404);
	return { workflowId: id, call };
}

const FIRST_NUMBER = 491_500_000_000;

/** Returns what is sent at each index. Every index has its own number. */
export function createRow({ url }: EmbeddedService, index: number) {
	return {
		number: String(FIRST_NUMBER + index),
		url: `${url}/pictures/sample.png`,
		caption: `Order ${index} is on its way`,
	};
}
