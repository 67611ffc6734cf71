import type { IExecuteFunctions, INode } from 'n8n-workflow';

/** Whether the node is a tool of an AI agent: n8n gives such a node a type of its own. */
export const isToolNode = ({ type }: Pick<INode, 'type'>) => type.endsWith('Tool');

/** Whether an agent calls the tool itself, e.g. for MCP: n8n rewords what a tool throws there, and an AI Agent 2 reads none of it. */
export const isCalledByAgent = (context: IExecuteFunctions) => 'cloneWith' in context;
