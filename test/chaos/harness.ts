import { setTimeout as sleep } from 'node:timers/promises';

import { hasEnded, type ListedExecution } from '../../tools/n8n/rest';
import { ACCOUNT, saveCredential, startRealN8n, type RealN8n } from '../n8n/realN8n';
import { respondAfter, startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { numberOf } from '../support/sendService';
import {
	createSendParameters,
	jsonOf,
	publishWebhook,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { createNode } from '../support/workflow';
import { idOf, judge } from './verdict';

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

/** A list that n8n was sending when it was killed; not crashed if the execution had ended before. */
export type JudgedList = Awaited<ReturnType<Harness['kill']>>[number];

/** Keeps an execution running after the last send, for this long. */
const WAIT = { amount: 0.2, unit: 'seconds' };

const END = 'No Operation';

/** Much longer than sending all lists takes. */
const REQUESTS_TIMEOUT_MS = 120_000;

/** Fresh numbers have nine digits after this. */
const FIRST_NUMBER = 49_151_000_000_000;

/** A real n8n that is killed again and again, and a service that delivers and counts. */
export class Harness {
	private server!: ScriptedServer;
	private n8n?: RealN8n;
	private readonly workflows = new Map<number, WebhookWorkflow>();
	private latency = 0;
	private peopleCount = 0;
	/** How many messages the service has sent, by number. */
	private readonly messages = new Map<string, number>();
	private onRequest: () => void = () => {};
	/** A start of n8n in progress must end before n8n can be stopped. */
	private starting: Promise<unknown> = Promise.resolve();
	private isStopped = false;

	/** @param concurrencies for each of them a workflow is published */
	async start(concurrencies: number[]): Promise<void> {
		this.server = await startScriptedServer();
		this.server.onRequest((request) => {
			const number = numberOf(request);
			this.messages.set(number, (this.messages.get(number) ?? 0) + 1);
			this.onRequest();
			return respondAfter(this.latency, { id: idOf(number) });
		});
		const starting = startRealN8n();
		this.starting = starting;
		const n8n = (this.n8n = await starting);
		const baseUrl = this.server.url;
		const credentials = await saveCredential(n8n.rest, { baseUrl, ...ACCOUNT });
		const wait = { type: 'n8n-nodes-base.wait', typeVersion: 1.1, parameters: WAIT };
		const end = { type: 'n8n-nodes-base.noOp', parameters: {} };
		const laterNodes = [createNode('Wait', wait), createNode(END, end)];
		for (const concurrency of concurrencies) {
			const parameters = createSendParameters(`${baseUrl}/picture.png`, { concurrency });
			const node = { parameters, credentials, onError: 'continueRegularOutput' as const };
			const workflow = await publishWebhook(n8n, node, { laterNodes });
			this.workflows.set(concurrency, workflow);
			// n8n stores some time later that it is published: if it were killed before, nobody could start it any more.
			await workflow.post([]);
		}
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		await this.starting.catch(() => {});
		await this.n8n?.stop();
		await this.server?.close();
	}

	/** Makes n8n send some lists, kills and starts it, and retries what has crashed. @returns the lists that n8n had accepted */
	async kill({ lists: listCount, people, latency, concurrency }: Conditions, aim: Aim) {
		const n8n = this.n8n!;
		const { saved, post } = this.workflows.get(concurrency)!;
		const earlier = new Set((await n8n.rest.listExecutions(saved)).map(({ id }) => id));
		this.latency = latency;
		this.server.requests.length = 0;

		const reached = this.untilRequests(aim.requests);
		const lists = Array.from({ length: listCount }, () => this.createList(people));
		const posts = lists.map(async (numbers) => {
			const posted = post(numbers.map((number) => ({ number })));
			return await posted.then(() => true).catch(() => false);
		});
		await reached;
		await sleep(aim.delay);
		if (this.isStopped) throw new Error('It was stopped.');
		const crash = n8n.crash();
		this.starting = crash;
		const hasBegun = lists.map((numbers) => numbers.some((number) => this.messages.has(number)));
		const accepted = await Promise.all(posts);
		await crash;

		const started = (await n8n.rest.listExecutions(saved)).filter(({ id }) => !earlier.has(id));
		const ended = await Promise.all(
			started.map(async (execution) => await this.completeExecution(execution)),
		);
		return lists.flatMap((numbers, i) => {
			const found = ended.find(({ first }) => first === numbers[0]);
			if (!found && !accepted[i] && !hasBegun[i]) return [];
			const { crashed, rows } = found ?? { crashed: true, rows: [] };
			return [{ crashed, ...judge(numbers, rows, this.messages) }];
		});
	}

	/** Retries an execution if it has crashed. */
	private async completeExecution(started: ListedExecution) {
		const { rest } = this.n8n!;
		// When it starts again, n8n overlooks an execution that had just begun, and shows it as running.
		if (!hasEnded(started)) await rest.stop(started);
		const execution = await rest.waitForExecution(started.id);
		const crashed = execution.status !== 'success';
		const complete = crashed ? await rest.retry(execution, 'original') : execution;
		return { crashed, first: jsonOf(complete, 'Rows')[0]?.number, rows: jsonOf(complete, END) };
	}

	private createList(people: number): string[] {
		return Array.from({ length: people }, () => String(FIRST_NUMBER + this.peopleCount++));
	}

	private async untilRequests(count: number): Promise<void> {
		if (count === 0) return;
		const { requests } = this.server;
		await new Promise<void>((resolve, reject) => {
			this.onRequest = () => {
				if (requests.length >= count) resolve();
			};
			const fail = () => reject(new Error(`n8n made ${requests.length} requests, not ${count}.`));
			setTimeout(fail, REQUESTS_TIMEOUT_MS).unref();
		});
	}
}
