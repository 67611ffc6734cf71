import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { createAdditionalData, CREDENTIAL } from './engine';
import { createSingleNodeWorkflow } from './singleNodeWorkflow';

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
