import type { IConnections, INode } from 'n8n-workflow';

import type { N8nRest, SavedWorkflow } from '../../demo/n8n/rest';

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
