import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import type { N8nRest, SavedWorkflow } from '../../tools/n8n/rest';

const SECONDS_BETWEEN_POLLS = 5;

/**
 * What a polling trigger's `pollTimes` is where a test waits for its polls. n8n lets no poll time come more than once a minute,
 * but a trigger may have several: here one for every fifth second of the minute.
 */
export const POLL_TIMES: INodeParameters = {
	item: Array.from({ length: 60 / SECONDS_BETWEEN_POLLS }, (_, i) => ({
		mode: 'custom',
		cronExpression: `${i * SECONDS_BETWEEN_POLLS} * * * * *`,
	})),
};

/** A node of a workflow for n8n's REST API. */
export function node(
	name: string,
	settings: Pick<INode, 'type' | 'parameters'> & Partial<INode>,
): INode {
	return { id: name, name, typeVersion: 1, position: [0, 0], ...settings };
}

/** Saves and publishes a workflow, in which each node leads to the next unless other connections are given. */
export async function publish(
	rest: N8nRest,
	name: string,
	nodes: INode[],
	connections = inARow(nodes),
): Promise<SavedWorkflow> {
	const workflow = await rest.create({
		name,
		settings: { executionOrder: 'v1' },
		nodes,
		connections,
	});
	await rest.publish(workflow);
	return workflow;
}

function inARow(nodes: INode[]): IConnections {
	const to = nodes.slice(1).map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }));
	return Object.fromEntries(to.map((next, i) => [nodes[i].name, { main: [[next]] }]));
}
