import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import {
	hasEnded,
	outputsOf,
	type Execution,
	type ListedExecution,
	type SavedWorkflow,
} from '../../tools/n8n/rest';
import { saveCredential, startRealN8n, type RealN8n } from '../n8n/realN8n';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { createSendParameters } from '../support/webhookWorkflow';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { createNode, publishWorkflow } from '../support/workflow';
import { idOf, judge, type KilledList, type Verdict } from './verdict';

/** Under what conditions lists are sent. */
export interface Conditions {
	/** How many lists n8n sends at the same time, in executions of their own. */
	lists: number;
	/** How many people are on each. */
	people: number;
	/** Of the service, in ms. */
	latency: number;
	concurrency: number;
}

/** When to kill n8n. */
export interface Aim {
	/** After how many requests of all lists. */
	requests: number;
	/** How much later, in ms. */
	delay: number;
}

export type JudgedList = KilledList & Verdict;

/** How long an execution goes on after the last send. */
const WAIT_SECONDS = 0.2;

const ROWS = 'Split Out';
const END = 'No Operation';

/** Much longer than sending all lists takes. */
const REQUESTS_TIMEOUT_MS = 120_000;

/** Fresh numbers have nine digits after this. */
const FIRST_NUMBER = 49_151_000_000_000;

/** A real n8n that is killed again and again, and a service that delivers and counts. */
export class Harness {
	private server!: ScriptedServer;

	private n8n?: RealN8n;

	private readonly workflows = new Map<number, SavedWorkflow>();

	private latency = 0;

	private peopleCount = 0;

	/** How many messages the service has sent, by number. */
	private readonly messages = new Map<string, number>();

	/** Of this round: when the request for each number arrived. */
	private readonly arrivals = new Map<string, number>();

	/** The numbers of the requests that have no response yet. */
	private readonly inFlight = new Set<string>();

	private onRequest: () => void = () => {};

	/** A start of n8n in progress must end before n8n can be stopped. */
	private starting: Promise<unknown> = Promise.resolve();

	private isStopped = false;

	/** @param concurrencies for each of them a workflow is published */
	async start(concurrencies: number[]): Promise<void> {
		this.server = await startScriptedServer();
		this.server.onRequest(({ body }) => {
			const { number } = body as { number: string };
			this.messages.set(number, (this.messages.get(number) ?? 0) + 1);
			this.arrivals.set(number, Date.now());
			this.inFlight.add(number);
			this.onRequest();
			return (response) => {
				const respond = () => {
					this.inFlight.delete(number);
					response.writeHead(200, { 'content-type': 'application/json' });
					response.end(JSON.stringify({ id: idOf(number) }));
				};
				if (this.latency > 0) setTimeout(respond, this.latency);
				else respond();
			};
		});
		const starting = startRealN8n();
		this.starting = starting;
		this.n8n = await starting;
		const credentials = await saveCredential(this.n8n.rest, {
			baseUrl: this.server.url,
			clientId: 'chaos-client',
			token: 'chaos-token-0123456789',
		});
		for (const concurrency of concurrencies) {
			const nodes = [
				createNode('Webhook', {
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					webhookId: pathOf(concurrency),
					parameters: { httpMethod: 'POST', path: pathOf(concurrency), options: {} },
				}),
				createNode(ROWS, {
					type: 'n8n-nodes-base.splitOut',
					parameters: { fieldToSplitOut: 'body.rows', options: {} },
				}),
				createNode('Send Image', {
					type: 'n8n-nodes-messaging-account.messagingAccount',
					parameters: createSendParameters(
						`${this.server.url}/picture.png`,
						concurrency === 1 ? {} : { concurrency },
					),
					credentials,
					onError: 'continueRegularOutput',
				}),
				// Keeps the execution running after the last send.
				createNode('Wait', {
					type: 'n8n-nodes-base.wait',
					typeVersion: 1.1,
					parameters: { amount: WAIT_SECONDS, unit: 'seconds' },
				}),
				createNode(END, { type: 'n8n-nodes-base.noOp', parameters: {} }),
			];
			const workflow = await publishWorkflow(this.n8n.rest, pathOf(concurrency), nodes);
			this.workflows.set(concurrency, workflow);
			// n8n stores some time later that it is published: if it were killed before, nobody could start it any more.
			await waitUntil('n8n to accept a list', () => this.post(concurrency, []), N8N_LIMIT_MS);
		}
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		await this.starting.catch(() => {});
		await this.n8n?.stop();
		await this.server?.close();
	}

