import { PollContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	Logger,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { beginPoll } from '../../nodes/MessagingAccount/n8n/pollStart';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { createAdditionalData, CREDENTIAL } from './engine';
import { N8N_FEATURES } from './n8nFeatures';
import { createSingleNodeWorkflow } from './singleNodeWorkflow';

const { now } = performance;
let later = 0;
let underWay = 0;
/** Between two polls that do not overlap, a minute passes. */
performance.now = () => now.call(performance) + later;
export const passTime = (ms: number): void => void (later += ms);

/** Who makes the polls: n8n itself, or its scheduler, without and with durable cursors. */
export type PolledBy = 'n8n' | 'scheduler' | 'durable scheduler';

/** Scheduled polls are only told apart by their budget. */
export const POLLED_BY: PolledBy[] = N8N_FEATURES.pollBudget
	? ['n8n', 'scheduler', 'durable scheduler']
	: ['n8n'];

let count = 0;

/** What n8n has stored of a workflow: its triggers share the static data, and save all of it. */
export class StoredWorkflow {
	/** Another one in each process: what a process remembers of a workflow is gone if n8n is started again. */
	id = `polled-workflow-${count++}`;
	/** As JSON, like the rest. */
	staticData = '{}';
	/** What was stored before that. */
	before = '{}';
	/** By node ID. */
	readonly cursors = new Map<string, string>();
	/** Outside the scheduler, all polls since a publication share one, in which n8n notes changes. */
	live?: IDataObject;

	startNewProcess(): void {
		// No poll of the former one saves anything any more.
		this.before = this.staticData;
		this.id = `polled-workflow-${count++}`;
	}

	/** n8n saves only what it has noted as changed. */
	save(staticData: IDataObject): void {
		if (staticData.__dataChanged !== true) return;
		this.before = this.staticData;
		this.staticData = JSON.stringify(staticData);
		staticData.__dataChanged = false;
	}
}

interface Poll {
	isPublication: boolean;
	context: PollContext;
	workflow: Workflow;
	nodeType: MessagingAccountTrigger;
	/** With durable cursors: what the node has of its cursor. */
	cursor?: IDataObject;
	/** What it was at first, as JSON. */
	seed?: string;
}

/** Polls the trigger as n8n does, with n8n-core's own context and HTTP helpers. */
export class Poller {
	readonly warnings: string[] = [];
	readonly warningMetadata: unknown[] = [];
	/** What n8n has recorded as failed executions, for which it starts the error workflow. */
	readonly alerts: string[] = [];
	/** How long n8n allows a poll to take. */
	budgetMs = 300_000;
	credential: ICredentialDataDecryptedObject;
	/** May be changed between polls, like options and credential. */
	node = { id: 'trigger-1', name: 'Messaging Account Trigger' };
	/** Names of the other nodes of the workflow that are connected to something. */
	others: string[] = [];
	polledBy: PolledBy = 'n8n';
	/** The context of all polls since the last publication. */
	private registered?: { id: string; context: PollContext };

	constructor(
		service: { url: string },
		public options: IDataObject = {},
		private readonly event = 'newMessage',
		readonly workflow = new StoredWorkflow(),
	) {
		this.credential = { baseUrl: service.url, ...CREDENTIAL };
	}

	/** The states of the trigger's events. If they are set, there are no others. */
	get state(): IDataObject {
		const global = (this.copyOfLive().global ?? {}) as IDataObject;
		const prefix = `messagingAccountTrigger ${this.node.id} `;
		const states = Object.entries(global).flatMap(([key, all]) =>
			key.startsWith(prefix) ? [[key.slice(prefix.length), (all as IDataObject[])[0]]] : [],
		);
		const all = { ...Object.fromEntries(states), ...this.readCursor() };
		return JSON.parse(JSON.stringify(all)) as IDataObject;
	}

	set state(state: IDataObject) {
		this.workflow.startNewProcess();
		const states = Object.entries(state).map(([event, one]) => [
			`messagingAccountTrigger ${this.node.id} ${event}`,
			[{ nodeName: this.node.name, ...(one as IDataObject) }],
		]);
		this.workflow.staticData = JSON.stringify({ global: Object.fromEntries(states) });
		this.workflow.live = undefined;
	}

	/** All that n8n would store of the workflow, as text. */
	get allStaticData(): string {
		return JSON.stringify([this.workflow.live, ...this.workflow.cursors]);
	}

	async poll(isPublication = false): Promise<INodeExecutionData[][] | null> {
		const poll = this.begin('trigger', isPublication);
		const outputs = await this.run(poll);
		this.store(poll, outputs !== null);
		return outputs;
	}

	/** The first poll after the workflow is published. */
	async activate(): Promise<INodeExecutionData[][] | null> {
		this.workflow.live = undefined;
		return await this.poll(true);
	}

	/** The first poll after n8n starts. */
	async restart(): Promise<INodeExecutionData[][] | null> {
		this.workflow.startNewProcess();
		return await this.activate();
	}

	/** A poll whose result n8n drops, e.g. because the workflow is published anew meanwhile. */
	async pollInVain(): Promise<void> {
		await this.run(this.begin('trigger', false));
	}

	/** Another trigger of the workflow saves the static data as it was when its poll began. */
	undo(): void {
		this.workflow.staticData = this.workflow.before;
	}

	/** "Execute step" in the editor. */
	async test(): Promise<INodeExecutionData[][] | null> {
		return await this.run(this.begin('manual', false));
	}

	private begin(mode: WorkflowExecuteMode, isPublication: boolean): Poll {
		const nodeType = new MessagingAccountTrigger();
		const isLeased = this.polledBy !== 'n8n' && !isPublication && mode !== 'manual';
		const { node, workflow } = createSingleNodeWorkflow(
			{
				...this.node,
				type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
				parameters: { event: this.event, options: this.options as INode['parameters'] },
			},
			{ id: this.workflow.id, nodeType, staticData: this.copyOfLive() },
		);
		if (mode !== 'manual' && !isLeased)
			workflow.staticData = this.workflow.live ??= workflow.staticData;
		const context = new PollContext(
			workflow,
			node,
			createAdditionalData(this.credential),
			mode,
			mode === 'manual' ? 'manual' : 'activate',
		);
		const define = (name: string, value: unknown) =>
			Object.defineProperty(context, name, { value, enumerable: true, writable: true });
		if (N8N_FEATURES.pollBudget)
			define('getPollBudgetMs', () => (isLeased ? 48_000 : this.budgetMs));
		define('getChildNodes', (name: string) => (this.others.includes(name) ? [{}] : []));
		define('__emitError', (error: Error) => void this.alerts.push(error.message));
		define('logger', this.createLogger());
		const cursor = this.polledBy === 'durable scheduler' ? this.readCursor() : undefined;
		const { getWorkflowStaticData } = PollContext.prototype;
		define('getWorkflowStaticData', (type: string) =>
			cursor && type === 'node' ? cursor : getWorkflowStaticData.call(context, type),
		);
		const poll = { isPublication, workflow, nodeType, cursor, seed: JSON.stringify(cursor) };
		if (mode === 'manual' || isLeased) return { ...poll, context };
		// n8n uses the context of the first poll for the later ones, too.
		if (isPublication || this.registered?.id !== this.workflow.id) {
			this.registered = { id: this.workflow.id, context };
			if (!isPublication) beginPoll(context);
		}
		return { ...poll, context: Object.assign(this.registered.context, context) };
	}

	/** A copy of what the next poll gets: in the scheduler, what is stored. */
	private copyOfLive(): IDataObject {
		const { live, staticData } = this.workflow;
		const isShared = this.polledBy === 'n8n' && live !== undefined;
		return JSON.parse(isShared ? JSON.stringify(live) : staticData) as IDataObject;
	}

	private readCursor(): IDataObject {
		return JSON.parse(this.workflow.cursors.get(this.node.id) ?? '{}') as IDataObject;
	}

	private createLogger(): Logger {
		const warn = (text: string, metadata: unknown) => {
			this.warnings.push(text);
			this.warningMetadata.push(metadata);
		};
		const ignore = () => {};
		return { warn, error: ignore, info: ignore, debug: ignore };
	}

	private async run({ context, nodeType }: Poll) {
		if (underWay++ === 0) later += 60_000;
		try {
			return await nodeType.poll.call(context);
		} finally {
			underWay--;
		}
	}

	private store({ isPublication, workflow, cursor, seed }: Poll, isEmitted: boolean): void {
		// n8n leaves a cursor as it is unless the poll has changed it, and drops that of a publication without an item.
		const text = JSON.stringify(cursor);
		const isKept = isEmitted || !isPublication;
		if (cursor && isKept && text !== seed) this.workflow.cursors.set(this.node.id, text);
		if (isEmitted || isPublication) this.workflow.save(workflow.staticData);
	}
}
