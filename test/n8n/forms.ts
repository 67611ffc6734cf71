import type { INode } from 'n8n-workflow';

import type { N8nRest, SavedWorkflow } from '../../tools/n8n/rest';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';

export const nodeOf = ({ nodes }: SavedWorkflow, wanted: string): INode =>
	nodes.find(({ name }) => name === wanted)!;

/** Sends a form once n8n serves it. @returns n8n's response */
export async function submit(url: string, form: FormData): Promise<string> {
	let response: Response;
	const isServed = async (saw: Saw) => {
		response = await fetch(url, { method: 'POST', body: form });
		return saw(response.status) !== 404;
	};
	await waitUntil('the form', isServed, N8N_LIMIT_MS);
	expect(response!.status).toBe(200);
	return await response!.text();
}

/** Waits until the latest execution waits. */
export async function untilWaiting({ rest }: { rest: N8nRest }, workflow: SavedWorkflow) {
	const isWaiting = async (saw: Saw) =>
		saw((await rest.listExecutions(workflow)).at(-1)?.status) === 'waiting';
	await waitUntil('the execution to wait', isWaiting, N8N_LIMIT_MS);
}

/** Waits for the last page of a form, as the page before it does. @param submitted n8n's response @returns title and text */
export async function lastPage({ rest }: { rest: N8nRest }, submitted: string) {
	const { formWaitingUrl } = JSON.parse(submitted) as { formWaitingUrl: string };
	const { pathname, search } = new URL(formWaitingUrl);
	// n8n may have another port after a restart.
	const url = `${rest.url}${pathname}`;
	const isThere = async (saw: Saw) => {
		// n8n may close a connection that has been idle at the very moment in which it is used again.
		const status = await fetch(`${url}/n8n-execution-status${search}`).then(
			async (response) => await response.text(),
			(error: Error) => error.message,
		);
		return saw(status) === 'form-waiting';
	};
	await waitUntil('the last page', isThere, N8N_LIMIT_MS);
	const page = await (await fetch(`${url}${search}`)).text();
	// The page does so when it is opened.
	const ended = await fetch(`${url}${search}`, { method: 'POST', body: new FormData() });
	expect(ended.status).toBe(200);
	const [, title, text] = /<h1>([^]*?)<\/h1>\s*<p[^>]*>([^]*?)<\/p>/.exec(page)!;
	return [title, text];
}
