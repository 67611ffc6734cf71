import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startService, type EmbeddedService } from '../tools/embeddedService/service';
import { prepareHome, startN8n, stopProcess, type RunningN8n } from '../tools/n8n/n8nProcess';
import { N8nRest, type SavedWorkflow } from '../tools/n8n/rest';
import { saveCredential } from '../test/n8n/realN8n';
import { randomPort, findFreePort } from '../test/support/ports';
import { N8N_LIMIT_MS, waitUntil } from '../test/support/waitUntil';
import { createNode, publishWorkflow } from '../test/support/workflow';
import {
	contenders,
	fileContenders,
	outputOnly,
	webhook,
	type Contender,
	type NodeContender,
} from './contenders';
import type { Measurement } from './figures';
import { Inspector, type CpuProfile } from './inspector';
import { watchPeakMemory } from './peakMemory';
import type { Load } from './plan';
import type { RawJob } from './rawUndici';

const CREDENTIAL = { clientId: 'bench-client', token: 'bench-token-0123456789' };
const SEND = 'Send';

/** Runs a real n8n with all compared nodes, the embedded service, and undici in a separate process. */
export class Harness {
	private readonly cleanUps: Array<() => Promise<unknown> | void> = [];

	private readonly workflows = new Map<string, SavedWorkflow>();

	private service!: EmbeddedService;

	private n8n!: RunningN8n;

	private rest!: N8nRest;

	private raw!: ChildProcess;

	private rawExit!: Promise<never>;

	private inspector!: Inspector;

	contenders!: Contender[];

	fileContenders!: NodeContender[];

	outputOnly!: NodeContender;

	private stopped?: Promise<void>;

	/**
	 * Call `stop` in any case, even if this fails or is still running.
	 *
	 * @param bin script that starts n8n
	 * @param nodesFolder where the packed package is installed
	 */
	async start(bin: string, nodesFolder: string): Promise<void> {
		this.service = await startService(CREDENTIAL);
		this.cleanUps.push(async () => await this.service.close());
		this.service.account.scan(this.service.account.qrText);
		this.contenders = contenders(this.service.url);
		this.fileContenders = fileContenders(this.service.url);
		this.outputOnly = outputOnly(this.picture());

		this.raw = fork(join(__dirname, 'rawUndici.ts'));
		this.rawExit = once(this.raw, 'exit').then(() => {
			throw new Error('The undici process exited.');
		});
		// Handled by whoever waits for figures at that time.
		this.rawExit.catch(() => {});
		this.cleanUps.push(async () => await stopProcess(this.raw));

		const home = { bin, userFolder: await mkdtemp(join(tmpdir(), 'messaging-account-bench-')) };
		this.cleanUps.push(async () => await rm(home.userFolder, { recursive: true, force: true }));
		await prepareHome(home, nodesFolder);
		const inspectorPort = await findFreePort();
		this.n8n = await startN8n(home, randomPort(), {
			env: { N8N_CUSTOM_EXTENSIONS: join(__dirname, 'nodes') },
			nodeArgs: [`--inspect=127.0.0.1:${inspectorPort}`],
		});
		this.cleanUps.push(async () => await this.n8n.stop());
		this.inspector = await Inspector.connect(inspectorPort);
		this.cleanUps.push(() => this.inspector.close());

		this.rest = new N8nRest(this.n8n.url);
		await this.rest.logIn();
		await this.publishWorkflows();
	}

	async stop(): Promise<void> {
		this.stopped ??= (async () => {
			for (const cleanUp of this.cleanUps.toReversed()) await cleanUp();
		})();
		await this.stopped;
	}