	/**
	 * Makes n8n send some lists, kills it meanwhile, starts it again, and retries the executions that have crashed.
	 *
	 * @returns the lists that n8n had accepted
	 */
	async kill(
		{ lists: listCount, people, latency, concurrency }: Conditions,
		aim: Aim,
	): Promise<JudgedList[]> {
		const n8n = this.n8n!;
		const workflow = this.workflows.get(concurrency)!;
		const earlier = new Set((await n8n.rest.listExecutions(workflow)).map(({ id }) => id));
		this.latency = latency;
		this.server.requests.length = 0;
		this.arrivals.clear();
		this.inFlight.clear();

		const reached = this.waitForRequests(aim.requests);
		const lists = Array.from({ length: listCount }, () => this.createList(people));
		const posts = lists.map(async (numbers) => await this.post(concurrency, numbers));
		await reached;
		await sleep(aim.delay);
		if (this.isStopped) throw new Error('It was stopped.');
		const crash = n8n.crash();
		this.starting = crash;
		const seen = lists.map((numbers) => ({
			numbers,
			arrivals: numbers.flatMap((number) => this.arrivals.get(number) ?? []).sort((a, b) => a - b),
			inFlight: numbers.filter((number) => this.inFlight.has(number)).length,
		}));
		const accepted = await Promise.all(posts);
		await crash;

		const started = (await n8n.rest.listExecutions(workflow)).filter(({ id }) => !earlier.has(id));
		const ended = await Promise.all(
			started.map(async (execution) => await this.completeExecution(execution)),
		);
		return seen.flatMap((list, i) => {
			const found = ended.find(({ first }) => first === list.numbers[0]);
			if (!found && !accepted[i] && list.arrivals.length === 0) return [];
			const complete = { ...list, crashed: found?.crashed ?? true, rows: found?.rows ?? [] };
			return [{ ...complete, ...judge(complete, this.messages) }];
		});
	}

	/** Retries an execution if it has crashed. */
	private async completeExecution(
		started: ListedExecution,
	): Promise<{ crashed: boolean; first: unknown; rows: IDataObject[] }> {
		const { rest } = this.n8n!;
		// When it starts again, n8n overlooks an execution that had just begun, and shows it as running.
		if (!hasEnded(started)) await rest.stop(started);
		const execution = await rest.waitForExecution(started.id);
		const crashed = execution.status !== 'success';
		const complete = crashed ? await rest.retry(execution, 'original') : execution;
		return { crashed, first: jsonOf(complete, ROWS)[0]?.number, rows: jsonOf(complete, END) };
	}

	private createList(people: number): string[] {
		return Array.from({ length: people }, () => String(FIRST_NUMBER + this.peopleCount++));
	}

	/** @returns whether n8n has accepted the list */
	private async post(concurrency: number, numbers: string[]): Promise<boolean> {
		const response = await fetch(`${this.n8n!.rest.url}/webhook/${pathOf(concurrency)}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', connection: 'close' },
			body: JSON.stringify({ rows: numbers.map((number) => ({ number })) }),
		}).catch(() => undefined);
		return response?.ok === true;
	}

	private async waitForRequests(count: number): Promise<void> {
		const reached = new Promise<void>((resolve) => {
			this.onRequest = () => {
				if (this.arrivals.size >= count) resolve();
			};
			if (count === 0) resolve();
		});
		const timeout = sleep(REQUESTS_TIMEOUT_MS, undefined, { ref: false }).then(() => {
			throw new Error(`n8n made ${this.arrivals.size} requests instead of ${count}.`);
		});
		await Promise.race([reached, timeout]);
	}
}

function pathOf(concurrency: number): string {
	return `list-${concurrency}`;
}

function jsonOf(execution: Execution, node: string): IDataObject[] {
	return (outputsOf(execution, node)[0] ?? []).map(({ json }) => json);
}
