import { Workflow, type IDataObject, type INode, type INodeType } from 'n8n-workflow';

import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';

let processCount = 1;

/**
 * n8n's process, for the node: what it remembers of a workflow across executions is gone if n8n is started again. So the workflow
 * has another ID in each.
 */
export const currentWorkflowId = (): string => `workflow-${processCount}`;

/** Acts as if n8n had been started again. */
export function startNewProcess(): void {
	processCount++;
}

/** Creates a workflow with a single node: ours, unless `nodeType` is another one. */
export function createSingleNodeWorkflow(
	settings: Pick<INode, 'parameters'> & Partial<INode>,
	{
		nodeType = new MessagingAccount(),
		staticData = {},
		id = currentWorkflowId(),
	}: { nodeType?: INodeType; staticData?: IDataObject; id?: string } = {},
): { node: INode; workflow: Workflow } {
	const node: INode = {
		id: 'node-1',
		name: 'Messaging Account',
		type: 'n8n-nodes-messaging-account.messagingAccount',
		typeVersion: 1,
		position: [0, 0],
		credentials: { messagingAccountApi: { id: '1', name: 'Messaging Account account' } },
		...settings,
	};
	const get = () => nodeType;
	const workflow = new Workflow({
		id,
		nodes: [node],
		connections: {},
		active: false,
		staticData,
		nodeTypes: { getByName: get, getByNameAndVersion: get, getKnownTypes: () => ({}) },
	});
	return { node, workflow };
}
