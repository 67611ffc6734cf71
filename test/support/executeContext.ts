import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { additionalData, CREDENTIAL } from './engine';
import { loneNode } from './loneNode';

/** n8n-core's own context of an execution of the node, for what reads parameters. */
export function executeContext(
	settings: Pick<INode, 'parameters'> & Partial<INode>,
	items: IDataObject[],
	credential: ICredentialDataDecryptedObject = CREDENTIAL,
): ExecuteContext {
	const { node, workflow } = loneNode(settings);
	const input: INodeExecutionData[] = items.map((json) => ({ json }));
	const data = { main: [input] };
	return new ExecuteContext(
		workflow,
		node,
		additionalData(credential),
		'manual',
		createRunExecutionData({}),
		0,
		input,
		data,
		{ node, data, source: null },
		[],
	);
}
