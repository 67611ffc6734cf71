import { PollContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	Logger,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import {
	begun,
	createNodeKey,
	isSuperseded,
	published,
} from '../../nodes/MessagingAccount/n8n/publication';
import { storedHere } from '../../nodes/MessagingAccount/events/triggerState';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { createAdditionalData } from './engine';
import { N8N_FEATURES } from './n8nFeatures';
import { createSingleNodeWorkflow } from './singleNodeWorkflow';

/**
 * Polls the trigger as n8n does, with n8n-core's own context and HTTP helpers. The static data stays in memory between
 * polls, and is stored whenever a poll emits items and at activation.
 */
export class Poller {
	/** All warnings that were logged. */
	readonly warnings: string[] = [];

	/** The metadata that was logged with each warning. */
	readonly warningMetadata: unknown[] = [];

	/** How long n8n allows a poll to take. */
	budgetMs = 300_000;

	/** May be changed between polls, like parameters and credential. */
	node = { id: 'trigger-1', name: 'Messaging Account Trigger' };

	/** Whether n8n's scheduler makes the polls, each with its own copy of what is stored. */
	isScheduled = false;

	private staticData: IDataObject = {};

	private stored = '{}';

	/** What was stored before that. */
	private storedBefore = '{}';

	constructor(
		public parameters: INodeParameters,
		public credential: ICredentialDataDecryptedObject,
	) {
		this.startProcess();
	}

	/** The trigger's static data. If it is set, there is no other. */
	get state(): IDataObject {
		const state = this.staticData[`node:${this.node.name}`] ?? {};
		return JSON.parse(JSON.stringify(state)) as IDataObject;
	}

	set state(state: IDataObject) {
		storedHere.clear();
		this.staticData = { [`node:${this.node.name}`]: state };
	}

	/** All that n8n would store of the workflow, as text. */
	get allStaticData(): string {
		return JSON.stringify(this.staticData);
	}

	async poll(): Promise<INodeExecutionData[][] | null> {
		const outputs = await this.pollOnce('trigger', false);
		if (outputs) this.store();
		return outputs;
	}

	/** The first poll after the workflow is published. */
	async activate(): Promise<INodeExecutionData[][] | null> {
		this.staticData = JSON.parse(this.stored) as IDataObject;
		const outputs = await this.pollOnce('trigger');
		this.store();
		return outputs;
	}

	/** The first poll after n8n starts. */
	async restart(): Promise<INodeExecutionData[][] | null> {
		this.startProcess();
		return await this.activate();
	}

	/** A poll whose result n8n drops, because the workflow is published anew meanwhile. */
	async pollInVain(): Promise<void> {
		await this.pollOnce('trigger', false);
	}

	/** Another trigger of the workflow saves the static data as it was when its poll began. */
	undo(): void {
		this.stored = this.storedBefore;
	}

	/** "Execute step" in the editor. */
	async test(): Promise<INodeExecutionData[][] | null> {
		return await this.pollOnce('manual');
	}

	private startProcess(): void {
		storedHere.clear();
		published.clear();
	}

	private store(): void {
		this.storedBefore = this.stored;
		this.stored = JSON.stringify(this.staticData);
	}

	private async pollOnce(
		mode: WorkflowExecuteMode,
		isFirst = true,
	): Promise<INodeExecutionData[][] | null> {
		const nodeType = new MessagingAccountTrigger();
		const isLeased = this.isScheduled && !isFirst;
		if (isLeased) this.staticData = JSON.parse(this.stored) as IDataObject;
		const { node, workflow } = createSingleNodeWorkflow(
			{
				...this.node,
				type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
				parameters: this.parameters,
			},
			{ nodeType, staticData: this.staticData },
		);
		const context = new PollContext(
			workflow,
			node,
			createAdditionalData(this.credential),
			mode,
			mode === 'manual' ? 'manual' : 'activate',
		);
		if (N8N_FEATURES.pollBudget) {
			Object.defineProperty(context, 'getPollBudgetMs', {
				value: () => (isLeased ? 48_000 : this.budgetMs),
			});
		}
		// n8n uses the context of the first poll for the later ones, too.
		if (!isFirst && !isLeased) begun.set(context, published.get(createNodeKey(context)));
		const warn = (text: string, metadata: unknown) => {
			this.warnings.push(text);
			this.warningMetadata.push(metadata);
		};
		// Only of this context, because polls may overlap.
		const ignore = () => {};
		const logger: Logger = { warn, error: ignore, info: ignore, debug: ignore };
		Object.defineProperty(context, 'logger', { value: logger });
		try {
			return await nodeType.poll.call(context);
		} finally {
			// Copied, because each workflow wraps its static data in a proxy, and older n8n versions are slow with nested proxies.
			const staticData = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
			if (!isSuperseded(context)) this.staticData = staticData;
		}
	}
}
