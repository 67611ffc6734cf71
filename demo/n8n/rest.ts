/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not part of the published node: it drives n8n from outside */
import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import type { IConnections, INode, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

export const OWNER = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	password: 'Messaging-1',
};

/** A connection that stays open may be closed by n8n just when it is used again. */
const FRESH_CONNECTION = { connection: 'close' };

const POLL_MS = 100;
const EXECUTION_LIMIT_MS = 300_000;

/** A workflow as the editor has it open. */
export interface SavedWorkflow {
	id: string;
	versionId: string;
	name: string;
	nodes: INode[];
	connections: IConnections;
	/** Items that a node gives instead of being executed. */
	pinData?: Record<string, INodeExecutionData[]>;
}

export interface ListedExecution {
	id: string;
	status: string;
	/** ISO 8601 */
	startedAt: string;
	/** ISO 8601 */
	stoppedAt: string;
}

export interface Execution extends ListedExecution {
	data: IRunExecutionData;
}

/** Drives a running n8n the way its editor does. */
export class N8nRest {
	/** Of the session, as `name=value`. */
	cookie = '';

	/** n8n 1 runs what it is sent, not what is saved, and has no versions of a workflow to publish. */
	private isFirst = false;

	constructor(readonly url: string) {}

	/** Logs in as the owner, who is set up first where there is none yet. */
	async logIn(): Promise<void> {
		const { userManagement } = await this.get<{
			userManagement: { showSetupOnFirstLoad: boolean };
		}>('/rest/settings');
		if (userManagement.showSetupOnFirstLoad) {
			await this.post('/rest/owner/setup', OWNER);
		} else {
			await this.post('/rest/login', {
				emailOrLdapLoginId: OWNER.email,
				password: OWNER.password,
			});
		}
		const { versionCli } = await this.get<{ versionCli: string }>('/rest/settings');
		this.isFirst = versionCli.startsWith('1.');
	}

	async get<T>(path: string): Promise<T> {
		return await this.call<T>('GET', path);
	}

	async post<T>(path: string, body: object = {}): Promise<T> {
		return await this.call<T>('POST', path, body);
	}

	/** A file that n8n keeps, e.g. the binary data of an item. */
	async file(path: string): Promise<Buffer> {
		const response = await fetch(`${this.url}${path}`, {
			headers: { ...FRESH_CONNECTION, cookie: this.cookie },
		});
		if (!response.ok) throw new Error(`n8n answers ${response.status} to GET ${path}`);
		return Buffer.from(await response.arrayBuffer());
	}

	/** Saves a new workflow. */
	async create(workflow: object): Promise<SavedWorkflow> {
		return await this.post('/rest/workflows', { active: false, ...workflow });
	}

	/** A saved workflow, as the editor opens it. */
	async workflow(id: string): Promise<SavedWorkflow> {
		return await this.get(`/rest/workflows/${id}`);
	}

	/** Saves a workflow with its changes. n8n runs what is saved, and gives a node's saved `pinData` in its place. */
	async save(workflow: SavedWorkflow): Promise<void> {
		await this.call('PATCH', `/rest/workflows/${workflow.id}`, workflow);
	}

	/** Runs a saved workflow from one of its triggers and waits for the end. */
	async run(workflow: SavedWorkflow, trigger: string): Promise<Execution> {
		return await this.finished(await this.start(workflow, trigger));
	}

	/** Starts a saved workflow from one of its triggers; gives the id of the execution. */
	async start({ id }: SavedWorkflow, trigger: string): Promise<string> {
		const { executionId } = await this.post<{ executionId: string }>(`/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger },
			...(this.isFirst && { workflowData: await this.workflow(id) }),
		});
		return executionId;
	}

	/** "Retry execution": with the workflow as it was, or as it is saved now. */
	async retry({ id }: Execution, workflow: 'original' | 'current'): Promise<Execution> {
		const loadWorkflow = workflow === 'current';
		const retried = await this.post<{ id: string }>(`/rest/executions/${id}/retry`, {
			loadWorkflow,
		});
		return await this.finished(retried.id);
	}

	/** Publishes a saved workflow: from then on its triggers start it. */
	async publish({ id, versionId }: SavedWorkflow): Promise<void> {
		if (this.isFirst)
			await this.call('PATCH', `/rest/workflows/${id}`, { active: true, versionId });
		else await this.post(`/rest/workflows/${id}/activate`, { versionId });
	}

	/** All executions of a workflow as n8n lists them, also those that have not ended, the oldest first. */
	async listed({ id }: SavedWorkflow): Promise<ListedExecution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const { results } = await this.get<{ results: ListedExecution[] }>(
			`/rest/executions?limit=100&filter=${filter}`,
		);
		return results.reverse();
	}

	/** The same with their data, each at its end. */
	async executions(workflow: SavedWorkflow): Promise<Execution[]> {
		const executions: Execution[] = [];
		for (const { id } of await this.listed(workflow)) executions.push(await this.finished(id));
		return executions;
	}

	/** The last execution of a workflow, at its end. */
	async lastExecution(workflow: SavedWorkflow): Promise<Execution> {
		return await this.finished((await this.listed(workflow)).at(-1)!.id);
	}

	/** Waits for the end of an execution. */
	async finished(executionId: string): Promise<Execution> {
		const deadline = Date.now() + EXECUTION_LIMIT_MS;
		while (Date.now() < deadline) {
			const execution = await this.get<ListedExecution & { data: string }>(
				`/rest/executions/${executionId}`,
			);
			// n8n 1 tells the end a moment before it has stored the data.
			if (hasEnded(execution) && execution.data !== '[]') {
				return { ...execution, data: parseFlatted(execution.data) as IRunExecutionData };
			}
			await sleep(POLL_MS);
		}
		throw new Error(`Execution ${executionId} did not end in ${EXECUTION_LIMIT_MS / 1000} s.`);
	}

	private async call<T>(method: string, path: string, body?: object): Promise<T> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				...FRESH_CONNECTION,
				...(this.cookie && { cookie: this.cookie }),
				...(body && { 'content-type': 'application/json' }),
			},
			body: body && JSON.stringify(body),
		});
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
		if (cookies.length > 0) this.cookie = cookies.join('; ');
		const text = await response.text();
		if (!response.ok) {
			throw new Error(`n8n answers ${response.status} to ${method} ${path}: ${text.slice(0, 500)}`);
		}
		return (JSON.parse(text) as { data: T }).data;
	}
}

export function hasEnded({ status }: ListedExecution): boolean {
	return !['new', 'running', 'waiting'].includes(status);
}

/** What a node put out in its last run: the items of each output. */
export function outputsOf(execution: Execution, node: string): INodeExecutionData[][] {
	const runs = execution.data.resultData.runData[node] ?? [];
	return (runs.at(-1)?.data?.main ?? []).map((items) => items ?? []);
}
