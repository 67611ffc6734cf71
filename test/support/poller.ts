import { PollContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { additionalData } from './engine';
import { loneNode } from './loneNode';
import { N8N_FEATURES } from './n8nFeatures';

const NAME = 'Messaging Account Trigger';

/**
 * A workflow with the trigger, polled as n8n does it, with n8n-core's own context and HTTP helpers: what the trigger
 * remembers stays in memory from poll to poll, and is stored with items that go out, and at activation.
 */
export class Poller {
	/** All warnings in n8n's log. */
	readonly warnings: string[] = [];

	/** What n8n's log has beside each of them. */
	readonly warnedOf: unknown[] = [];

	/** What n8n allows a poll. */
	budgetMs = 300_000;

	private staticData: IDataObject = {};

	private stored = '{}';

	/** Parameters and credential can be changed between polls. */
	constructor(
		public parameters: INodeParameters,
		public credential: ICredentialDataDecryptedObject,
	) {}

	/** What the trigger remembers. */
	get state(): IDataObject {
		const ofNode = this.staticData[`node:${NAME}`] ?? {};
		return JSON.parse(JSON.stringify(ofNode)) as IDataObject;
	}

	set state(state: IDataObject) {
		this.staticData = { [`node:${NAME}`]: state };
	}

	async poll(): Promise<INodeExecutionData[][] | null> {
		const outputs = await this.pollOnce('trigger');
		if (outputs) this.store();
		return outputs;
	}

	/** The first poll after n8n has started, or the workflow was switched on. */
	async activate(): Promise<INodeExecutionData[][] | null> {
		this.staticData = JSON.parse(this.stored) as IDataObject;
		const outputs = await this.pollOnce('trigger');
		this.store();
		return outputs;
	}

	/** "Execute step" in the editor. */
	async test(): Promise<INodeExecutionData[][] | null> {
		return await this.pollOnce('manual');
	}

	private store(): void {
		this.stored = JSON.stringify(this.staticData);
	}

	private async pollOnce(mode: WorkflowExecuteMode): Promise<INodeExecutionData[][] | null> {
		const nodeType = new MessagingAccountTrigger();
		const { node, workflow } = loneNode(
			{
				name: NAME,
				type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
				parameters: this.parameters,
			},
			{ nodeType, staticData: this.staticData },
		);
		const context = new PollContext(
			workflow,
			node,
			additionalData(this.credential),
			mode,
			mode === 'manual' ? 'manual' : 'activate',
		);
		if (N8N_FEATURES.pollBudget) {
			jest.spyOn(context, 'getPollBudgetMs').mockReturnValue(this.budgetMs);
		}
		const warn = jest.spyOn(context.logger, 'warn').mockImplementation((text, of) => {
			this.warnings.push(text);
			this.warnedOf.push(of);
		});
		try {
			return await nodeType.poll.call(context);
		} finally {
			// A copy: each workflow wraps what it is given, and older n8n versions take long for what was wrapped many times.
			this.staticData = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
			warn.mockRestore();
		}
	}
}
