import { Workflow, type IDataObject, type INode, type INodeType } from 'n8n-workflow';

import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';

/** Creates a workflow with a single node: ours, unless `nodeType` is another one. */
export function createSingleNodeWorkflow(
	settings: Pick<INode, 'parameters'> & Partial<INode>,
	{
		nodeType = new MessagingAccount(),
		staticData = {},
	}: { nodeType?: INodeType; staticData?: IDataObject } = {},
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
	const workflow = new Workflow({
		id: 'workflow-1',
		nodes: [node],
		connections: {},
		active: false,
		staticData,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		},
	});
	return { node, workflow };
}
