import type {
	IConnection,
	IConnections,
	INode,
	INodeParameters,
	IWorkflowBase,
} from 'n8n-workflow';

import type { N8nRest, SavedWorkflow } from '../../tools/n8n/rest';
import { N8N_LIMIT_MS, waitUntil, type Saw } from './waitUntil';

const SECONDS_BETWEEN_POLLS = 5;

/**
 * Value of a polling trigger's `pollTimes` for tests that wait for polls. n8n limits each poll time to once a minute, but a
 * trigger may have several, so there is one for every fifth second.
 */
export const POLL_TIMES: INodeParameters = {
	item: Array.from({ length: 60 / SECONDS_BETWEEN_POLLS }, (_, i) => ({
		mode: 'custom',
		cronExpression: `${i * SECONDS_BETWEEN_POLLS} * * * * *`,
	})),
};

/** Creates a node of a workflow for n8n's REST API. */
export const createNode = (
	name: string,
	settings: Pick<INode, 'type' | 'parameters'> & Partial<INode>,
): INode => ({ id: name, name, typeVersion: 1, position: [0, 0], ...settings });

/** Saves and publishes a workflow. Unless other connections are given, each node is connected to the next. */
export async function publishWorkflow(
	rest: N8nRest,
	name: string,
	nodes: INode[],
	connections = connectInSequence(nodes),
): Promise<SavedWorkflow> {
	const settings = { executionOrder: 'v1' } as const;
	const workflow = await rest.create({ name, settings, nodes, connections });
	await rest.publish(workflow);
	return workflow;
}

/** Waits for the first poll of a published trigger: newer n8n versions respond before it. */
export async function waitForState(rest: N8nRest, id: string, trigger: string): Promise<void> {
	const isStored = async (saw: Saw) => {
		const { staticData } = await rest.get<IWorkflowBase>(`/rest/workflows/${id}`);
		return JSON.stringify(saw(staticData)).includes(`"nodeName":${JSON.stringify(trigger)}`);
	};
	await waitUntil(`the state of ${trigger}`, isStored, N8N_LIMIT_MS);
}

export function connectInSequence(nodes: INode[]): IConnections {
	const next = nodes.slice(1).map(({ name }) => connectTo(name));
	return Object.fromEntries(next.map((to, i) => [nodes[i].name, { main: [to] }]));
}

/** Returns the connections of an output that leads to one node. */
export const connectTo = (node: string): IConnection[] => [{ node, type: 'main', index: 0 }];
