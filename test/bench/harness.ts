/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-hardcoded-secrets -- the bench runs n8n on this machine; its token opens nothing but the embedded service */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { prepareHome, startN8n, stopProcess, type RunningN8n } from '../../tools/n8n/process';
import { N8nRest, type SavedWorkflow } from '../../tools/n8n/rest';
import { startService, type EmbeddedService } from '../../tools/service/service';
import { saveCredential } from '../n8n/realN8n';
import { anyPort, freePort } from '../support/ports';
import { node, publish } from '../support/workflow';
import { contenders, outputOnly, type Contender, type NodeContender } from './contenders';
import type { Measurement } from './figures';
import { Inspector, type CpuProfile } from './inspector';
import { watchPeakMemory } from './peakMemory';
import type { Load } from './plan';
import type { RawJob } from './rawUndici';

const CREDENTIAL = { clientId: 'bench-client', token: 'bench-token-0123456789' };
const SEND = 'Send';

/** A real n8n with all nodes that are compared, the embedded service, and undici in a process beside them. */
export class Harness {
	private readonly cleanUps: Array<() => Promise<unknown> | void> = [];

	private readonly workflows = new Map<string, SavedWorkflow>();

	private service!: EmbeddedService;

	private n8n!: RunningN8n;

	private rest!: N8nRest;

	private raw!: ChildProcess;

	private rawEnded!: Promise<never>;

	private inspector!: Inspector;

	contenders!: Contender[];

	outputOnly!: NodeContender;

	private stopped?: Promise<void>;

	/**
	 * To be stopped in any case, also where this fails or has not come to its end.
	 *
	 * @param bin n8n, to be run with node
	 * @param nodesFolder with the packed package installed
	 */
	async start(bin: string, nodesFolder: string): Promise<void> {
		this.service = await startService(CREDENTIAL);
		this.cleanUps.push(async () => await this.service.close());
		this.service.account.scan(this.service.account.qrText);
		this.contenders = contenders(this.service.url);
		this.outputOnly = outputOnly(this.picture());

		this.raw = fork(join(__dirname, 'rawUndici.ts'));
		this.rawEnded = once(this.raw, 'exit').then(() => {
			throw new Error('undici did not succeed.');
		});
		// It is for who waits for figures then.
		this.rawEnded.catch(() => {});
		this.cleanUps.push(async () => await stopProcess(this.raw));

		const home = { bin, userFolder: await mkdtemp(join(tmpdir(), 'messaging-account-bench-')) };
		this.cleanUps.push(async () => await rm(home.userFolder, { recursive: true, force: true }));
		await prepareHome(home, nodesFolder);
		const inspectorPort = await freePort();
		this.n8n = await startN8n(home, anyPort(), {
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

	/** Has a contender send once to each of as many people, and sees that it did. */
	async run(contender: Contender, { items, latency }: Load): Promise<Measurement> {
		let requests = 0;
		this.service.account.latency = async () => {
			requests++;
			if (latency > 0) await sleep(latency);
		};
		const connections = this.service.connections();
		// The garbage of others is not to be this one's.
		if (contender.node) await this.inspector.collectGarbage();
		const peakMemory = await watchPeakMemory(contender.node ? this.n8n.pid : this.raw.pid!);
		if (contender.node) await this.send(contender, items);
		const rawMs = contender.node ? undefined : await this.sendRaw(contender, items);
		const peak = await peakMemory();
		if (requests !== items) {
			throw new Error(`${contender.name} made ${requests} requests for ${items} items.`);
		}
		return {
			ms: rawMs ?? (await this.timeOfLast(contender)),
			peakMemory: peak,
			connections: this.service.connections() - connections,
		};
	}

	/** The bytes of live heap that each item adds, once the first tenth of them is through. */
	async heapPerItem(contender: NodeContender, items: number): Promise<number> {
		const first = items / 10;
		const heaps: number[] = [];
		let requests = 0;
		this.service.account.latency = async () => {
			requests++;
			if ([first, items].includes(requests)) heaps.push(await this.inspector.liveHeap());
		};
		await this.send(contender, items);
		return (heaps[1] - heaps[0]) / (items - first);
	}

	/** The CPU profile of n8n while a contender sends. */
	async profile(contender: NodeContender, items: number): Promise<CpuProfile> {
		this.service.account.latency = async () => {};
		return await this.inspector.profile(async () => await this.send(contender, items));
	}

	/** Executes the workflow of a node. n8n answers at the end, so it is not asked for anything while it works. */
	private async send({ name }: NodeContender, items: number): Promise<void> {
		const { ok, status } = await fetch(`${this.n8n.url}/webhook/${encodeURIComponent(name)}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ items }),
		});
		if (!ok) throw new Error(`${name} ended in HTTP ${status}.`);
	}

	/** ms that a node took in its last execution. */
	private async timeOfLast({ name }: Contender): Promise<number> {
		const { status, data } = await this.rest.lastExecution(this.workflows.get(name)!);
		if (status !== 'success') {
			throw new Error(`${name} did not succeed: ${data.resultData.error?.message}`);
		}
		return data.resultData.runData[SEND][0].executionTime;
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
		const [ms] = (await Promise.race([once(this.raw, 'message'), this.rawEnded])) as [number];
		return ms;
	}

	private async publishWorkflows(): Promise<void> {
		const credentials = await saveCredential(this.rest, {
			baseUrl: this.service.url,
			...CREDENTIAL,
		});
		for (const contender of [...this.contenders, this.outputOnly]) {
			if (!contender.node) continue;
			const nodes = [
				node('Webhook', {
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					parameters: {
						httpMethod: 'POST',
						path: contender.name,
						responseMode: 'lastNode',
						responseData: 'noData',
					},
				}),
				node('Items', {
					type: 'CUSTOM.benchItems',
					typeVersion: 1,
					parameters: { count: '={{ $json.body.items }}', url: this.picture() },
				}),
				node(SEND, { ...contender.node, credentials }),
			];
			const workflow = await publish(this.rest, contender.name, nodes);
			this.workflows.set(contender.name, workflow);
		}
	}

	private picture(): string {
		return `${this.service.url}/pictures/sample.png`;
	}
}
