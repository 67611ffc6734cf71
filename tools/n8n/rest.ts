import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import type { IConnections, INode, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

export const OWNER = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	password: 'Messaging-1',
};

/** n8n may close a kept-alive connection at the very moment a request reuses it. */
const NO_KEEP_ALIVE = { connection: 'close' };

const POLL_MS = 100;
const DATABASE_TIMEOUT_MS = 60_000;
const EXECUTION_TIMEOUT_MS = 300_000;

/** A workflow as the editor loads and saves it. */
export interface SavedWorkflow {
	id: string;
	versionId: string;
	name: string;
	nodes: INode[];
	connections: IConnections;
	/** Items by node name. n8n outputs them instead of executing the node. */
	pinData?: Record<string, INodeExecutionData[]>;
}

export interface ListedExecution {
	id: string;
	status: string;
}

export interface Execution extends ListedExecution {
	data: IRunExecutionData;
}

/** Client for n8n's internal REST API, which its editor uses. Requests throw on a non-2xx response. */
export class N8nRest {
	/** Session cookie, as `name=value`. */
	cookie = '';

	/** n8n 1 executes the workflow in the request, not the saved one, and publishes no versions of a workflow. */
	private isV1 = false;

	constructor(readonly url: string) {}

	/** Logs in as the owner. Sets up the owner first if n8n has none. */
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
		this.isV1 = versionCli.startsWith('1.');
	}

	async get<T>(path: string): Promise<T> {
		return await this.call<T>('GET', path);
	}

	async post<T>(path: string, body: object = {}): Promise<T> {
		return await this.call<T>('POST', path, body);
	}

	async patch(path: string, body: object): Promise<void> {
		await this.call('PATCH', path, body);
	}

	/** Downloads a file, e.g. the binary data of an item. */
	async file(path: string): Promise<Buffer> {
		const response = await fetch(`${this.url}${path}`, {
			headers: { ...NO_KEEP_ALIVE, cookie: this.cookie },
		});
		if (!response.ok) throw new Error(`n8n responded with ${response.status} to GET ${path}`);
		return Buffer.from(await response.arrayBuffer());
	}

	/** Creates a workflow, unpublished. */
	async create(workflow: object): Promise<SavedWorkflow> {
		return await this.post('/rest/workflows', { active: false, ...workflow });
	}

	/** Loads a saved workflow. */
	async workflow(id: string): Promise<SavedWorkflow> {
		return await this.get(`/rest/workflows/${id}`);
	}

	/** Saves changes to a workflow. Executions use the saved workflow and its `pinData`. */
	async save(workflow: SavedWorkflow): Promise<void> {
		await this.patch(`/rest/workflows/${workflow.id}`, workflow);
	}

	/** Executes a saved workflow from one of its triggers and waits until it has finished. */
	async run(workflow: SavedWorkflow, trigger: string): Promise<Execution> {
		return await this.waitForExecution(await this.start(workflow, trigger));
	}

	/**
	 * Starts an execution of a saved workflow from one of its triggers.
	 *
	 * @returns id of the execution
	 */
	async start({ id }: SavedWorkflow, trigger: string): Promise<string> {
		const { executionId } = await this.post<{ executionId: string }>(`/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger },
			...(this.isV1 && { workflowData: await this.workflow(id) }),
		});
		return executionId;
	}

	/** "Retry execution" in n8n, with the original workflow or the currently saved one. */
	async retry(
		{ id }: Pick<ListedExecution, 'id'>,
		workflow: 'original' | 'current',
	): Promise<Execution> {
		const loadWorkflow = workflow === 'current';
		const retried = await this.post<{ id: string }>(`/rest/executions/${id}/retry`, {
			loadWorkflow,
		});
		return await this.waitForExecution(retried.id);
	}

	/** "Stop" in n8n. */
	async stop({ id }: Pick<ListedExecution, 'id'>): Promise<void> {
		await this.post(`/rest/executions/${id}/stop`);
	}

	/** Publishes a saved workflow, which activates its triggers. */
	async publish({ id, versionId }: SavedWorkflow): Promise<void> {
		if (this.isV1) await this.patch(`/rest/workflows/${id}`, { active: true, versionId });
		else await this.post(`/rest/workflows/${id}/activate`, { versionId });
	}

	async unpublish({ id }: SavedWorkflow): Promise<void> {
		if (this.isV1) await this.patch(`/rest/workflows/${id}`, { active: false });
		else await this.post(`/rest/workflows/${id}/deactivate`);
	}

	/** Executions of a workflow without their data, including unfinished ones, oldest first. At most 100. */
	async listExecutions({ id }: SavedWorkflow): Promise<ListedExecution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const { results } = await this.get<{ results: ListedExecution[] }>(
			`/rest/executions?limit=100&filter=${filter}`,
		);
		return results.reverse();
	}

	/** Executions of a workflow with their data, oldest first. Waits for unfinished ones. */
	async executions(workflow: SavedWorkflow): Promise<Execution[]> {
		const executions: Execution[] = [];
		for (const { id } of await this.listExecutions(workflow))
			executions.push(await this.waitForExecution(id));
		return executions;
	}

	/** The latest execution of a workflow. Waits until it has finished. */
	async lastExecution(workflow: SavedWorkflow): Promise<Execution> {
		return await this.waitForExecution((await this.listExecutions(workflow)).at(-1)!.id);
	}

	/** An execution as it is stored now, finished or not. */
	async execution(id: string): Promise<ListedExecution & Partial<Pick<Execution, 'data'>>> {
		const execution = await this.get<ListedExecution & { data: string }>(`/rest/executions/${id}`);
		// Without data, it is an empty list.
		return { ...execution, data: parseFlatted(execution.data) as IRunExecutionData | undefined };
	}

	/** @throws Error if the execution does not finish in time */
	async waitForExecution(executionId: string): Promise<Execution> {
		const deadline = Date.now() + EXECUTION_TIMEOUT_MS;
		while (Date.now() < deadline) {
			const { data, ...execution } = await this.execution(executionId);
			if (hasEnded(execution) && data) {
				// n8n 1 reports the end slightly before it has stored the data: until then, there are none, or those
				// from before, with nodes that are still to run.
				const toRun = data.executionData?.nodeExecutionStack ?? [];
				if (execution.status !== 'success' || toRun.length === 0) return { ...execution, data };
			}
			await sleep(POLL_MS);
		}
		throw new Error(
			`Execution ${executionId} did not finish within ${EXECUTION_TIMEOUT_MS / 1000} s.`,
		);
	}

	private async call<T>(
		method: string,
		path: string,
		body?: object,
		end = Date.now() + DATABASE_TIMEOUT_MS,
	): Promise<T> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				...NO_KEEP_ALIVE,
				...(this.cookie && { cookie: this.cookie }),
				...(body && { 'content-type': 'application/json' }),
			},
			body: body && JSON.stringify(body),
		});
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
		if (cookies.length > 0) this.cookie = cookies.join('; ');
		const text = await response.text();
		// On a busy machine, n8n may take its database for lost for a moment. It has done nothing then.
		if (text.includes('Database is not ready') && Date.now() < end) {
			await sleep(POLL_MS);
			return await this.call(method, path, body, end);
		}
		if (!response.ok) {
			throw new Error(
				`n8n responded with ${response.status} to ${method} ${path}: ${text.slice(0, 500)}`,
			);
		}
		return (JSON.parse(text) as { data: T }).data;
	}
}

export function hasEnded({ status }: ListedExecution): boolean {
	return !['new', 'running', 'waiting'].includes(status);
}

/** Items that a node returned in its last run, by output index. */
export function outputsOf(execution: Execution, node: string): INodeExecutionData[][] {
	const runs = execution.data.resultData.runData[node] ?? [];
	return (runs.at(-1)?.data?.main ?? []).map((items) => items ?? []);
}
