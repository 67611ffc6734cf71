import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INode } from 'n8n-workflow';

import { startService, type EmbeddedService } from '../tools/embeddedService/service';
import { installN8n, installPackage, packProject } from '../tools/n8n/install';
import type { SavedWorkflow } from '../tools/n8n/rest';
import { ACCOUNT, saveCredential, startRealN8n, type RealN8n } from '../test/n8n/realN8n';
import { N8N_LIMIT_MS, waitUntil } from '../test/support/waitUntil';
import { createNode, publishWorkflow } from '../test/support/workflow';
import { callContenders, listContenders, outputOnly, webhook, type Contender } from './contenders';
import { median, type CallFigures, type ListFigures } from './figures';
import { INSPECT, N8nMemory } from './n8nMemory';
import type { CallLoad, Load } from './plan';

/** Called at the end of the bench, however it ends, the last one first. */
export type CleanUp = () => Promise<unknown>;

const SEND = 'Send';

const FIRST_NUMBER = 49_151_000_000_000;

/** Starts a real n8n with all compared nodes, and the embedded service. */
export async function startHarness(cleanUps: CleanUp[]): Promise<Harness> {
	console.log('Install n8n (a few minutes the first time), and the package');
	process.env.TEST_N8N_BIN = await installN8n();
	process.env.TEST_NODES_FOLDER = await installPackage(await packProject());
	const service = await startService(ACCOUNT);
	cleanUps.push(service.close);
	service.account.scan(service.account.qrText);
	const n8n = await startRealN8n({
		env: { N8N_CUSTOM_EXTENSIONS: join(__dirname, 'nodes') },
		nodeArgs: [INSPECT],
	});
	cleanUps.push(n8n.stop);
	const harness = new Harness(service, n8n, await N8nMemory.connect(await n8n.log()));
	await harness.publishWorkflows();
	return harness;
}

export class Harness {
	readonly lists: Contender[];

	readonly calls: Contender[];

	readonly outputOnly: Contender;

	private readonly workflows = new Map<Contender, SavedWorkflow>();

	/** Every call has another recipient. */
	private called = 0;

	constructor(
		private readonly service: EmbeddedService,
		private readonly n8n: RealN8n,
		private readonly memory: N8nMemory,
	) {
		this.lists = listContenders(service.url);
		this.calls = callContenders(service.url);
		this.outputOnly = outputOnly(this.picture);
	}

	async publishWorkflows(): Promise<void> {
		const data = { baseUrl: this.service.url, ...ACCOUNT };
		const credentials = await saveCredential(this.n8n.rest, data);
		const items = createNode('Items', {
			type: 'CUSTOM.benchItems',
			parameters: { count: '={{ $json.body.items }}', url: this.picture },
		});
		const publish = async (path: string, contender: Contender, before: INode[]) => {
			const nodes = [
				createNode('Webhook', webhook(path)),
				...before,
				createNode(SEND, { ...contender.node, credentials }),
			];
			this.workflows.set(contender, await publishWorkflow(this.n8n.rest, path, nodes));
		};
		for (const one of this.calls) await publish(`One item: ${one.name}`, one, []);
		for (const one of [...this.lists, this.outputOnly]) await publish(one.name, one, [items]);
	}

	/** Makes a contender send to `items` recipients. */
	async sendList(contender: Contender, { items, latency }: Load): Promise<ListFigures> {
		this.service.account.latency = async () => {
			if (latency > 0) await sleep(latency);
		};
		// After a garbage collection: that of other contenders would count here.
		const stopWatching = await this.memory.watchPeak();
		await this.expectOneEach(contender, items, async () => await this.post(contender, { items }));
		const peakMemory = await stopWatching();
		return { ms: await this.getNodeTime(contender), peakMemory };
	}

	/** Calls the webhook of a contender, as people do who wait for each answer. */
	async call(contender: Contender, { callers, calls }: CallLoad): Promise<CallFigures> {
		this.service.account.latency = async () => {};
		await this.memory.collectGarbage();
		const ms: number[] = [];
		const end = this.called + calls;
		const caller = async () => {
			while (this.called < end) {
				const start = performance.now();
				await this.callOnce(contender);
				ms.push(performance.now() - start);
			}
		};
		const start = performance.now();
		await this.expectOneEach(
			contender,
			calls,
			async () => await Promise.all(Array.from({ length: callers }, caller)),
		);
		return { perSecond: (calls * 1000) / (performance.now() - start), ms: median(ms) };
	}

	/** Measures the live heap per item in bytes, not counting the first tenth of the items. */
	async measureHeapPerItem(contender: Contender, items: number): Promise<number> {
		const first = items / 10;
		const heaps: number[] = [];
		let requests = 0;
		this.service.account.latency = async () => {
			requests++;
			if ([first, items].includes(requests)) heaps.push(await this.memory.measureLiveHeap());
		};
		await this.post(contender, { items });
		return (heaps[1] - heaps[0]) / (items - first);
	}

	private get picture(): string {
		return `${this.service.url}/pictures/sample.png`;
	}

	private async callOnce(contender: Contender): Promise<void> {
		const n = this.called++;
		await this.post(contender, {
			id: `order-${n}`,
			number: String(FIRST_NUMBER + n),
			url: this.picture,
			caption: `Order ${n} is on its way`,
		});
	}

	/** Executes the workflow of a contender. n8n responds at its end. */
	private async post(contender: Contender, body: object): Promise<void> {
		const { name } = this.workflows.get(contender)!;
		const response = await fetch(`${this.n8n.rest.url}/webhook/${encodeURIComponent(name)}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', connection: 'close' },
			body: JSON.stringify(body),
		});
		await response.arrayBuffer();
		if (!response.ok) throw new Error(`${name} failed with HTTP ${response.status}.`);
	}

	/** @throws Error if anybody got two messages or none */
	private async expectOneEach(
		{ name }: Contender,
		count: number,
		send: () => Promise<unknown>,
	): Promise<void> {
		const { messages } = this.service.account;
		const before = messages.length;
		await send();
		const people = new Set(messages.slice(before).map(({ number }) => number)).size;
		const sent = messages.length - before;
		if (sent !== count || people !== count) {
			throw new Error(`${name} sent ${sent} messages to ${people} people instead of ${count}.`);
		}
	}

	/** Returns the time that the node took in its last execution, in ms. */
	private async getNodeTime(contender: Contender): Promise<number> {
		// 10,000 items keep n8n so busy that it loses its database for a moment.
		await waitUntil(
			'n8n to be ready',
			async (saw) => saw((await fetch(`${this.n8n.rest.url}/healthz/readiness`)).status) === 200,
			N8N_LIMIT_MS,
		);
		const { status, data } = await this.n8n.rest.lastExecution(this.workflows.get(contender)!);
		if (status !== 'success') {
			throw new Error(`${contender.name} failed: ${data.resultData.error?.message}`);
		}
		return data.resultData.runData[SEND][0].executionTime;
	}
}
