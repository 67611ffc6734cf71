import type { INode } from 'n8n-workflow';

/** Whether the node is a tool of an AI agent: n8n gives such a node a type of its own. */
export const isToolNode = ({ type }: Pick<INode, 'type'>) => type.endsWith('Tool');