	/** Makes a contender send to `items` recipients, and checks that it made one request for each. */
	async run(contender: Contender, { items, latency }: Load): Promise<Measurement> {
		let requests = 0;
		this.service.account.latency = async () => {
			requests++;
			if (latency > 0) await sleep(latency);
		};
		const connections = this.service.connections();
		// Otherwise garbage of other contenders would count here.
		if (contender.node) await this.inspector.collectGarbage();
		const peakMemory = await watchPeakMemory(contender.node ? this.n8n.pid : this.raw.pid!);
		const start = performance.now();
		if (contender.node) await this.send(contender, items);
		const rawMs = contender.node ? undefined : await this.sendRaw(contender, items);
		const wholeMs = performance.now() - start;
		const peak = await peakMemory();
		if (requests !== items) {
			throw new Error(`${contender.name} made ${requests} requests for ${items} items.`);
		}
		return {
			ms: rawMs ?? (await this.getNodeTime(contender)) ?? wholeMs,
			...peak,
			connections: this.service.connections() - connections,
		};
	}

	/** Measures the live heap per item in bytes, not counting the first tenth of the items. */
	async measureHeapPerItem(contender: NodeContender, items: number): Promise<number> {
		const first = items / 10;
		const heaps: number[] = [];
		let requests = 0;
		this.service.account.latency = async () => {
			requests++;
			if ([first, items].includes(requests)) heaps.push(await this.inspector.measureLiveHeap());
		};
		await this.send(contender, items);
		return (heaps[1] - heaps[0]) / (items - first);
	}

	/** Takes a CPU profile of n8n while a contender sends. */
	async profile(contender: NodeContender, items: number): Promise<CpuProfile> {
		this.service.account.latency = async () => {};
		return await this.inspector.profile(async () => await this.send(contender, items));
	}

	/** Executes the workflow of a node. n8n responds at its end, so it gets no other requests meanwhile. */
	private async send({ name }: NodeContender, items: number): Promise<void> {
		const { ok, status } = await fetch(`${this.n8n.url}/webhook/${encodeURIComponent(name)}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ items }),
		});
		if (!ok) throw new Error(`${name} failed with HTTP ${status}.`);
	}

	/** Returns the time that a node took in its last execution, in ms; undefined if all nodes count. */
	private async getNodeTime({ name, countsAllNodes }: Contender): Promise<number | undefined> {
		// 10,000 items keep n8n so busy that it loses its database for a moment.
		await waitUntil(
			'n8n to be ready',
			async (saw) => saw((await fetch(`${this.n8n.url}/healthz/readiness`)).status) === 200,
			N8N_LIMIT_MS,
		);
		const { status, data } = await this.rest.lastExecution(this.workflows.get(name)!);
		if (status !== 'success') {
			throw new Error(`${name} failed: ${data.resultData.error?.message}`);
		}
		return countsAllNodes ? undefined : data.resultData.runData[SEND][0].executionTime;
	}

	private async sendRaw({ concurrency }: Contender, items: number): Promise<number> {
		const job: RawJob = {
			url: this.service.url,
			headers: { 'client-id': CREDENTIAL.clientId, token: CREDENTIAL.token },
			picture: this.picture(),
			items,
			concurrency,
		};
		this.raw.send(job);
		const [ms] = (await Promise.race([once(this.raw, 'message'), this.rawExit])) as [number];
		return ms;
	}

	private async publishWorkflows(): Promise<void> {
		const credentials = await saveCredential(this.rest, {
			baseUrl: this.service.url,
			...CREDENTIAL,
		});
		for (const contender of [...this.contenders, ...this.fileContenders, this.outputOnly]) {
			if (!contender.node) continue;
			const { before, fileBytes = 0 } = contender;
			const nodes = [
				createNode('Webhook', webhook(contender.name)),
				createNode('Items', {
					type: 'CUSTOM.benchItems',
					typeVersion: 1,
					parameters: { count: '={{ $json.body.items }}', url: this.picture(), fileBytes },
				}),
				...(before ? [createNode('Before', before)] : []),
				createNode(SEND, { ...contender.node, credentials }),
			];
			const workflow = await publishWorkflow(this.rest, contender.name, nodes);
			this.workflows.set(contender.name, workflow);
		}
	}

	private picture(): string {
		return `${this.service.url}/pictures/sample.png`;
	}
}
