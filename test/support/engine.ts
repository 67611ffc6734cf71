import { ExecuteContext, ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IBinaryKeyData,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type ITaskData,
	type IWorkflowExecuteAdditionalData,
	type NodeError,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { MessagingAccountApi } from '../../credentials/MessagingAccountApi.credentials';
import { createSingleNodeWorkflow } from './singleNodeWorkflow';

export const CREDENTIAL = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
export const IMAGE = { number: '49151', url: 'https://example.com/a.png' };

export interface NodeRun {
	parameters: INodeParameters;
	/** The `json` of each input item; one empty item if there are none. */
	items?: IDataObject[];
	/** Of each input item its files. */
	files?: IBinaryKeyData[];
	/** More settings of the node, e.g. "Retry On Fail". */
	settings?: Partial<INode>;
	/** The node context of a previous execution, which makes this one its retry. */
	context?: IDataObject;
	/** "retry" for Retry execution; "manual" by default. */
	mode?: WorkflowExecuteMode;
	executionId?: string;
	/** What n8n gives each start, and its retries inherit. */
	resumeToken?: string;
	/** Of a loop; 0 is the first. */
	round?: number;
	/** What the node learns of its workflow. */
	isInLoop?: boolean;
	sendNodes?: string[];
	credential: ICredentialDataDecryptedObject;
	onCredentialRead?: () => void;
	/** Told when n8n has stored the execution; omit if this is the whole of it. */
	hooks?: ExecutionLifecycleHooks;
	/** Called with the execution once it is set up, e.g. to cancel it, also in a later round. */
	onStart?: (execution: { cancel(): void }) => void;
}

export type NodeResult = Awaited<ReturnType<typeof runNode>>;

/** Executes the node with n8n-core's own engine and HTTP helpers. Only n8n's database is faked. */
export async function runNode(run: NodeRun) {
	const { parameters, settings } = run;
	const { node, workflow } = createSingleNodeWorkflow({ parameters, ...settings });
	const others = run.isInLoop ? ['Loop'] : run.sendNodes;
	if (others) {
		// The engine itself does not see a connection.
		for (const name of others) workflow.nodes[name] = { ...node, id: name, name };
		workflow.getParentNodes = () => others;
		workflow.getChildNodes = () => others;
	}
	const items = (run.items ?? run.files?.map(() => ({})) ?? [{}]).map((json, i) => ({
		json,
		...(run.files && { binary: run.files[i] }),
	}));
	const contextKey = `node:${node.name}`;
	const mode = run.mode ?? 'manual';
	const round = run.round ?? 0;
	const earlierRounds = Array.from({ length: round }, () => ({}) as ITaskData);
	const runExecutionData = createRunExecutionData({
		resumeToken: run.resumeToken,
		resultData: { runData: round > 0 ? { [node.name]: earlierRounds } : {} },
		executionData: {
			contextData: { [contextKey]: run.context ?? {} },
			nodeExecutionStack: [{ node, data: { main: [items] }, source: null }],
		},
	});
	const additionalData = createAdditionalData(run.credential, run.onCredentialRead);
	additionalData.executionId = run.executionId;
	if (run.hooks) additionalData.hooks = run.hooks;
	const engine = new WorkflowExecute(additionalData, mode, runExecutionData);
	const execution = engine.processRunExecutionData(workflow);
	run.onStart?.({
		cancel: () => {
			execution.cancel();
			// Also if this round has ended: in n8n, all rounds have one signal.
			engine['abortController'].abort();
		},
	});
	const { data, status } = await execution;
	const taskData = data.resultData.runData[node.name]?.[round];
	const outputs = (taskData?.data?.main ?? []).map((output) => output ?? []);
	return {
		outputs,
		/** Of the items in the first output. */
		json: (outputs[0] ?? []).map((item) => item.json),
		error: taskData?.error as NodeError | undefined,
		/** Of the execution, as n8n lists it. */
		status,
		/** The node context, which n8n stores with the execution. */
		context: data.executionData!.contextData[contextKey] as IDataObject,
		/** Everything that n8n would store of this execution. */
		stored: JSON.stringify(data),
	};
}

/** Of a run, besides the parameters. */
export type RunConditions = Partial<Omit<NodeRun, 'parameters'>>;

/**
 * For tests of operations at a service: an image goes to one person, unless the parameters say otherwise.
 *
 * @param defaults of each run
 */
export const executeAt =
	(service: { url: string }, defaults: RunConditions = {}) =>
	async (operation: string, parameters: IDataObject = {}, more: RunConditions = {}) =>
		await runNode({
			credential: { baseUrl: service.url, ...CREDENTIAL },
			...defaults,
			...more,
			parameters: { operation, ...IMAGE, ...parameters } as INodeParameters,
		});

/** Hooks of an execution that goes on after the node: nothing is stored until a test says so. */
export class UnfinishedExecution extends ExecutionLifecycleHooks {
	constructor() {
		super('webhook', '1', {} as never);
	}

	override async runHook(): Promise<void> {}

	/** What n8n does at the end of an execution. */
	async store(): Promise<void> {
		await super.runHook('workflowExecuteAfter', [{ status: 'success' } as never, {}]);
	}
}

/** Creates the additional data of an execution: the credential, and URLs that are never requested. */
export function createAdditionalData(
	credential: ICredentialDataDecryptedObject,
	onCredentialRead = () => {},
): IWorkflowExecuteAdditionalData {
	const authenticate = new MessagingAccountApi().authenticate as (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	) => Promise<IHttpRequestOptions>;
	const credentialsHelper: Partial<ICredentialsHelper> = {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		async getDecrypted(_data, _credential, _type, mode, executeData, raw, values) {
			onCredentialRead();
			if (raw || !values) return credential;
			const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
			return workflow.expression.getParameterValue(
				credential as INodeParameters,
				runExecutionData,
				runIndex,
				itemIndex,
				node.name,
				connectionInputData,
				mode,
				{},
				executeData,
			) as ICredentialDataDecryptedObject;
		},
		getCredentialsProperties: () => [],
		preAuthentication: async () => undefined,
		authenticate: async (credentials, _type, options) =>
			await authenticate(credentials, options as IHttpRequestOptions),
	};
	const url = 'http://127.0.0.1';
	return {
		credentialsHelper: credentialsHelper as ICredentialsHelper,
		hooks: new ExecutionLifecycleHooks('manual', '1', {} as never),
		restApiUrl: url,
		instanceBaseUrl: url,
		formWaitingBaseUrl: url,
		webhookBaseUrl: url,
		webhookWaitingBaseUrl: url,
		webhookTestBaseUrl: url,
		currentNodeExecutionIndex: 0,
		variables: {},
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** Creates n8n-core's own execution context of the node, for tests of code that takes one. */
export function createExecuteContext(
	settings: Pick<INode, 'parameters'> & Partial<INode>,
	items: IDataObject[],
	credential: ICredentialDataDecryptedObject = CREDENTIAL,
): ExecuteContext {
	const { node, workflow } = createSingleNodeWorkflow(settings);
	const input: INodeExecutionData[] = items.map((json) => ({ json }));
	const data = { main: [input] };
	return new ExecuteContext(
		workflow,
		node,
		createAdditionalData(credential),
		'manual',
		createRunExecutionData(),
		0,
		input,
		data,
		{ node, data, source: null },
		[],
	);
}
